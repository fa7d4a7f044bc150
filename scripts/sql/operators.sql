-- Framework operators by the time between their begin and end, those inside of them included.
SELECT name, count(*) AS calls, sum(end_ns - begin_ns) AS total_ns
FROM event WHERE kind = 'op' GROUP BY name ORDER BY total_ns DESC LIMIT 30;
