"""Quality against cost: the Pareto set, exchange rates and their test, cost per success."""
