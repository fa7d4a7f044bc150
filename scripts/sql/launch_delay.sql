-- How long operations waited between the begin of their call and their own, by name; most first.
SELECT operation.name, count(*) AS operations,
       avg(operation.begin_ns - call.begin_ns) AS mean_wait_ns, max(operation.begin_ns - call.begin_ns) AS longest_wait_ns
FROM event AS operation JOIN event AS call ON call.id = operation.asked_by
GROUP BY operation.name ORDER BY sum(operation.begin_ns - call.begin_ns) DESC LIMIT 30;
