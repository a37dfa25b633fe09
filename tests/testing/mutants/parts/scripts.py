"""A right orchestrator: what it starts is a script that lies in a folder."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from shutil import rmtree

import attrs

from coachcore.component import component, param


@component("orchestrator", "scripts")
@attrs.frozen(kw_only=True)
class Scripts:
    """One script a worker, each a run of the preset with a seed of its own."""

    folder: str = param(default="deployments", doc="where each deployment gets a folder")
    first: int = param(default=1, ge=0, doc="seed of the first worker")

    def render(self, preset, workers):
        seeds = range(self.first, self.first + workers)
        return {f"seed-{seed}": f"#!/bin/sh\ncoach run {quote(str(preset))} --set seed={seed}\n" for seed in seeds}

    def deploy(self, preset, workers):
        number = 1
        while (place := Path(self.folder, f"{preset.stem}-{number}")).exists():
            number += 1
        place.mkdir(parents=True)
        for name, script in self.render(preset, workers).items():
            (place / f"{name}.sh").write_text(script, encoding="utf-8")
        return place.name

    def status(self, deployment):
        return {path.stem: "written" for path in sorted(Path(self.folder, deployment).glob("*.sh"))}

    def undeploy(self, deployment):
        rmtree(Path(self.folder, deployment), ignore_errors=True)
