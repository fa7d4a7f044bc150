-- Copies on the device by direction: number, bytes, time and mean bandwidth in GB/s.
SELECT direction, count(*) AS copies, sum(bytes) AS bytes, sum(end_ns - begin_ns) AS total_ns,
       round(1.0 * sum(bytes) / nullif(sum(end_ns - begin_ns), 0), 3) AS gb_per_s
FROM event WHERE kind = 'device_copy' GROUP BY direction ORDER BY total_ns DESC;
