"""The inference core: arrays in, frozen results out; numpy and scipy only.

permutation: which agents really differ; tiers: what follows from that; saturation: is the top within the noise;
intervals and clusters: how sure a mean is; power: what a number of tasks can find.
"""
