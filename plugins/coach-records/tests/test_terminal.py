"""What people see: exact lines, their width, and silence where nobody can read."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from coach_records.progress import clock, evaluation, fitted
from coach_records.terminal import LiveSink, PlainSink, Terminal
from coachcore.api import Event, RunInfo

INFO = RunInfo(preset="cartpole-dqn", seed=1, environment="gymnasium", agent="dqn", total=50_000)
SCORE = {"mean": 480.25, "std": 12.34, "min": 450.0, "max": 500.0, "length": 480.2, "episodes": 10, "best": True}


def episode(step: int, number: int, total: float, phase: str = "training", exploration: float = 0.451) -> Event:
    data = {"return": total, "length": 10, "env": 0, "exploration": exploration, "phase": phase}
    return Event("episode", step, number, 0, data)


def report(step: int, loss: float = 0.01234) -> Event:
    return Event("report", step, 9, step, {"loss": loss, "learning_rate": 1e-3, "exploration": 0.451})


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def told(events: list[tuple[float, Event]], info: RunInfo = INFO, every: float = 5.0) -> list[str]:
    """Plain lines for events, each with the seconds since the start."""
    now, stream = Clock(), StringIO()
    sink = PlainSink(info, stream, every=every, now=now)
    for at, event in events:
        now.time = 100.0 + at
        sink.event(event)
    sink.close()
    return stream.getvalue().splitlines()


def test_a_run_in_plain_lines() -> None:
    lines = told(
        [
            (0.0, Event("run-start", 0, 0, 0, {})),
            (1.0, episode(500, 1, 20.0, "heat-up", 1.0)),
            (4.9, report(6_000)),
            (5.0, report(6_500)),
            (6.0, episode(8_000, 2, 30.0)),
            (7.0, Event("evaluation", 10_000, 9, 9_000, SCORE)),
            (10.0, report(12_000)),
            (40.0, Event("evaluation", 45_000, 99, 9_000, {**SCORE, "episodes": 1, "best": False})),
            (65.4, Event("run-end", 50_000, 312, 49_000, {"reason": "finished", "best": 480.25})),
        ]
    )
    assert lines == [
        "cartpole-dqn: dqn on gymnasium, seed 1, 50,000 steps",
        "heat-up 6,500/50,000  return 20.0  explore 0.45  loss 0.0123  1,224/s  eta 0:36",
        "evaluate 10,000  mean 480.2  std 12.3  min 450.0  max 500.0  10 episodes  best",
        "train 12,000/50,000  return 25.0  explore 0.45  loss 0.0123  1,200/s  eta 0:32",
        "evaluate 45,000  mean 480.2  std 12.3  min 450.0  max 500.0  1 episode",
        "finished  50,000 steps  312 episodes  49,000 updates  1:05  best 480.2",
    ]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(("share", "text"), [(0.8, "80 %"), (2 / 3, "66.7 %"), (0.995, "99.5 %"), (1.0, "100 %")])
def test_success_where_the_environment_says_what_it_is(share: float, text: str) -> None:
    event = Event("evaluation", 10_000, 9, 9_000, {**SCORE, "success": share})
    assert told([(7.0, event)])[1:] == [f"evaluate 10,000  mean 480.2  min 450.0  max 500.0  success {text}  best"]
    whole = f"evaluate 10,000  mean 480.2  std 12.3  min 450.0  max 500.0  success {text}  10 episodes  best"
    assert evaluation(event, 100) == whole


def simulator(step: int, **data: Any) -> Event:
    return Event("simulator", step, 9, step, data)


def test_restarts_of_simulators() -> None:
    lines = told(
        [
            (1.0, simulator(1_200, env=3, cause="it died of signal 9", lost=False)),
            (1.0, simulator(1_200, env=3, cause="ValueError: a\n\x1b[31mb  " + "c" * 60, lost=True)),
            (2.0, simulator(2_400)),
            (65.4, Event("run-end", 50_000, 312, 49_000, {"reason": "finished", "best": 480.25})),
        ]
    )[1:]
    assert lines == [
        "restart 1,200  simulator 3  it died of signal 9",
        "restart 1,200  simulator 3  episode lost  ValueError: a [31mb " + "c" * 15 + "...",
        "restart 2,400",
        "finished  50,000 steps  312 episodes  1:05  3 restarts  best 480.2",
    ]
    assert max(map(len, lines)) <= 80


def test_a_single_restart_is_counted_as_one() -> None:
    end = Event("run-end", 50, 3, 4, {"reason": "finished", "best": None})
    assert told([(0.0, simulator(10, env=0)), (9.0, end)])[-1] == (
        "finished  50 steps  3 episodes  4 updates  0:09  1 restart"
    )


def test_returns_are_the_mean_of_the_last_twenty() -> None:
    events = [(0.0, episode(n, n, 1_000.0)) for n in range(5)] + [(0.0, episode(n, n, 2.0)) for n in range(5, 24)]
    (_, line) = told([*events, (6.0, episode(600, 25, 42.0))])
    assert line == "train 600/50,000  return 4.0  explore 0.45  100/s  eta 8:14"


def test_a_resumed_run_says_where_it_goes_on() -> None:
    info = RunInfo(preset="p", seed=3, environment="e", agent="a", total=90, unit="episodes", resumed_at=1_200)
    lines = told([(0.0, episode(1_300, 40, 1.0)), (10.0, episode(2_300, 50, 1.0))], info)
    assert lines == [
        "p: a on e, seed 3, 90 episodes, resumed at step 1,200",
        "train 50/90  return 1.0  explore 0.45  100/s  eta 0:40",
    ]


def test_long_lines_lose_what_matters_least() -> None:
    info = RunInfo(preset="p", seed=3, environment="e", agent="a", total=200_000_000)
    events = [(0.0, episode(10, 1, 12_345.6)), (9.0, report(100_000_000, 1.5e-7))]
    line = told(events, info)[-1]
    assert line == "train 100,000,000/200,000,000  return 12345.6  11,111,111/s  eta 0:09"
    assert fitted({"done": "x" * 90, "loss": "loss 1"}, 80) == "x" * 90


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1.0, "0:00"), (7.4, "0:07"), (754.0, "12:34"), (3_723.0, "1:02:03"), (360_000.0, "100:00:00")],
)
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text


class Gone(StringIO):
    def write(self, text: str, /) -> int:
        raise BrokenPipeError(text)


@pytest.mark.parametrize("stream", [None, Gone()])
def test_nobody_reads(stream: Any) -> None:
    sink = PlainSink(INFO, stream, every=0.0)
    sink.event(report(10))
    sink.close()


def test_plain_where_standard_error_is_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sink = Terminal().open(tmp_path, INFO)
    assert isinstance(sink, PlainSink)
    assert sink.mark() is None
    caught = capsys.readouterr()
    assert (caught.out, caught.err) == ("", "cartpole-dqn: dqn on gymnasium, seed 1, 50,000 steps\n")
    assert list(tmp_path.iterdir()) == []


def test_plain_lines_do_not_import_rich() -> None:
    code = (
        "import sys; from pathlib import Path; from coach_records.terminal import Terminal;"
        "from coachcore.api import RunInfo;"
        "Terminal().open(Path('.'), RunInfo(preset='p', seed=0, environment='e', agent='a', total=1)).close();"
        "print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "p: a on e, seed 0, 1 steps\n")


@pytest.fixture
def screen() -> tuple[Any, StringIO]:
    from rich.console import Console

    written = StringIO()
    return Console(file=written, force_terminal=True, width=80, color_system="standard", legacy_windows=False), written


def live(console: Any) -> None:
    now = Clock()
    sink = LiveSink(INFO, console, now=now)
    for at, event in [
        (1.0, episode(500, 1, 20.0, "heat-up", 1.0)),
        (1.05, episode(510, 2, 20.0)),
        (5.0, report(6_500)),
        (6.0, simulator(8_000, env=1, cause="it died of signal 9", lost=False)),
        (7.0, Event("evaluation", 10_000, 9, 9_000, SCORE)),
        (65.4, Event("run-end", 50_000, 312, 49_000, {"reason": "finished", "best": 480.25})),
    ]:
        now.time = 100.0 + at
        sink.event(event)
    assert sink.mark() is None
    sink.close()
    sink.close()


def test_live_line(screen: tuple[Any, StringIO]) -> None:
    from rich.text import Text

    console, written = screen
    live(console)
    text = Text.from_ansi(written.getvalue().replace("\r", "\n")).plain
    assert "heat-up ━━━━━━━━━━ 500/50,000  return 20.0  explore 1.00  500/s  eta 1:39" in text
    assert "510/50,000" not in text  # too soon after the line before
    assert "train ━╺━━━━━━━━ 6,500/50,000  return 20.0  explore 0.45  1,300/s  eta 0:33" in text
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    assert lines[0] == "cartpole-dqn: dqn on gymnasium, seed 1, 50,000 steps"
    assert "evaluate 10,000  mean 480.2  std 12.3  min 450.0  max 500.0  10 episodes  best" in lines
    assert "restart 8,000  simulator 1  it died of signal 9" in lines
    assert lines[-1].lstrip() == "finished  50,000 steps  312 episodes  1:05  1 restart  best 480.2"
    assert "\x1b[32mevaluate" in written.getvalue()
    assert "\x1b[32m6,500" not in written.getvalue()  # the colour of a printed line stays on it
    assert max(map(len, lines)) <= 80
    shown, hidden = "\x1b[?25h", "\x1b[?25l"
    assert written.getvalue().rindex(shown) > written.getvalue().rindex(hidden)  # the cursor is given back


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    monkeypatch.setenv("NO_COLOR", "1")
    written = StringIO()
    live(Console(file=written, force_terminal=True, width=80))
    for colour in ("\x1b[32m", "\x1b[36m", "\x1b[3"):
        assert colour not in written.getvalue()


def test_live_on_a_terminal_plain_on_a_dumb_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Tty(StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Tty())
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(Terminal().open(tmp_path, INFO), PlainSink)
    monkeypatch.setenv("TERM", "xterm")
    sink = Terminal().open(tmp_path, INFO)
    sink.close()
    assert isinstance(sink, LiveSink)
    assert isinstance(Terminal(style="plain").open(tmp_path, INFO), PlainSink)
