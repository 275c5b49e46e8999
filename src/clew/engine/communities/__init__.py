"""Communities: the partition job, its saved result, and the partition that queries see."""
