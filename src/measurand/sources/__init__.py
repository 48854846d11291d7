"""Foreign logs become rows of the trial table: a folder a format, found through entry points.

``base`` is what a source is, ``registry`` finds the one for a path, ``checks`` is what every row goes through; ``reading`` has what
several sources read with. In the folder of a format, ``source`` holds the class that its entry point names.
"""
