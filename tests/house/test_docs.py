"""What the documentation says is so: links lead somewhere, nothing is left out, commands and examples work."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import click
import pytest

from coachcore import api, load_preset
from coachcore.cli.main import coach
from coachcore.errors import CoachError
from coachcore.presets.places import TOP
from coachcore.presets.problems import PresetProblems
from coachcore.registry import hookspecs, manifest
from coachcore.registry.registry import Registry
from coachcore.settings import SECTIONS
from coachcore.specs import KINDS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PROSE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
PROSE += sorted(ROOT.glob("plugins/*/README.md"))
PAGES = [*PROSE, *sorted(REFERENCE.rglob("*.md"))]
TUTORIAL = DOCS / "tutorial.md"  # its files are written and used by a test of its own
RUN = "python -m pip install uv && uv run --all-packages coach run cartpole-dqn"
TEST = "python -m pip install uv && uvx --with tox-uv tox"
BASE = {
    "coach": 1,
    "environment": {"use": "gymnasium", "id": "CartPole-v1"},
    "agent": {"use": "dqn"},
    "exploration": {"use": "e-greedy"},
    "memory": {"use": "experience-replay"},
}


def named(path):
    return str(path.relative_to(ROOT))


@cache
def text_of(path):
    return path.read_text(encoding="utf-8")


def blocks(path, language):
    """The fenced blocks of a page, with the line they begin at."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text_of(path), re.MULTILINE | re.DOTALL)
    return [(text_of(path).count("\n", 0, block.start()) + 2, block[1]) for block in found]


def unfenced(path):
    return re.sub(r"^```.*?^```$", "", text_of(path), flags=re.MULTILINE | re.DOTALL)


def cases(language):
    pages = [path for path in PROSE if path != TUTORIAL]
    return [pytest.param(block, id=f"{named(path)}:{line}") for path in pages for line, block in blocks(path, language)]


