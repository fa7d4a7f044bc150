trace-analyzer heatmap x
