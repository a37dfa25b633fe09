"""Preferring and blocking: where it is written, what it means, and what is wrong with it."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from coachcore.errors import BrokenPlugin, CoachError, UnknownName
from coachcore.registry import registry as registry_module
from coachcore.registry.choice import Choice, Word, configured, place, word
from coachcore.registry.discover import discover
from coachcore.registry.registry import Registry

Make = Callable[..., Path]


def choice(prefer: tuple[str, ...] = (), block: tuple[str, ...] = ()) -> Choice:
    return Choice(tuple(Word(text, "mine:1:1") for text in prefer), tuple(Word(text, "mine:2:1") for text in block))


@pytest.fixture
def three(make: Make, tmp_path: Path) -> Callable[..., Registry]:
    """Three distributions, each with a filter `plus`; one of them has a `minus` too."""
    for dist in ("acme", "Other_Filters", "zorn"):
        package = dist.replace("-", "_")
        make(dist, points={"plus": f"{package}:Plus"} | ({"minus": "zorn:Minus"} if dist == "zorn" else {}))
    return lambda *given: Registry([str(tmp_path)], choice(*given))


@pytest.mark.parametrize(
    ("prefer", "block", "meant"),
    [
        (("zorn/filter:plus",), (), "zorn"),
        (("zorn",), (), "zorn"),
        (("other-filters",), (), "Other_Filters"),
        (("gone", "gone/filter:plus", "acme", "zorn"), (), "acme"),
        (("zorn/filter:minus", "acme"), (), "acme"),
        ((), ("zorn", "acme/filter:plus"), "Other_Filters"),
        (("zorn",), ("zorn", "acme"), "Other_Filters"),
    ],
)
def test_what_a_short_name_means(
    three: Callable[..., Registry], prefer: tuple[str, ...], block: tuple[str, ...], meant: str
) -> None:
    registry = three(prefer, block)
    entry = registry.resolve("filter", "plus")
    assert (entry.dist, entry.state) == (meant, "ok")
    assert {other.state for other in registry.entries() if other.spec.name == "plus"} <= {"ok", "disabled"}
    assert registry.unmistakable(entry) == entry.id
    assert registry.resolve("filter", f"{meant}/filter:plus") == entry


def test_without_a_word_nobody_wins_and_every_way_out_is_named(three: Callable[..., Registry]) -> None:
    ids = "'Other_Filters/filter:plus' or 'acme/filter:plus' or 'zorn/filter:plus'"
    with pytest.raises(UnknownName) as caught:
        three().resolve("filter", "plus")
    assert str(caught.value) == f"filter 'plus' is offered 3 times - write {ids}, or prefer or block one"
    with pytest.raises(UnknownName, match="is offered twice - write 'Other_Filters/filter:plus' or 'zorn/filter:plus'"):
        three((), ("acme",)).resolve("filter", "plus")


def test_what_is_blocked_says_where(three: Callable[..., Registry]) -> None:
    registry = three((), ("zorn/filter:minus",))
    assert registry.resolve("filter", "minus").state == "disabled"
    with pytest.raises(BrokenPlugin) as caught:
        registry.load("filter", "minus")
    assert str(caught.value) == "zorn/filter:minus: cannot be used: blocked by mine:2:1"
    with pytest.raises(BrokenPlugin, match="cannot be used: blocked by mine:2:1"):
        three((), ("zorn", "acme", "Other-Filters")).load("filter", "plus")


def test_the_name_of_one_part_alone_needs_no_id(three: Callable[..., Registry]) -> None:
    registry = three()
    assert registry.unmistakable(registry.resolve("filter", "minus")) == "minus"


def test_presets_hooks_and_troubles_of_a_blocked_distribution_are_left_out(make: Make, tmp_path: Path) -> None:
    manifest = '{"manifest": 1, "api": "1.0", "dist": "acme", "presets": "presets", "hooks": true}'
    code = "raise SystemExit(3)"
    package = make("acme", points="[coach.plugins]\nacme = acme\n[coach.odd]\nx = acme:X\n", code=code)
    (package / "coach_plugin.json").write_text(manifest)
    (package / "presets").mkdir()
    (package / "presets" / "pole.toml").write_text("coach = 1\n")
    sound, blocked = Registry([str(tmp_path)]), Registry([str(tmp_path)], choice((), ("acme",)))
    for registry in (sound, blocked):
        registry.hooks()
    assert (list(sound.presets()), len(sound.troubles())) == (["pole"], 2)
    assert (list(blocked.presets()), blocked.troubles()) == ([], ())


def test_the_answer_does_not_depend_on_the_order_of_anything(
    three: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(4)
    answers = set()
    for number in range(100):

        def shuffled(paths: Any) -> Any:
            dists = [
                dist._replace(points=tuple(draw.sample(dist.points, len(dist.points)))) for dist in discover(paths)
            ]
            return draw.sample(dists, len(dists))

        monkeypatch.setattr(registry_module, "discover", shuffled)
        registry = three(("zorn",), ("acme",)) if number % 2 else three()
        told = [(entry.id, entry.state, entry.problem) for entry in registry.entries()]
        answers.add((number % 2, tuple(told), registry.resolve("filter", "minus").id))
    assert len(answers) == 2


def test_the_command_line_comes_before_the_configuration(three: Callable[..., Registry]) -> None:
    registry = three(("zorn",))
    assert registry.resolve("filter", "plus").dist == "zorn"
    registry.choose("prefer", ["acme"])
    assert registry.resolve("filter", "plus").dist == "acme"
    registry.choose("block", ["acme/filter:plus"])
    assert registry.resolve("filter", "plus").dist == "zorn"
    assert registry.resolve("filter", "acme/filter:plus").problem == "blocked by --block"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "acmee",
            "--block: nothing installed is called 'acmee' - did you mean 'acme'? known: Other",
        ),
        (
            "acme/filter:pluss",
            "--block: nothing installed is called 'acme/filter:pluss' - did you mean 'acme/filter:",
        ),
        ("acme:plus", "--block: expected a distribution or a full id, as 'acme-coach' or 'acme-coach/filter:sign'"),
        ("acme/filtre:plus", "--block: there is no kind of part called 'filtre' - did you mean 'filter'?"),
    ],
)
def test_a_word_of_the_command_line_must_mean_something(three: Callable[..., Registry], text: str, said: str) -> None:
    registry = three()
    with pytest.raises(CoachError) as caught:
        registry.choose("block", [text])
    assert str(caught.value).startswith(said)
    assert registry.choice == Choice()


def test_where_the_configuration_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("COACH_CONFIG", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    ours = Path("coach", "config.toml")
    monkeypatch.setattr(sys, "platform", "linux")
    assert place() == tmp_path / ".config" / ours
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert place() == tmp_path / ".config" / ours
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert place() == tmp_path / "xdg" / ours
    monkeypatch.setattr(sys, "platform", "darwin")
    assert place() == tmp_path / "Library" / "Application Support" / ours
    monkeypatch.setattr(sys, "platform", "win32")
    assert place() == tmp_path / "AppData" / "Roaming" / ours
    monkeypatch.setenv("APPDATA", str(tmp_path / "roaming"))
    assert place() == tmp_path / "roaming" / ours
    monkeypatch.setenv("COACH_CONFIG", "mine.toml")
    assert place() == Path("mine.toml")
    monkeypatch.setenv("COACH_CONFIG", "")
    assert place() is None
    assert configured() == Choice()


def test_no_configuration_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("COACH_CONFIG", raising=False)
    for name in ("XDG_CONFIG_HOME", "APPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    assert configured() == Choice()


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    monkeypatch.setenv("COACH_CONFIG", str(path))
    return path


def test_each_word_remembers_its_place(file: Path) -> None:
    file.write_text(
        '# prefer, block\n[plugins]\nblock = ["acme"]  # or not\nprefer = [\n  \'acme\',\n  "a/filter:b",\n]\n'
    )
    assert configured() == Choice(
        (Word("acme", f"{file}:5:3"), Word("a/filter:b", f"{file}:6:3")), (Word("acme", f"{file}:3:10"),)
    )
    file.write_text('plugins.block = ["acme"]\n')
    assert configured().blocked("Acme", "filter:x") == f"{file}:1:18"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[plugins]\nprefer = 3\n", ":2:1: prefer must be a list of texts, got 3"),
        ("[plugins]\nprefer = [\n 3]\n", ":2:1: expected a distribution or a full id, as 'acme-coach' or"),
        ('[plugins]\nprefer = ["a b"]\n', ":2:11: expected a distribution or a full id, as 'acme-coach' or"),
        ('[plugins]\nblock = ["a", "a/b:c"]\n', ":2:15: there is no kind of part called 'b' - known: agent, "),
        ("[plugins]\npefer = []\n", ":2:1: [plugins] has no setting 'pefer' - did you mean 'prefer'?"),
        ("\n[plugin]\n", ":2:2: the configuration has no setting 'plugin' - did you mean 'plugins'?"),
        ("plugins = 3\n", ":1:1: plugins must be a table, got 3"),
        ("[plugins]\nprefer = [ ]]\n", ":2:13: is not TOML: Expected newline or end of document after a statement"),
        ("[plugins]\nprefer = [", ": is not TOML: "),
    ],
)
def test_what_is_wrong_is_said_in_a_line_with_its_place(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(CoachError) as caught:
        configured()
    assert str(caught.value).startswith(f"{file}{said}")
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(file: Path) -> None:
    with pytest.raises(CoachError, match="cannot be read: No such file"):
        configured()
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(CoachError, match="is not TOML: 'utf-8' codec"):
        configured()


def test_a_word_knows_whom_it_means() -> None:
    meant = word("Acme.Coach/head:q", "here")
    assert [meant.means("acme-coach", part) for part in ("head:q", "head:other", "")] == [True, False, False]
    assert word("Acme.Coach", "here").means("acme_coach", "head:q")


def test_meaning_is_open_only_where_several_are_left() -> None:
    assert Choice().meant([]) == (None, "")


def test_every_order_of_preference_is_an_answer(three: Callable[..., Registry]) -> None:
    for order in permutations(("acme", "Other_Filters", "zorn")):
        assert three(order).resolve("filter", "plus").dist == order[0]
