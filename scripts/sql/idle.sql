-- The longest gaps between operations of a stream, and what ended before each.
SELECT * FROM (
  SELECT event.process, event.device, event.stream, event.begin_ns - max(event.end_ns) OVER earlier AS idle_ns,
         event.begin_ns, event.name AS next_operation, lag(event.name) OVER stream_of AS last_operation
  FROM event
  WHERE event.kind IN ('device_kernel', 'device_copy', 'device_set')
  WINDOW stream_of AS (PARTITION BY event.process, event.device, event.stream ORDER BY event.begin_ns),
         earlier AS (PARTITION BY event.process, event.device, event.stream ORDER BY event.begin_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
WHERE idle_ns > 0 ORDER BY idle_ns DESC LIMIT 30;
