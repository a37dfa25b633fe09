"""Broken plugins beside the real ones: whoever does not use them does not notice, whoever does is told in one line."""

from __future__ import annotations

import pytest

from coachcore.testing.made_up import FILTER, made_up

SOUND = """
    def space(self, before):
        return before

    def init(self, before, count):
        return None

    def __call__(self, state, values, rows):
        return state, values
"""
BROKEN = {
    "raises": ("raise RuntimeError('boom\\nand more')", "RuntimeError: boom"),
    "exits": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "dies": ("import os\nos._exit(3)", "ends the process with code 3 when imported"),
    "hangs": ("import time\nwhile True:\n    time.sleep(1)", "hangs: not imported within 2 s"),
    "garbled": ("def (", "SyntaxError"),
}
"""What each does when imported, and what is said about it."""

IMPATIENT = """
from coachcore.registry import probe
probe.describe.__kwdefaults__["limit"] = 2.0
"""
FEW = ('schedule.train="300 steps"',)


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A folder of distributions, to be put on the path."""
    folder = tmp_path_factory.mktemp("plugins")
    for name, (code, _) in BROKEN.items():
        made_up(folder, f"acme-{name}", points={name: f"acme_{name}:Part"}, code=code)
    made_up(folder, "acme-prints", points={"prints": "acme_prints:Part"},
            code="print('BUY NOW')\n" + FILTER.format(name="prints", alias="Prints", cls="Part") + SOUND)  # fmt: skip
    for name in ("acme-one", "acme-other"):
        package = name.replace("-", "_")
        code = FILTER.format(name="twin", alias=f"Twin{package}", cls="Part") + SOUND
        made_up(folder, name, points={"twin": f"{package}:Part"}, code=code)
    return folder


def using(name):
    return "--set", f'filters.reward=[{{use="{name}"}}]'


def test_listing_says_what_is_wrong_and_nothing_else_suffers(runs, shop):
    listed = runs.child("list-plugins", "--kind", "filter", path=[shop]).fine()
    for name in (*BROKEN, "prints", "twin", "normalization", "rescale"):
        assert f" {name} " in listed
    assert "BUY NOW" not in listed
    assert listed.count("[clash]") == 2


def test_the_broken_are_listed(runs, shop):
    broken = " ".join(runs.child("list-plugins", "--broken", path=[shop]).fine().split())
    assert "acme-one/filter:twin [clash] the name is also acme-other/filter:twin - use the full id" in broken


def test_a_preset_that_uses_none_of_them_runs(runs, shop):
    assert runs.child("check", "cartpole-dqn", path=[shop]).fine().startswith("cartpole-dqn: no errors")
    said = runs.child(*runs.arguments(runs.folder / "run", *FEW), path=[shop])
    assert "finished after 300 steps" in said.fine()


@pytest.mark.parametrize("name", BROKEN)
def test_a_preset_that_uses_a_broken_plugin(runs, shop, name):
    out = runs.folder / "run"
    said = runs.child(*runs.arguments(out, *FEW), *using(name), path=[shop], prelude=IMPATIENT)
    said.refusal(f'--set filters.reward=[{{use="{name}"}}] (column 22)', BROKEN[name][1])
    assert not out.exists()


def test_a_name_offered_twice(runs, shop):
    said = runs.child(*runs.arguments(runs.folder / "run", *FEW), *using("twin"), path=[shop])
    said.refusal("filter 'twin' is offered twice", "'acme-one/filter:twin' or 'acme-other/filter:twin'")


def test_what_is_sound_can_be_used(runs, shop):
    both = 'filters.reward=[{use="acme-other/filter:twin"}, {use="prints"}]'
    said = runs.child(*runs.arguments(runs.folder / "run", *FEW, both), path=[shop])
    out = said.fine()
    assert "finished after 300 steps" in out
    assert "BUY NOW" not in out


def test_a_part_that_is_only_half_there(runs, shop, tmp_path):
    """A filter without its methods passes the checker; what then goes wrong names the distribution's file or part."""
    made_up(tmp_path / "half", "acme-half", points={"half": "acme_half:Part"},
            code=FILTER.format(name="half", alias="Half", cls="Part"))  # fmt: skip
    said = runs.child(*runs.arguments(runs.folder / "run", *FEW), *using("half"), path=[tmp_path / "half"])
    said.refusal("'Part' object has no attribute 'space'")
    assert not (runs.folder / "run").exists()


def test_a_plugin_that_raises_while_training(runs, tmp_path):
    failing = SOUND.replace("return state, values", "raise ZeroDivisionError('halfway\\nthere')")
    made_up(tmp_path / "late", "acme-late", points={"late": "acme_late:Part"},
            code=FILTER.format(name="late", alias="Late", cls="Part") + failing)  # fmt: skip
    said = runs.child(*runs.arguments(runs.folder / "run", *FEW), *using("late"), path=[tmp_path / "late"])
    said.refusal("acme_late", "ZeroDivisionError: halfway there")


def test_the_doctor_names_each(runs, shop):
    said = runs.child("doctor", "--limit", "2", path=[shop])
    told = " ".join(said.out.split())
    assert (said.code, said.err) == (1, "")
    for name, (_, words) in BROKEN.items():
        assert f"BROKEN acme-{name} 1.0 {name}: {words}" in told
    assert "ok acme-prints 1.0 remark: prints: prints when imported: 'BUY NOW'" in told
    assert "BROKEN acme-one 1.0 twin: the name is also acme-other/filter:twin" in told
    # The real plugins are tried too: TensorFlow may take more than two seconds on a busy machine, so nothing is said
    # here about coach-tensorflow.
    assert "ok coach-filters" in told
