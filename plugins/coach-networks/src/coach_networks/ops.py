"""`keras.ops` by name, imported at first use, so that reading an agent's settings costs no backend."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    from keras import ops

    return getattr(ops, name)
