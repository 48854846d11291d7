"""From a trial to its verdict and scores: gate rules, answer key, capped and clipped log-ratio objective."""
