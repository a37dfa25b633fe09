"""What there is to say about a run while it goes on, as short texts."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from coachcore.api import Event, RunInfo, figure

EPISODES = 20
"""Returns are averaged over this many last episodes."""

_POINT_SECONDS = 0.5
"""Speed is measured between points at least this far apart; 20 of them are kept."""

_PHASES = {"training": "train"}
_DROPPED_FIRST = ("loss", "std", "updates", "exploration", "episodes", "speed")


class Progress:
    """Follows a run's events; `now` in all methods is wall-clock time in seconds from any origin."""

    def __init__(self, info: RunInfo, now: float) -> None:
        self.info = info
        self.phase = "train" if info.resumed_at else "heat-up"
        self.done = 0
        self._restarts = 0
        self._began = now
        self._returns: deque[float] = deque(maxlen=EPISODES)
        self._known: dict[str, float] = {}
        self._pace: deque[tuple[float, int, int]] = deque(maxlen=20)  # time, step, done
        if info.unit == "steps" or not info.resumed_at:  # else the first event says how far the run was
            self._pace.append((now, info.resumed_at, info.resumed_at))

    def note(self, event: Event, now: float) -> None:
        """Take the event in."""
        if event.kind == "episode":
            self._returns.append(float(event.data["return"]))
            self.phase = _PHASES.get(event.data["phase"], event.data["phase"])
        self._restarts += event.kind == "simulator"
        for name in ("exploration", "loss"):
            if name in event.data:
                self._known[name] = float(event.data[name])
        counts = {"steps": event.step, "episodes": event.episode, "updates": event.update}
        self.done = counts.get(self.info.unit, 0)
        if not self._pace or now - self._pace[-1][0] >= _POINT_SECONDS:
            self._pace.append((now, event.step, self.done))

    def start(self) -> str:
        """``cartpole-dqn: dqn on gymnasium, seed 1, 50,000 steps``."""
        info = self.info
        resumed = f", resumed at step {info.resumed_at:,}" if info.resumed_at else ""
        return (
            f"{info.preset}: {info.agent} on {info.environment}, seed {info.seed}, {info.total:,} {info.unit}{resumed}"
        )

    def status(self, width: int) -> str:
        """``12,000/50,000  return 98.3  explore 0.45  loss 0.0123  3,456/s  eta 0:11``, at most `width` wide."""
        parts = {"done": f"{self.done:,}/{self.info.total:,}"}
        if self._returns:
            parts["return"] = f"return {figure(sum(self._returns) / len(self._returns))}"
        if "exploration" in self._known:
            parts["exploration"] = f"explore {self._known['exploration']:.2f}"
        if "loss" in self._known:
            parts["loss"] = f"loss {self._known['loss']:.3g}"
        return fitted(parts | self._speed(), width)

    def _speed(self) -> dict[str, str]:
        """Steps a second and time left, from the last twenty points; nothing before there are two."""
        if len(self._pace) < 2:
            return {}
        (began, step, done), (now, last_step, last_done) = self._pace[0], self._pace[-1]
        parts = {"speed": f"{(last_step - step) / (now - began):,.0f}/s"}
        if last_done > done:
            parts["eta"] = f"eta {clock((self.info.total - last_done) * (now - began) / (last_done - done))}"
        return parts

    def end(self, event: Event, now: float, width: int) -> str:
        """``finished  50,000 steps  312 episodes  49,000 updates  0:14  best 498.2``; restarts where there were any."""
        parts = {"reason": str(event.data.get("reason", "ended"))}
        parts |= {"steps": f"{event.step:,} steps", "episodes": f"{event.episode:,} episodes"}
        parts |= {"updates": f"{event.update:,} updates", "time": clock(now - self._began)}
        if self._restarts:
            parts["restarts"] = f"{self._restarts:,} restart{'s' if self._restarts != 1 else ''}"
        if event.data.get("best") is not None:
            parts["best"] = f"best {figure(event.data['best'])}"
        return fitted(parts, width)


def evaluation(event: Event, width: int) -> str:
    """``evaluate 15,000  mean 480.2  std 12.3  min 450.0  max 500.0  success 80 %  10 episodes  best``."""
    data: Mapping[str, Any] = event.data
    parts = {"at": f"evaluate {event.step:,}"}
    parts |= {name: f"{name} {figure(data[name])}" for name in ("mean", "std", "min", "max") if name in data}
    if "success" in data:
        parts["success"] = f"success {100 * data['success']:.3g} %"
    if "episodes" in data:
        parts["episodes"] = f"{data['episodes']} episode{'s' if data['episodes'] != 1 else ''}"
    if data.get("best"):
        parts["best"] = "best"
    return fitted(parts, width)


def restart(event: Event, width: int) -> str:
    """``restart 12,000  simulator 1  episode lost  it died of signal 9``, cut where it is wider than `width`."""
    data: Mapping[str, Any] = event.data
    parts = [f"restart {event.step:,}"]
    parts += [f"simulator {data['env']}"] if "env" in data else []
    parts += ["episode lost"] if data.get("lost") else []
    cause = "".join(letter if letter.isprintable() else " " for letter in str(data.get("cause", "")))
    parts += [" ".join(cause.split())] if cause.strip() else []
    line = "  ".join(parts)
    return line if len(line) <= width else f"{line[: width - 3]}..."


def fitted(parts: Mapping[str, str], width: int) -> str:
    """The parts in a row, two spaces between; the less important ones left out where it would be wider than `width`."""
    kept = dict(parts)
    for name in _DROPPED_FIRST:
        if len("  ".join(kept.values())) <= width:
            break
        kept.pop(name, None)
    return "  ".join(kept.values())


def clock(seconds: float) -> str:
    """``0:07``, ``12:34``, ``1:02:03``."""
    whole = max(0, round(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