def anchors(path):
    """What a heading is called in a link: lower case, words joined by hyphens, other signs left out."""
    headings = re.findall(r"^#+ (.*)$", unfenced(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@cache
def components():
    return [
        spec
        for path in sorted(ROOT.glob(f"plugins/*/src/*/{manifest.FILE}"))
        for spec in manifest.read(path).components.values()
    ]


@cache
def with_plugins():
    return bool(Registry().entries())


needs_plugins = pytest.mark.skipif(not with_plugins(), reason="no plugin is installed to check the example against")


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_every_relative_link_leads_somewhere(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", unfenced(path)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = unquote(target).partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), f"{named(path)}: there is no {target}"
        assert not anchor or anchor in anchors(there), f"{named(path)}: {named(there)} has no heading for #{anchor}"


def test_the_reference_is_in_step():
    """`python docs/build.py` would change nothing."""
    # In a process of its own: click remembers the help options of a command that another test has shown.
    done = subprocess.run(
        [sys.executable, str(DOCS / "build.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_every_hook_has_its_place():
    hooks = [name for name in vars(hookspecs) if name.startswith("coach_")]
    assert len(hooks) <= 24
    headings = anchors(REFERENCE / "hooks.md")
    assert [hook for hook in hooks if hook not in headings] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_has_its_page(kind):
    index = text_of(REFERENCE / f"{kind}.md")
    for spec in components():
        if spec.kind == kind:
            page = text_of(REFERENCE / kind / f"{spec.name}.md")
            assert all(f"| `{param.name}` |" in page for param in spec.params)
            assert all(f"`{alias}`" in page for alias in spec.aliases)
            assert f"({kind}/{spec.name}.md)" in index
    assert KINDS[kind] in index
    assert hookspecs.DESCRIBE[kind] in index
    assert "\n## The contract\n" in index
    assert len(laws(kind)) >= 3
    assert laws(kind)[0].startswith(("settings never change: ", "settings: "))


def laws(kind):
    """What the page of a kind says that a part is held to."""
    section = text_of(REFERENCE / f"{kind}.md").partition("\n## What a part is held to\n")[2].partition("\n## ")[0]
    return re.findall(r"^- (.*)$", section, re.MULTILINE)


def test_laws_are_those_of_the_kind():
    """Suites share names of laws; each page tells its own."""
    assert "It is a filter, and its settings are frozen." in laws("filter")[0]
    assert "It is a schedule" in laws("schedule")[0]
    assert "transport" not in " ".join(laws("agent"))


def test_heads_and_agents_lead_to_each_other():
    """Both pages of a fitting pair name the other; an agent's page names what its slots need."""
    heads = [spec for spec in components() if spec.kind == "head"]
    for agent in (spec for spec in components() if spec.kind == "agent"):
        page, asked = text_of(REFERENCE / "agent" / f"{agent.name}.md"), repr(agent.facts.get("slots", {}))
        for head in (head for head in heads if f"'{head.facts['provides']}'" in asked):
            assert f"(../head/{head.name}.md)" in page
            assert f"(../agent/{agent.name}.md)" in text_of(REFERENCE / "head" / f"{head.name}.md")


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_code_marks_close_and_nothing_is_taken_for_html(path):
    plain = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", unfenced(path), flags=re.DOTALL)
    assert "`" not in plain
    assert re.findall(r"<[A-Za-z/.][^>\n]*>", plain) == []


def test_papers_are_linked():
    for path in sorted(REFERENCE.rglob("*.md")):
        page = unfenced(path)
        assert re.findall(r"(?<!\[)arXiv:\d{4}\.\d{4,5}", page) == [], named(path)


def test_every_error_has_its_place():
    from coachcore import errors

    page = text_of(REFERENCE / "errors.md")
    family = [name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, CoachError)]
    assert len(family) >= 8
    assert [name for name in family if f"\n## `{name}`\n" not in page] == []
    assert "| `it already holds a run` | `continue it with --resume, or give --out another folder` |" in page


LITERAL = 12  # letters of a message that are written where it is raised


def known_messages():
    """Patterns of what is said anywhere: the pages of errors and of parts, and the checker's lines."""
    for path in [REFERENCE / "errors.md", *REFERENCE.glob("*/*.md")]:
        for row in re.findall(r"^\| (`.*) \|$", text_of(path), re.MULTILINE):
            what, helps = ([cell.strip().strip("`").strip() for cell in row.split(" | ")] + [""])[:2]
            whole = path.parent == REFERENCE and helps
            if len(re.sub(r"<[^<> ]*>", "", what)) < LITERAL:
                continue  # nearly all of it is worked out elsewhere: anything would match
            yield from (pattern_of(said) for said in ((f"{what} - {helps}", f"{what}; {helps}") if whole else (what,)))
    for file in (ROOT / "tests" / "presets" / "gallery").glob("*.txt"):
        yield from (re.escape(line.split(": ", 1)[-1]) for line in text_of(file).splitlines())


def pattern_of(said):
    """What is in angle brackets is some value, and `...` is any text."""
    return ".*".join(map(re.escape, re.split(r"<[^<> ]*>|\.\.\.", said)))


def test_the_common_errors_are_said_like_this():
    known = [re.compile(pattern) for pattern in known_messages()]
    rows = re.findall(r"^\| (`+)(.*?)\1 \| .* \| .* \|$", text_of(DOCS / "errors.md"), re.MULTILINE)
    assert len(rows) >= 25
    assert [said for _, said in rows if not any(one.fullmatch(said) for one in known)] == []


def test_the_documentation_imports_no_plugin():
    """Building it, with every plugin installed, imports none of them and no backend."""
    code = "import sys; sys.argv[1:] = ['--check']; sys.path.insert(0, 'docs'); import build; build.pages()"
    code += (
        "; print(*sorted(name for name in sys.modules if name.startswith(('coach_', 'tensorflow', 'keras', 'gym'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def paths(command, context, name):
    """Every command below `command`, as it is typed."""
    here = click.Context(command, info_name=name, parent=context)
    yield here.command_path
    for inner in command.list_commands(here) if isinstance(command, click.Group) else ():
        yield from paths(command.get_command(here, inner), here, inner)


def test_every_command_has_its_place():
    page = text_of(REFERENCE / "commands.md")
    typed = list(paths(coach, None, "coach"))
    assert "coach plugin" in typed
    assert [one for one in typed if f"# `{one}`\n\n```text\nUsage: {one} " not in page] == []
    plugin = [f"plugin {name}" for name in BROUGHT["coach_author"]]
    for brought in (*plugin, *BROUGHT["coach_preset_tools"], "convert"):
        assert re.search(
            rf"^### `coach {brought}`\n\nComes with `coach-[a-z-]+`\.\n\n```text\n[A-Z]", page, re.MULTILINE
        )


def test_every_preset_has_its_place():
    page = text_of(REFERENCE / "presets.md")
    names = [path.stem for path in ROOT.glob("plugins/*/src/*/presets/*.toml")]
    assert [name for name in names if f"| `{name}` |" not in page] == []


def test_every_key_of_the_format_is_explained():
    page = text_of(DOCS / "presets.md")
    assert [key for key in TOP if f"`{key}`" not in page and f"[{key}" not in page] == []
    headings = re.findall(r"^## `\[(.*)\]`$", text_of(REFERENCE / "settings.md"), re.MULTILINE)
    assert {heading.rpartition(".")[2] for heading in headings} == {*SECTIONS, "environment"}


def test_every_change_of_the_table_can_be_made(tmp_path):
    """The arguments of `--set` in the table, each laid over the page's whole preset."""
    page = DOCS / "presets.md"
    section = text_of(page).partition("\n## Changing values")[2].partition("\n## ")[0]
    arguments = re.findall(r"^\| `(.*?)` \| ", section, re.MULTILINE)
    assert len(arguments) >= 8
    if not with_plugins():
        pytest.skip("no plugin is installed to check the example against")
    file = tmp_path / "whole.toml"
    file.write_text(blocks(page, "toml")[0][1], encoding="utf-8")
    before = load_preset(file).document
    for argument in arguments:
        assert load_preset(file, sets=[argument]).document != before, argument


def test_the_two_commands_are_the_same_everywhere():
    readme = [line for _, block in blocks(ROOT / "README.md", "console") for line in block.splitlines()]
    assert readme[:2] == [RUN, TEST]
    assert TEST in text_of(ROOT / ".ci" / "run").splitlines()


def commands(path):
    """Every `coach ...` in a page: its line in a console block, or between backticks."""
    lines = [line for _, block in blocks(path, "console") for line in block.splitlines()]
    said = [*lines, *re.findall(r"`([^`\n]+)`", unfenced(path))]
    for line in said:
        typed = line.partition("  #")[0].strip().removeprefix("$ ")
        found = re.match(r"(?:.*uv run (?:--all-packages )?)?coach +(.*)", typed)
        if found is not None and "." not in found[1].split(" ")[0]:
            yield found[1]


BROUGHT = {
    "coach_author": ("sync", "new", "validate", "test"),
    "coach_preset_tools": ("config", "init", "fill", "schema", "upgrade"),
    "coach_bridge": ("convert",),
}
"""Package -> the commands that it adds."""


def _of_a_plugin_that_is_not_here(word):
    return any(word in words and importlib.util.find_spec(name) is None for name, words in BROUGHT.items())


@pytest.mark.parametrize("path", PROSE, ids=named)
def test_every_command_and_option_there_is(path):
    for line in commands(path):
        context, command = click.Context(coach), coach
        words = shlex.split(line.replace("...", ""))
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            inner = command.get_command(context, words[0])
            if inner is None and _of_a_plugin_that_is_not_here(words[0]):
                words = []
                break
            assert inner is not None, f"{named(path)}: there is no command 'coach {line}'"
            command, words = inner, words[1:]
        known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
        options = {word.partition("=")[0] for word in words if word.startswith("--")} - {"--help", "--version"}
        assert options <= known, f"{named(path)}: 'coach {line}' has options that do not exist: {options - known}"


@needs_plugins
@pytest.mark.parametrize("block", cases("toml"))
def test_presets_in_the_documentation_are_sound(block, tmp_path):
    """Whole ones as they stand; tables of a preset laid over a small one. Other TOML has to be TOML."""
    document = tomllib.loads(block)
    if not set(document) <= set(TOP):
        return
    file = tmp_path / "example.toml"
    file.write_text(block, encoding="utf-8")
    try:
        loaded = load_preset(file) if "coach" in document else load_preset(BASE, withs=[file])
    except PresetProblems as problems:
        lacking = [line for line in problems.lines if line.endswith("not installed here")]
        if lacking != list(problems.lines):
            raise
        pytest.skip(lacking[0])  # sound, but for a package that this machine lacks
    assert loaded.resolved["coach"] == 1


@pytest.mark.parametrize("block", cases("python"))
def test_python_in_the_documentation_uses_names_that_there_are(block):
    import coachcore

    tree = ast.parse(block)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "coachcore.api":
            assert [alias.name for alias in node.names if alias.name not in api.__all__] == []
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "coachcore":
            assert node.attr in coachcore.__all__


@contextmanager
def defined_in(page):
    """The classes that a page defines, all in one module; what registers or runs something is left out."""
    module = ModuleType(f"coach_docs_{page}")
    sys.modules[module.__name__] = module
    for line, block in blocks(DOCS / f"{page}.md", "python"):
        if "coachcore.register" not in block:
            exec(compile(block, f"docs/{page}.md:{line}", "exec"), vars(module))
    yield module
    del sys.modules[module.__name__]


@pytest.fixture(scope="module")
def examples():
    with defined_in("plugins") as module:
        yield module


@pytest.fixture(scope="module")
def on_policy():
    with defined_in("agents") as module:
        yield module


def test_the_parts_in_the_documentation_keep_the_laws(examples, tmp_path):
    from coachcore.api import Discrete
    from coachcore.testing.environment import check_environment
    from coachcore.testing.exploration import check_exploration
    from coachcore.testing.recorder import check_recorder
    from coachcore.testing.schedule import check_schedule

    def read(folder):
        return (folder / "best.txt").read_bytes() if (folder / "best.txt").exists() else None

    check_schedule(examples.Capped(inner=2.0))
    check_exploration(examples.Softmax(), Discrete(3))
    check_environment(examples.Guess())
    check_recorder(examples.BestLine(), tmp_path, read)
    examples.test_sign_is_a_filter()


def test_the_schedule_of_the_readme_keeps_the_laws():
    from coachcore.testing.schedule import check_schedule

    source = next(block for _, block in blocks(ROOT / "README.md", "python") if "class Cosine" in block)
    module = ModuleType("coach_readme_example")
    exec(compile(source, "README.md", "exec"), vars(module))
    cosine = module.Cosine(start=1.0, end=0.0, steps=100)
    check_schedule(cosine)
    assert [cosine(0), round(cosine(50), 12), cosine(100), cosine(10**6)] == [1.0, 0.5, 0.0, 0.0]
    assert all(later <= earlier for earlier, later in pairwise(map(cosine, range(120))))


@needs_plugins
def test_the_agent_of_the_documentation_learns_to_guess(examples, tmp_path):
    """The examples together in one short run, registered while running."""
    import coachcore
    from coachcore.api import hookimpl

    class Examples:
        @hookimpl
        def coach_agents(self):
            return [examples.ExpectedSarsa]

        @hookimpl
        def coach_heads(self):
            return [examples.ScaledQ]

        @hookimpl
        def coach_environments(self):
            return [examples.Guess]

        @hookimpl
        def coach_filters(self):
            return [examples.Sign]

    head = {"use": "scaled-q", "limit": 20}
    changes = {
        "environment": {"use": "guess"},
        "agent": {"use": "expected-sarsa", "network": {"heads": {"q": head}}, "learner": {"learning_rate": 1e-3}},
        "filters": {"reward": [{"use": "sign"}]},
        "schedule": {"heatup": "100 steps", "train": "600 steps", "evaluate": {"every": "600 steps", "episodes": 5}},
        "recorders": [],
    }
    name = coachcore.register(Examples())
    try:
        preset = coachcore.load_preset({**BASE, **changes})
        outcome = coachcore.run(preset, out=tmp_path / "run")
    finally:
        coachcore.unregister(name)
    assert outcome.best is not None
    assert outcome.best > 7.5  # 5 is what chance gets


@needs_plugins
def test_the_on_policy_agent_of_the_documentation_keeps_the_laws(on_policy):
    from coachcore.testing.agent import check_agent

    check_agent(on_policy.Reinforce())
    on_policy.test_an_even_policy_pays_log_2_for_each_unit_of_advantage()


@needs_plugins
def test_the_on_policy_agent_of_the_documentation_learns_to_guess(examples, on_policy, tmp_path):
    """As the page lays it over an installed preset, on the game that another page defines."""
    import coachcore
    from coachcore.api import hookimpl

    class Examples:
        @hookimpl
        def coach_agents(self):
            return [on_policy.Reinforce]

        @hookimpl
        def coach_environments(self):
            return [examples.Guess]

    source = next(block for _, block in blocks(DOCS / "agents.md", "python") if "coachcore.register" in block)
    changes = next(
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "changes"
    )
    name = coachcore.register(Examples())
    try:
        assert coachcore.load_preset("cartpole-clipped-ppo", sets=changes).resolved["agent"]["use"] == "reinforce"
        game = ["environment.use=guess", "schedule.target=9", "recorders=[]"]
        preset = coachcore.load_preset("cartpole-clipped-ppo", sets=[*changes, *game])
        outcome = coachcore.run(preset, out=tmp_path / "run")
    finally:
        coachcore.unregister(name)
    assert outcome.best is not None
    assert outcome.best > 7.5  # 5 is what chance gets


def test_a_preset_that_is_wrong_is_told_as_the_documentation_says(tmp_path):
    if not with_plugins():
        pytest.skip("no plugin is installed to check the example against")
    with pytest.raises(CoachError, match="did you mean 'e-greedy'"):
        load_preset({**BASE, "exploration": {"use": "e-greedi"}})
