"""Source ``every_eval_ever``."""
