"""When the next thing falls due: every so many steps, episodes or updates."""

from __future__ import annotations

from coachcore.clock import Clock, Duration


class Every:
    """Due once each time a counter passes a multiple of `duration`.

    It holds no state of its own: where the next multiple lies follows from the
    clock, so a resumed run falls into the same rhythm. Seconds never fall due
    here; they are the session's business.
    """

    def __init__(self, duration: Duration, clock: Clock) -> None:
        self.amount, self.unit = max(1, duration.amount), duration.unit
        self.counted = self.unit != "seconds"
        self.next = self._after(clock)

    def _after(self, clock: Clock) -> int:
        return (clock.count(self.unit) // self.amount + 1) * self.amount if self.counted else 0

    def due(self, clock: Clock) -> bool:
        """Whether a multiple has been passed since last asked."""
        if not self.counted or clock.count(self.unit) < self.next:
            return False
        self.next = self._after(clock)
        return True

    def steps_left(self, clock: Clock, large: int) -> int:
        """Environment steps that surely pass before it falls due: 1 for episodes, `large` for updates."""
        if self.unit == "steps":
            return self.next - clock.steps
        return 1 if self.unit == "episodes" else large
