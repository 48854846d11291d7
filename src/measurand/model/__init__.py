"""Frozen records and vocabularies: what a trial is, what became of it, and how rows are compared.

Nothing here reads or writes; nothing here imports another part of Measurand but its errors.
"""
