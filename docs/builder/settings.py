"""The page of presets, table by table and key by key."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from inspect import cleandoc

from builder.tree import CORE, syntax
from builder.words import NOTE, marked, rows
from coachcore.cli.describe import PLACES
from coachcore.component import params_of
from coachcore.presets.places import COUNT, DEFAULT_ENGINE, DEFAULT_RECORDERS, HEAD, OPTIONAL, PARTS
from coachcore.settings import SECTIONS

SECTION_PLACES = {"learner": "agent.learner", "network": "agent.network", "evaluate": "schedule.evaluate"}
NETWORK_PARTS = (("embedders.INPUT", "embedder"), ("middleware", "middleware"), ("heads.SLOT", "head"))
MAY_LACK = {
    "engine": f"`{DEFAULT_ENGINE}`",
    "recorder": " and ".join(f"`{name}`" for name in DEFAULT_RECORDERS),
    "filter": "none",
    **dict.fromkeys(OPTIONAL, "none"),
}
"""What holds where a preset is silent about parts of a kind."""


def page() -> Iterator[str]:
    """Where parts stand, and what stands beside them."""
    yield from ("# The preset, key by key", "", NOTE, "")
    yield from ("How presets are written, laid together and changed is told in [presets](../presets.md).", "")
    yield from ("## Where parts stand", "", "| table | part | where it is left out |", "|---|---|---|")
    yield from (_place(f"[{kind}]", kind) for kind in (*PARTS, *OPTIONAL))
    for name, kind in NETWORK_PARTS:
        both = f"[agent.network.{name}]`, or of an agent with several networks `[agent.networks.NAME.{name}]"
        yield f"| `{both}` | [{kind}]({kind}.md) | the agent's own choice |"
    yield from (_place(f"[[filters.{name}]]", "filter") for name in ("NAME", "reward", "action"))
    yield from (_place(PLACES["recorder"], "recorder"), "")
    yield from ("In each, `use` names the part, and its settings stand beside it.", "")
    yield from (
        "A setting of type `schedule` takes a [schedule](schedule.md), one of `layer[]` [layers](layer.md).",
        "",
    )
    yield from ("## Top of the file", "", "Keys before the first table.", "", *rows(HEAD))
    yield from ("| `extends` | `str \\| str[]` | unset |  |  | installed presets or files that this one changes |", "")
    yield from ("## `[environment]`", "", "Beside the environment's own settings.", "", *rows([COUNT]), "")
    for name, cls in SECTIONS.items():
        yield from (f"## `[{SECTION_PLACES.get(name, name)}]`", "")
        about = marked(cleandoc(cls.__doc__ or "")).partition(": ")[2]
        yield from (f"{about[:1].upper()}{about[1:]}", "", *rows(params_of(cls)), "")
    yield from _changes()


def _place(table: str, kind: str) -> str:
    return f"| `{table}` | [{kind}]({kind}.md) | {MAY_LACK.get(kind, 'an error')} |"


def _changes() -> Iterator[str]:
    """How values are changed from the command line, as the reader of such changes says it."""
    about = ast.get_docstring(syntax(CORE / "presets" / "overrides.py")) or ""
    yield from ("## `--set`", "", marked(about), "")
    yield from ("Every form, with an example: [changing values](../presets.md#changing-values---set).", "")
