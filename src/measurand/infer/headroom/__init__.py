"""Is there room above: saturation, windows over time, harder bars, percentiles."""
