"""Each problem is found and said in one line."""

from __future__ import annotations

import pytest

from coach_author.validation import problems


@pytest.fixture
def change(write):
    """A distribution of a kind with text replaced in one of its files."""

    def changed(file, *replacements, kind="filter"):
        folder = write(kind)
        path = folder / file
        text = path.read_text()
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text)
        return problems(folder)

    return changed


SOURCE, PROJECT = "src/acme_filter/acme_filter.py", "pyproject.toml"
MANIFEST = "src/acme_filter/coach_plugin.json"
WHO = "acme-filter: "


def test_what_is_written_anew_is_sound(write):
    assert problems(write("schedule")) == ()


def test_a_manifest_that_is_not_what_the_classes_say(change):
    wanted = (WHO + "coach_plugin.json is not what the classes say - run `coach plugin sync`",)
    assert change(MANIFEST, ('"default": 0.5', '"default": 0.25')) == wanted


def test_a_manifest_that_cannot_be_read(change):
    (line,) = change(MANIFEST, ('"manifest": 1', '"manifest" 1'))
    assert line.startswith(WHO + "coach_plugin.json: is not JSON")


def test_a_manifest_that_is_missing(write):
    folder = write("filter")
    (folder / MANIFEST).unlink()
    assert problems(folder) == (WHO + "coach_plugin.json is missing - run `coach plugin sync`",)


def test_an_entry_point_that_leads_nowhere(change):
    (line,) = change(PROJECT, (":AcmeFilter", ":Gone"))
    assert line.startswith(WHO + "coach.filters: acme-filter - ")
    assert "Gone" in line


def test_an_entry_point_under_another_name(change):
    (line,) = change(PROJECT, ("acme-filter = ", "other = "))
    assert "calls itself filter 'acme-filter', its entry point says filter 'other'" in line


def test_code_that_does_not_import(change):
    (line,) = change(SOURCE, ("import attrs\n", "import attrs\nimport gone_for_good\n"))
    assert "gone_for_good" in line


def test_a_setting_without_documentation(change):
    doc = "exponent of the reward's size; 1 leaves rewards as they are"
    lines = change(SOURCE, (doc, ""))
    assert lines[0] == WHO + "filter 'acme-filter' - setting 'power' is not documented: use param(doc=...)"


def test_a_class_without_documentation(change):
    lines = change(SOURCE, ('"""Rewards by', '_ = """Rewards by'))
    assert lines[0].startswith(WHO + "filter 'acme-filter' - its class has no docstring")


def test_settings_that_can_be_changed(change):
    lines = change(SOURCE, ("attrs.frozen(kw_only=True)", "attrs.define(kw_only=True)"))
    assert lines == (
        WHO + "acme_filter.acme_filter:AcmeFilter - its settings can be changed: use @attrs.frozen(kw_only=True)",
    )


def test_importing_that_prints_and_changes_the_environment(change):
    text = "import attrs\nimport os\nprint('hello')\nos.environ['ACME'] = '1'\n"
    lines = change(SOURCE, ("import attrs\n", text))
    assert lines == (
        WHO + "coach.filters: acme-filter - importing it prints; a part is silent until it is used",
        WHO + "coach.filters: acme-filter - importing it changes environment variables: ACME",
    )


def test_an_alias_that_is_also_a_name(change):
    lines = change(SOURCE, ('"acme-filter", acts_on', '"acme-filter", aliases=("acme-filter",), acts_on'))
    assert (
        WHO + "filter 'acme-filter' - the name is also that of another part of acme-filter; choose another one" in lines
    )


def test_a_name_that_another_distribution_has(change, tmp_path, monkeypatch):
    from coachcore.testing.made_up import FILTER, made_up

    other = tmp_path / "installed"
    made_up(other, "rival", points={"acme-filter": "rival:Plus"}, code=FILTER.format(name="x", alias="y", cls="Plus"))
    monkeypatch.syspath_prepend(other)
    wanted = WHO + "filter 'acme-filter' - the name is also that of rival; choose another one"
    assert change(SOURCE, ("sign(r)", "sign(r) "))[0] == wanted


def test_a_folder_without_a_distribution(tmp_path):
    (line,) = problems(tmp_path)
    assert line.endswith("cannot be read: No such file or directory - give the folder of a distribution")


def test_a_distribution_that_offers_nothing(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "bare"\n')
    assert problems(tmp_path) == (
        "bare: has no entry point in a coach.* group - see `coach plugin new` for an example",
    )


def test_a_hook_module_without_hooks(change):
    (line,) = change(
        PROJECT, ("[tool.pytest", '[project.entry-points."coach.plugins"]\nhooks = "acme_filter"\n\n[tool.pytest')
    )
    assert line == WHO + "coach.plugins: hooks - acme_filter has no function marked hookimpl"
