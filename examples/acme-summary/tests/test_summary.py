"""Markdown by hand, and by the laws of recorders."""

from __future__ import annotations

from acme_summary import Markdown
from coachcore.testing.recorder import EVENTS, INFO, RecorderConformance


class TestLaws(RecorderConformance):
    def make(self):
        return Markdown()

    def read(self, folder):
        return (folder / "summary.md").read_text()


def test_a_page_by_hand(tmp_path):
    page = Markdown(file="it.md").open(tmp_path, INFO)
    for event in EVENTS:
        page.event(event)
    page.close()
    assert (tmp_path / "it.md").read_text().splitlines() == [
        "# toy, seed 1",
        "",
        "Agent `toy` in `toy`: finished after 40 steps.",
        "Episodes: 1 of heat-up, 2 of training; the best return was 9.5.",
        "",
        "| step | mean return | deviation | |",
        "|---:|---:|---:|---|",
        "| 30 | 12.0 | 1.5 | best so far |",
    ]


def test_a_page_without_events(tmp_path):
    Markdown().open(tmp_path, INFO).close()
    assert "not over yet" in (tmp_path / "summary.md").read_text()
