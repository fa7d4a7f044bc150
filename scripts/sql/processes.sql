-- What each process did: events, launches, operations of the device and their time.
SELECT process.pid, process.name, count(event.id) AS events, sum(kind = 'launch') AS launches,
       sum(kind IN ('device_kernel', 'device_copy', 'device_set')) AS operations,
       sum(CASE WHEN kind IN ('device_kernel', 'device_copy', 'device_set') THEN end_ns - begin_ns ELSE 0 END) AS device_ns
FROM process LEFT JOIN event ON event.process = process.id GROUP BY process.id ORDER BY process.id;
