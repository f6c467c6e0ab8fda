"""What a reader sees: figures, heatmaps, the token strip, pages, and what notebooks call."""
