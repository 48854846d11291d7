"""The inference core: arrays in, frozen results out; numpy and scipy only.

differences: which agents really differ; means: how sure a mean is; repeats: what repeated trials say; headroom: is the top
within the noise, and would a harder bar help; verifiers: what a second verdict says of the first; cost: quality against
cost; design: what a number of tasks can find; claims: what may be said of the one on top.
"""
