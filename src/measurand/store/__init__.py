"""The run store: append-only Parquet segments that appear whole or not at all, and merge by copying."""

from measurand.store.store import Store, StoreInfo, is_store

__all__ = ["Store", "StoreInfo", "is_store"]
