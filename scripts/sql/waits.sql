-- Lines of the program whose calls wait for the device, most time first.
SELECT file, line, name, count(*) AS calls, sum(end_ns - begin_ns) AS total_ns
FROM event WHERE kind = 'sync' OR (kind = 'copy' AND direction IN ('device_to_host', 'host_to_device'))
GROUP BY file, line, name ORDER BY total_ns DESC LIMIT 30;
