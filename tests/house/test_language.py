"""What the house does not write, and what it always writes."""

from __future__ import annotations

import ast
import re

from coachcore.registry import hookspecs

HOOKS = 24
SAFE_RANDOM = {"default_rng", "Generator", "PCG64", "SeedSequence", "BitGenerator", "get_state"}
"""What may be named of `numpy.random`: its parts, and reading (never moving) the global state to watch over it."""
GLOBAL_SEEDS = ("set_random_seed", "random.set_seed")
UNSAFE_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
UNSPOKEN = ("_", "test_", "coach_")
BANNED = ("Manager", "Wrapper", "Handler", "Helper", "Helpers", "Utils", "Util", "Impl")
UNFINISHED = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX")))


def calls(source):
    return [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)]


def test_the_core_never_prints(core_file):
    wrong = [f"line {node.lineno}" for node in calls(core_file) if ast.unparse(node.func) in ("print", "pprint")]
    assert not wrong, f"{core_file} prints: events are for recorders, words of commands for click.echo - {wrong}"


def test_no_global_randomness(source_file):
    wrong = [f"line {item.line}: {item.name}" for item in source_file.imports if item.top in ("random", "secrets")]
    for node in ast.walk(source_file.tree):
        text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        legacy = re.fullmatch(r"(?:np|numpy)\.random\.(\w+)", text)
        if (legacy and legacy[1] not in SAFE_RANDOM) or text.endswith(GLOBAL_SEEDS):
            wrong.append(f"line {node.lineno}: {text}")
        if isinstance(node, ast.ImportFrom) and node.module == "numpy.random":
            wrong += [f"line {node.lineno}: {each.name}" for each in node.names if each.name not in SAFE_RANDOM]
    assert not wrong, f"{source_file} draws from what everybody shares: take a generator (coachcore.rng) - {wrong}"


def test_a_generator_is_always_seeded(source_file):
    wrong = [
        f"line {node.lineno}"
        for node in calls(source_file)
        if ast.unparse(node.func).endswith("default_rng") and not (node.args or node.keywords)
    ]
    assert not wrong, f"{source_file} makes a generator from the system's noise; no run could be repeated - {wrong}"


def test_nothing_is_unpickled_or_evaluated(source_file):
    wrong = [f"line {item.line}: {item.name}" for item in source_file.imports if item.top in UNSAFE_MODULES]
    for node in calls(source_file):
        if ast.unparse(node.func) in ("eval", "exec", "__import__"):
            wrong.append(f"line {node.lineno}: {ast.unparse(node.func)}")
        wrong += [
            f"line {node.lineno}: allow_pickle"
            for given in node.keywords
            if given.arg == "allow_pickle" and ast.unparse(given.value) != "False"
        ]
    assert not wrong, f"{source_file} may execute what a file says - {wrong}"


def test_a_part_has_no_concrete_base(source_file):
    wrong = [
        f"{node.name}({ast.unparse(base)})"
        for node in source_file.classes
        if node.name in source_file.components
        for base in node.bases
        if not ast.unparse(base).startswith(("Protocol", "Generic"))
    ]
    assert not wrong, f"{source_file}: a part is never subclassed, hold the other one instead - {wrong}"


def test_a_part_is_frozen_and_by_keyword(source_file):
    wrong = []
    for node in source_file.classes:
        if node.name in source_file.components:
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            if not any(re.fullmatch(r"(attrs\.)?frozen\(.*kw_only=True.*\)", mark) for mark in marks):
                wrong.append(node.name)
    assert not wrong, f"{source_file}: a part is a class marked @attrs.frozen(kw_only=True) - {wrong}"


def test_a_module_opens_with_a_docstring(any_file):
    assert ast.get_docstring(any_file.tree), f"{any_file}: a module opens with one sentence on what it is about"


def promised(core):
    """Names of methods that a Protocol of the contracts describes."""
    return {
        item.name
        for source in core
        if source.module.startswith("coachcore.contracts.")
        for node in source.classes
        if any("Protocol" in ast.unparse(base) for base in node.bases)
        for item in node.body
        if isinstance(item, ast.FunctionDef)
    }


def test_what_is_public_in_the_core_is_documented(core_file, core):
    """Functions, classes and their methods.

    Not properties (their name says it), nor methods that fulfil a Protocol, a base class or a hook, nor the tests
    of a conformance suite (the suite says what they hold up).
    """
    known, bare = promised(core), []
    for node in core_file.tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if not ast.get_docstring(node):
            bare.append(node.name)
        for item in node.body if isinstance(node, ast.ClassDef) and not node.bases else ():
            if not isinstance(item, ast.FunctionDef) or item.name in known or item.name.startswith(UNSPOKEN):
                continue
            if not (ast.get_docstring(item) or any("property" in ast.unparse(mark) for mark in item.decorator_list)):
                bare.append(f"{node.name}.{item.name}")
    assert not bare, f"{core_file}: public names say what they are for - {bare}"


def test_every_part_is_documented(plugin_file):
    bare = [
        node.name for node in plugin_file.classes if node.name in plugin_file.components and not ast.get_docstring(node)
    ]
    assert not bare, f"{plugin_file}: a part's docstring is its page in the documentation - {bare}"


def test_nothing_is_left_unfinished(any_file):
    wrong = [number for number, line in enumerate(any_file.text.splitlines(), 1) if UNFINISHED.search(line)]
    assert not wrong, f"{any_file} puts work off, on lines {wrong}: do it, or open an issue"


def test_names_say_what_a_thing_is(source_file):
    wrong = [node.name for node in source_file.classes if node.name.endswith(BANNED)]
    if source_file.path.stem.endswith(tuple(word.lower() for word in BANNED)):
        wrong.append(source_file.path.name)
    assert not wrong, f"{source_file}: names end in none of {', '.join(BANNED)} - {wrong}"


def hooks():
    return {name: item for name, item in vars(hookspecs).items() if hasattr(item, f"{hookspecs.PROJECT}_spec")}


def test_hooks_are_few_and_each_is_documented():
    found = hooks()
    assert 0 < len(found) <= HOOKS, f"{len(found)} hooks, {HOOKS} at most: an event may serve as well"
    assert [name for name, hook in found.items() if not (hook.__doc__ or "").strip()] == []
    assert [name for name in found if not name.startswith("coach_")] == []


def test_all_hooks_stand_on_one_page(source_file):
    wrong = [
        node.name
        for node in source_file.functions
        if any(ast.unparse(mark).startswith("hookspec") for mark in node.decorator_list)
    ]
    assert not wrong or source_file.module == "coachcore.registry.hookspecs", f"{source_file} specifies hooks: {wrong}"


def test_each_kind_of_part_has_its_hook():
    from coachcore.specs import KINDS

    assert set(hookspecs.DESCRIBE) == set(KINDS)
    assert set(hookspecs.DESCRIBE.values()) <= set(hooks())


def test_nothing_names_the_machine_it_was_written_on(any_file):
    wrong = [word for word in ("/wo" + "rk/", "/ro" + "ot/", "/dev" + "env") if word in any_file.text]
    assert not wrong, f"{any_file} names a path of somebody's machine - {wrong}"
