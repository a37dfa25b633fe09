"""`coach presets`: what is installed and what is proven."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

POLE = """
[environment]
use = "gymnasium"
id = "CartPole-v1"
[agent]
use = "dqn"
[validation]
reward = 475
within = "50_000 steps"
"""


def stock(shop: Any, dist: str, **presets: str) -> Path:
    package: Path = shop.add(dist, points=f"[coach.plugins]\n{dist} = {dist}\n")
    (package / "presets").mkdir()
    for name, text in presets.items():
        (package / "presets" / f"{name}.toml").write_text(text)
    manifest = {"manifest": 1, "api": "1.0", "dist": dist, "presets": "presets"}
    (package / "coach_plugin.json").write_text(json.dumps(manifest))
    return package


def test_presets_with_what_they_reach(shop: Any) -> None:
    stock(shop, "acme", pole=POLE, pole2='extends = "pole"\n', torn="[", odd="agent = 3\n")
    stock(shop, "other", odd="")
    said = shop("presets")
    assert said.code == 0
    clash, *others = said.out.splitlines()
    assert clash.startswith("odd                      [clash] ")
    assert others == [
        "pole   dqn  CartPole-v1  reaches 475 within 50,000 steps",
        "pole2                    as pole, with changes",
        "torn                     [broken] not TOML - see `coach check torn`",
        "4 presets",
    ]


def test_json_gives_the_paths(shop: Any) -> None:
    package = stock(shop, "acme", pole=POLE)
    data = json.loads(shop("presets", "--json").out)
    assert data == {"schema": 1, "presets": [{"name": "pole", "paths": [str(package / "presets" / "pole.toml")]}]}


def test_none_installed(shop: Any) -> None:
    assert shop("presets") == (0, "0 presets\n", "")
