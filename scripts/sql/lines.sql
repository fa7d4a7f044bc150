-- Device time by the line that asked for it.
SELECT call.file, call.line, call.function, count(*) AS operations,
       sum(operation.end_ns - operation.begin_ns) AS device_ns
FROM event AS operation JOIN event AS call ON call.id = operation.asked_by
GROUP BY call.file, call.line, call.function ORDER BY device_ns DESC LIMIT 30;
