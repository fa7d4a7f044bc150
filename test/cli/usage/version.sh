trace-analyzer version; trace-analyzer -V
