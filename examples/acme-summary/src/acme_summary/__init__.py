"""A recorder that writes a page about the run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from coachcore.api import Event, RunInfo, component, figure, param


@component("recorder", "markdown")
@attrs.frozen(kw_only=True)
class Markdown:
    """A Markdown page: what was run, every evaluation, the longest and best episode, and how it ended."""

    file: str = param(default="summary.md", doc="the page's name in the run's folder")

    def open(self, folder: Path, info: RunInfo, mark: Any = None) -> Page:
        begun = {"evaluations": [], "phases": {}, "best": None, "end": ""} if mark is None else mark
        return Page(folder / self.file, info, json.loads(json.dumps(begun)))


class Page:
    """An open page; `told` is all that it says, as plain data."""

    def __init__(self, path: Path, info: RunInfo, told: dict[str, Any]) -> None:
        self._path, self._info, self._told = path, info, told

    def event(self, event: Event) -> None:
        data = event.data
        if event.kind == "episode":
            counts = self._told["phases"]
            counts[data["phase"]] = counts.get(data["phase"], 0) + 1
            if self._told["best"] is None or data["return"] > self._told["best"]:
                self._told["best"] = data["return"]
        elif event.kind == "evaluation":
            self._told["evaluations"].append([event.step, data["mean"], data["std"], bool(data["best"])])
        elif event.kind == "run-end":
            self._told["end"] = f"{data['reason']} after {event.step} steps"

    def mark(self) -> Any:
        self._write()
        return json.loads(json.dumps(self._told))

    def close(self) -> None:
        self._write()

    def _write(self) -> None:
        aside = self._path.with_name(f".{self._path.name}.new")
        aside.write_text("\n".join(_lines(self._info, self._told)) + "\n", encoding="utf-8")
        aside.replace(self._path)


def _lines(info: RunInfo, told: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {info.preset}, seed {info.seed}"
    yield ""
    yield f"Agent `{info.agent}` in `{info.environment}`: {told['end'] or 'not over yet'}."
    episodes = ", ".join(f"{count} of {phase}" for phase, count in told["phases"].items())
    if episodes:
        yield f"Episodes: {episodes}; the best return was {figure(told['best'])}."
    if told["evaluations"]:
        yield from ("", "| step | mean return | deviation | |", "|---:|---:|---:|---|")
    for step, mean, deviation, best in told["evaluations"]:
        yield f"| {step} | {figure(mean)} | {figure(deviation)} | {'best so far' if best else ''} |"
