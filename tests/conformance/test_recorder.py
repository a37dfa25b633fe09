"""Every installed recorder keeps what can be seen of its contract without knowing what it writes."""

from __future__ import annotations

from coachcore.testing.recorder import check_recorder

KIND = "recorder"


def test_contract(part, tmp_path):
    check_recorder(part, tmp_path)
