"""Every hook, on one page: who is there, and what happened."""

from __future__ import annotations

import pluggy

PROJECT = "coach"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
