"""The few names a script or a notebook needs: load, run, train, evaluate, act."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coachcore.errors import CoachError
from coachcore.folder import frozen as frozen_of
from coachcore.folder import furnish, lock_of, new_folder, preset_of, refuse_another

if TYPE_CHECKING:
    from coachcore.contracts.experiment import Experiment
    from coachcore.events import Event
    from coachcore.presets.preset import Preset
    from coachcore.running.evaluate import Score
    from coachcore.running.session import Outcome
    from coachcore.types import Array, Obs


def load_preset(
    source: Any, *, sets: Sequence[str] = (), withs: Sequence[str | Path] = (), seed: int | None = None
) -> Preset:
    """A preset by name, path or as plain data, layered and checked; raises `Problems` with every error at once.

    `sets` are ``"path=VALUE"`` texts as on the command line, `withs` further TOML files.
    """
    from coachcore.presets.preset import Preset
    from coachcore.presets.preset import load_preset as load

    if isinstance(source, Preset):
        if sets or withs:
            raise CoachError(
                "a loaded preset is altered with its own `changed`; sets and withs are for one being loaded"
            )
        return source if seed is None else source.changed({"seed": seed})
    return load(source, sets=sets, withs=withs, seed=seed)


def train(preset: Any, *, seed: int | None = None) -> Iterator[Event]:
    """Train in this process and yield what happens; nothing is written.

    Stop reading whenever you like. For a run that can be resumed, use `run`.
    """
    from coachcore.running.loop import train as events
    from coachcore.running.machine import Machine

    machine = Machine(_built(load_preset(preset, seed=seed)))
    try:
        for event in events(machine):
            machine.paused = False
            if event.kind != "pause":
                yield event
    finally:
        machine.close()


def run(
    preset: Any = None,
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    frozen: str | Path | None = None,
    seed: int | None = None,
    recorders: Mapping[str, Any] | None = None,
) -> Outcome:
    """Train in a run folder with recorders and checkpoints; returns how it ended and where it lies.

    `out` defaults to ``runs/<preset>-<time>-<seed>``. With `resume`, go on from
    that folder's latest checkpoint, bit for bit; a `preset` given besides must
    be the one the folder was started with. With `frozen`, do that folder's run
    again in a new one; raises `Mismatch` where it would not be the same.
    `recorders` replaces the preset's. The run is made in this process: what
    ``[orchestrator]`` says is for the command line.
    """
    if frozen is not None:
        if preset is not None or resume is not None or seed is not None:
            raise CoachError("a frozen run takes preset and seed from its folder: drop preset, resume and seed")
        preset = frozen_of(Path(frozen))
    if resume is not None:
        if out is not None or (seed is not None and preset is None):
            raise CoachError("a resumed run goes on in its own folder with its own seed: drop out and seed")
        return _resumed(Path(resume), preset, seed, recorders)
    loaded = load_preset(preset, seed=seed)
    _announce(loaded)
    experiment = _built(loaded, recorders)
    from coachcore.running.machine import Machine

    machine = Machine(experiment)
    try:
        folder = Path(out) if out is not None else new_folder(experiment.name, experiment.seed)
        return _in_folder(machine, folder, loaded)
    finally:
        machine.close()


def evaluate(
    folder: str | Path,
    *,
    episodes: int = 20,
    checkpoint: str = "best",
    seed: int | None = None,
    on_frame: Callable[[int, Array], None] | None = None,
) -> Score:
    """Greedy episodes of a run's policy on fresh seeds, in NumPy alone where the network allows.

    `checkpoint` is ``best``, ``latest`` or a checkpoint's own name. `seed` picks
    the episodes (default: the run's seed). `on_frame(episode, picture)` is given
    each picture ``[H, W, 3]`` of the environment.
    """
    from coachcore.rng import Streams
    from coachcore.running import evaluate as playing

    experiment = _experiment_of(Path(folder))
    part = getattr(experiment.environment, "evaluation", experiment.environment)
    environment = part.make(1, render=on_frame is not None)
    try:
        policy = _policy(experiment, Path(folder), checkpoint, environment.spaces)
        seeds = Streams(experiment.seed if seed is None else seed)["fresh"].integers(0, 2**31 - 1, episodes)

        def shown(index: int) -> None:
            picture = environment.render()
            if picture is not None and on_frame is not None:
                on_frame(index, picture)

        return playing.evaluate(policy, environment, seeds.tolist(), on_step=shown if on_frame else None)
    finally:
        environment.close()


def chosen(folder: Path, checkpoint: str) -> str:
    """The checkpoint meant: ``latest`` stands in for ``best`` where no evaluation has chosen one yet."""
    from coachcore.running.checkpoint import Checkpoints

    return "latest" if checkpoint == "best" and not Checkpoints(folder / "checkpoints").pointed("best") else checkpoint


class Policy:
    """A trained policy, loaded from a run folder: ``Policy.load(DIR).act(obs)``."""

    def __init__(self, held: Any) -> None:
        self._held = held

    @classmethod
    def load(cls, folder: str | Path, *, checkpoint: str = "best") -> Policy:
        """The policy of `checkpoint` (``best``, ``latest`` or a name); raises `BadCheckpoint`."""
        experiment = _experiment_of(Path(folder))
        environment = experiment.environment.make(1)
        try:
            return cls(_policy(experiment, Path(folder), checkpoint, environment.spaces))
        finally:
            environment.close()

    def act(self, obs: Array | Obs) -> Any:
        """The greedy action for one observation as the environment gives it: an int, or an array ``[*shape]``."""
        return self._held.act(obs)

    def reset(self) -> None:
        """Forget the open episode; call it before the first `act` of a new one."""
        self._held.reset()


def _built(preset: Preset, recorders: Mapping[str, Any] | None = None) -> Experiment:
    import attrs

    from coachcore.presets.build import build

    experiment = build(preset)
    return experiment if recorders is None else attrs.evolve(experiment, recorders=recorders)


def _in_folder(machine: Any, folder: Path, preset: Preset) -> Outcome:
    from coachcore.running.session import Session, exclusive

    with exclusive(folder):
        furnish(folder, preset)
        return Session(machine, folder, listeners=_listeners()).run()


def _resumed(folder: Path, preset: Any, seed: int | None, recorders: Mapping[str, Any] | None) -> Outcome:
    import attrs

    from coachcore.running.checkpoint import Checkpoints
    from coachcore.running.machine import Machine
    from coachcore.running.session import Session, exclusive

    kept = preset_of(folder)
    if preset is not None:
        refuse_another(load_preset(preset, seed=seed).resolved, kept.resolved, folder)
    _announce(kept)
    with exclusive(folder):
        checkpoints = Checkpoints(folder / "checkpoints")
        saved = checkpoints.load() if checkpoints.begun() else None  # stopped before anything was saved: from the start
        machine = Machine(attrs.evolve(_built(kept, recorders), name=lock_of(folder)["name"]))
        try:
            return Session(machine, folder, listeners=_listeners(), saved=saved).run()
        finally:
            machine.close()


def _experiment_of(folder: Path) -> Experiment:
    return _built(preset_of(folder), recorders={})


def _policy(experiment: Experiment, folder: Path, checkpoint: str, spaces: Any) -> Any:
    from coachcore.acting import ActingNetwork
    from coachcore.rng import Streams
    from coachcore.running.checkpoint import Checkpoints
    from coachcore.running.machine import Machine
    from coachcore.running.policy import Policy as Greedy
    from coachcore.running.problem import CARRY, pipelines_of

    checkpoints = Checkpoints(folder / "checkpoints")
    saved = checkpoints.load(chosen(folder, checkpoint))["policy"]
    if saved["program"]:
        acting: Any = ActingNetwork(saved["program"])
        acting.load(saved["weights"])
        carry = sum(saved["program"]["inputs"].get(CARRY, ()))
    else:
        machine = Machine(experiment)
        machine.learner.restore(saved["learner"])
        acting, carry = machine.learner.forward, machine.actor.carry
        machine.close()
    return Greedy(
        agent=experiment.agent,
        exploration=experiment.exploration,
        pipelines=pipelines_of(experiment, spaces),
        acting=acting,
        filters=saved["filters"],
        explorer=saved["explorer"],
        rng=Streams(experiment.seed)["evaluation"],
        carry=carry,
    )


def _announce(preset: Preset) -> None:
    """Show every plugin the resolved preset, before anything is built from it."""
    from types import MappingProxyType

    from coachcore.registry.lock import listeners
    from coachcore.registry.registry import current

    for listener in listeners(current(), "coach_configure"):
        listener(MappingProxyType(preset.resolved))


def _listeners() -> Any:
    """The run hooks of every plugin, collected once as plain functions: the loop never calls a hook."""
    from coachcore.registry.lock import listeners
    from coachcore.registry.registry import current
    from coachcore.running.session import Listeners

    return Listeners(**{name: listeners(current(), f"coach_{hook}") for name, hook in _HOOKS.items()})


_HOOKS = {"start": "run_start", "event": "event", "checkpoint": "checkpoint", "end": "run_end"}
