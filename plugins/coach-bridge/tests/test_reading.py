"""Reading a preset's source: what is followed, and that nothing of it is run."""

from __future__ import annotations

import pytest

from coach_bridge.reading import read
from coach_bridge.things import Remarks, Span, Thing, Unreadable, Word
from coachcore.api import BadData


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 / 200.", 0.005),
        ("-2 ** 3", -8),
        ("int(1e6)", 1_000_000),
        ("32000 // 4", 8000),
        ("math.sqrt(4)", 2.0),
        ("np.inf", float("inf")),
        ("np.array([1, 2])", [1, 2]),
        ("OrderedDict([('a', 1)])", {"a": 1}),
        ("[1] + [2]", [1, 2]),
        ("EmbedderScheme.Medium", Word("EmbedderScheme.Medium")),
        ("None", None),
        ("9 ** 9 ** 9", Unreadable("9 ** 9 ** 9")),
        ("1 / 0", Unreadable("1 / 0")),
        ("[x for x in y]", Unreadable("[x for x in y]")),
    ],
)
def test_an_expression(text, value):
    assert read(f"found = {text}", "x.py", Remarks())["found"] == value


def test_fields_and_items_are_made_where_they_are_first_named():
    names = read("a = A(1, b=2)\na.c['d'].e = 3\na.c['d'].e += 4\na.f, g = 5, 6", "x.py", Remarks())
    thing = names["a"]
    assert (thing.name, thing.take("nothing", 0), thing.take("b")) == ("A", 1, 2)
    assert thing.inner("c").inner("d").take("e") == 7
    assert (thing.take("f"), names["g"]) == (5, 6)
    assert thing.inner("c").inner("d").where("e") == 3


def test_nothing_is_run(tmp_path):
    made = tmp_path / "made"
    read(f"import nothing_there\nopen({str(made)!r}, 'w').write('x')\nexec('1/0')\n1/0", "x.py", Remarks())
    assert not made.exists()


@pytest.mark.parametrize("text", ["def (:", "a = 'b", "\x00", "(" * 5000])
def test_what_is_not_python_is_one_line(text):
    with pytest.raises(
        BadData, match=r"^x\.py(:\d+)? - this is not Python|^x\.py(:\d+)?: this is not Python"
    ) as raised:
        read(text, "x.py", Remarks())
    assert "\n" not in str(raised.value)


def test_counts_of_steps():
    counts = read("a = EnvironmentSteps(40000 / 128)\nb = TrainingSteps(num_steps=3)\nc = Frames(2)", "x.py", Remarks())
    assert Span.of(counts["a"]) == Span(313, "steps")
    assert Span.of(counts["b"]) == Span(3, "training")
    assert Span.of(counts["c"]) is None
    assert isinstance(counts["c"], Thing)
