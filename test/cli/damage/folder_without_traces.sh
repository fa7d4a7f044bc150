mkdir run; touch run/notes.txt; trace-analyzer dump run
