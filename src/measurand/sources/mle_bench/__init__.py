"""Source ``mle_bench``."""
