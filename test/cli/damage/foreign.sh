trace-analyzer dump /etc/passwd
