"""The test of a family under each null, and its tiers, by name."""
