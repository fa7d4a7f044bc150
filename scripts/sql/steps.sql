-- Steps, longest first, with the device time of the operations that began in each.
SELECT step.process, step.name, step.end_ns - step.begin_ns AS ns,
       (SELECT sum(end_ns - begin_ns) FROM event WHERE event.process = step.process AND kind IN ('device_kernel', 'device_copy', 'device_set')
        AND event.begin_ns >= step.begin_ns AND event.begin_ns < step.end_ns) AS device_ns
FROM step ORDER BY ns DESC LIMIT 30;
