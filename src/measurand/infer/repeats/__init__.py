"""What repeated trials of a task say: reproducibility, pass@j and pass^j, consistency, calibration."""
