-- Device time by kernel, most first: calls, total, mean and longest in ns, share of all kernels.
SELECT name, count(*) AS calls, sum(end_ns - begin_ns) AS total_ns,
       sum(end_ns - begin_ns) / count(*) AS mean_ns, max(end_ns - begin_ns) AS longest_ns,
       round(100.0 * sum(end_ns - begin_ns) / (SELECT sum(end_ns - begin_ns) FROM event WHERE kind = 'device_kernel'), 1) AS pct
FROM event WHERE kind = 'device_kernel' GROUP BY name ORDER BY total_ns DESC LIMIT 30;
