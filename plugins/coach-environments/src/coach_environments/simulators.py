"""N simulators in processes of their own, restarted where they die or hang."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from coach_environments.process import PATIENCE, Paid, Worker, refused
from coach_environments.wire import RENDER, RESET, SEED, STEP, Lost
from coachcore.api import Array, Obs, Step

if TYPE_CHECKING:
    from coach_environments.processes import Processes


class ProcessSimulators:
    """N processes; see `Processes` for what becomes of those that fail."""

    def __init__(self, part: Processes, count: int, *, render: bool) -> None:
        self.count, self._all = count, [_Simulator(part, env, render=render and env == 0) for env in range(count)]
        try:
            for one in self._all:  # all of them start at the same time
                one.worker.began()
        except BaseException:  # whatever it was: leave no process behind
            self.close()
            raise
        self.spaces = self._all[0].worker.spaces

    def reset(self, envs: Sequence[int], seeds: Sequence[int]) -> Obs:
        asked = [self._all[env] for env in envs]
        for one, seed in zip(asked, seeds, strict=True):
            one.ask_reset(int(seed))
        return _joined([one.opened() for one in asked])

    def step(self, actions: Array) -> Step:
        for env, one in enumerate(self._all):
            one.ask_step(actions[env])
        steps = [one.stepped() for one in self._all]
        obs = _joined([paid[0] for paid, _ in steps])
        reward, over, cut = (np.array(parts) for parts in zip(*(paid[1:] for paid, _ in steps), strict=True))
        lost = np.array([lost for _, lost in steps])
        return Step(obs, reward, over, cut, lost if lost.any() else None)

    def render(self) -> Array | None:
        return self._all[0].picture()

    def close(self) -> None:
        for one in self._all:  # all of them end at the same time
            one.worker.hang_up()
        until = time.monotonic() + PATIENCE
        for one in self._all:
            one.worker.end(max(until - time.monotonic(), 0.0))

    def news(self) -> list[Mapping[str, Any]]:
        """Restarts since this was last asked, each with ``env``, ``cause`` and whether the episode was ``lost``."""
        told = [item for one in self._all for item in one.news]
        for one in self._all:
            one.news = []
        return told


class _Simulator:
    """One process, and the episode that is open in it: enough to play it again."""

    def __init__(self, part: Processes, env: int, *, render: bool) -> None:
        self._part, self._env, self._render = part, env, render
        self.worker = Worker(part, render=render)
        self.news: list[Mapping[str, Any]] = []
        self._seed = 0
        self._played: list[bytes] = []  # the actions since the episode began
        self._shown: Obs = {}

    def ask_reset(self, seed: int) -> None:
        self._seed, self._played = seed, []
        self.worker.ask(RESET, SEED.pack(seed))

    def ask_step(self, action: Array) -> None:
        self._played.append(np.ascontiguousarray(action, self.worker.spaces.action.dtype).tobytes())
        self.worker.ask(STEP, self._played[-1])

    def opened(self) -> Obs:
        """What the episode begins with, by a second process where the first fails."""
        try:
            self._shown = self.worker.heard(self.worker.seen)
        except Lost as lost:
            self._restart(lost)
            try:
                self._shown = self._replayed([])
            except Lost as again:
                why = f"it cannot open the episode of seed {self._seed}: {again}"
                raise refused(self._part, self._env, why) from None
        return self._shown

    def stepped(self) -> tuple[Paid, bool]:
        """What followed the action, by a second process where the first fails; and whether it is lost."""
        before = self._shown
        try:
            paid = self.worker.heard(self.worker.paid)
        except Lost as lost:
            self._restart(lost)
            try:
                paid = self._once_more(before)
            except Lost as again:
                self._restart(again, episode_too=True)
                return (before, 0.0, False, True), True
        self._shown = paid[0]
        return paid, False

    def picture(self) -> Array | None:
        """The simulator's picture; None where it fails, which the next step sets right."""
        self.worker.ask(RENDER)
        try:
            return self.worker.heard(self.worker.painted)
        except Lost:
            self.worker.hang_up()
            return None

    def _restart(self, lost: Lost, *, episode_too: bool = False) -> None:
        self.news.append({"env": self._env, "cause": str(lost), "lost": episode_too})
        self.worker.end(0.0)
        self.worker = Worker(self._part, render=self._render)
        self.worker.began()

    def _once_more(self, before: Obs) -> Paid:
        """The step again, in a new process, where the episode so far shows what it showed `before`."""
        shown = self._replayed(self._played[:-1])
        if not all(np.array_equal(shown[name], before[name], equal_nan=True) for name in before):
            raise Lost("played again, the episode shows something else")
        self.worker.ask(STEP, self._played[-1])
        return self.worker.heard(self.worker.paid)

    def _replayed(self, actions: Sequence[bytes]) -> Obs:
        """The episode opened again and played on to where it was; what is shown then."""
        self.worker.ask(RESET, SEED.pack(self._seed))
        shown = self.worker.heard(self.worker.seen)
        for action in actions:
            self.worker.ask(STEP, action)
            shown, *_ = self.worker.heard(self.worker.paid)
        return shown


def _joined(parts: Sequence[Obs]) -> Obs:
    """Observations ``[1, ...]`` one under the other."""
    return parts[0] if len(parts) == 1 else {name: np.concatenate([obs[name] for obs in parts]) for name in parts[0]}
