"""Source ``sweagent_traj``."""
