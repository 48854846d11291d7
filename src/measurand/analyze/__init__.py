"""The labelled shell over the inference core: trials in, named results out.

The core (:mod:`measurand.infer`) sees arrays; users see agents, tasks and sentences. This package chooses rows,
checks that they may be compared, makes the cells, calls the core, and names what comes back.
"""
