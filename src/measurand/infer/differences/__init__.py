"""Which agents really differ: the max-T test under each null, tiers and letters, intervals of all differences, adjusted p."""
