-- What the report found, with the events that each finding is about.
SELECT finding.title, count(event.id) AS events, sum(event.end_ns - event.begin_ns) AS host_ns, finding.advice
FROM finding LEFT JOIN event ON event.finding = finding.title AND event.process = finding.process
GROUP BY finding.process, finding.title ORDER BY host_ns DESC;
