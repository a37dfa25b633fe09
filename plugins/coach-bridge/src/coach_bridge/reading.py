"""Reading an old preset's source as syntax: its assignments are followed, and nothing of it is run."""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import Any

import attrs

from coach_bridge.things import Given, Remarks, Thing, Unreadable, Word
from coachcore.api import BadData

_COPIES = ("copy", "deepcopy")
_PLAIN = ("list", "tuple", "array", "OrderedDict", "dict")
_ROOTS = ("sqrt",)
_NUMBERS = {"np.inf": float("inf"), "numpy.inf": float("inf"), "math.inf": float("inf")}
_LARGEST = 1e18
_DEEPEST = 200


def read(source: str, file: str, remarks: Remarks) -> dict[str, Any]:
    """The names that a preset defines, each with its value.

    Raises `BadData` for a text that is not Python. A statement that cannot be
    followed (a loop, a condition, a function) becomes a remark.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BadData(
            f"this is not Python ({why}) - give an old preset, a file such as CartPole_DQN.py", where=f"{file}{line}"
        ) from None
    reader = Reader(remarks)
    for statement in tree.body:
        reader.follow(statement)
    return reader.names


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@attrs.define
class Reader:
    """Follows the statements of a module one after another."""

    remarks: Remarks
    names: dict[str, Any] = attrs.field(factory=dict)

    def follow(self, statement: ast.stmt) -> None:
        """Take one statement's effect, or say that it cannot be followed."""
        if isinstance(statement, ast.Assign):
            value = self.value(statement.value)
            for target in statement.targets:
                self.assign(target, value)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self.assign(statement.target, self.value(statement.value))
        elif isinstance(statement, ast.AugAssign):
            sum_ = ast.copy_location(ast.BinOp(_as_read(statement.target), statement.op, statement.value), statement)
            self.assign(statement.target, self.value(sum_))
        elif isinstance(statement, ast.Expr):
            self.expression(statement.value)
        elif not isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass):
            first = ast.unparse(statement).partition("\n")[0]
            self.remarks.lost(statement.lineno, f"`{_short(first)}` cannot be followed - write out what it does")

    def expression(self, node: ast.expr) -> None:
        """A call such as ``x.add_reward_filter('clip', F())`` is kept with the object it is made on."""
        if isinstance(node, ast.Constant):
            return  # a docstring
        call = self.value(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(call, Thing):
            owner = self.place(node.func.value)
            if isinstance(owner, Thing):
                key = f"{node.func.attr}()#{len(owner.fields)}"
                owner.fields[key] = Given(call, node.lineno, _short(ast.unparse(node)))
                return
        self.remarks.lost(node.lineno, f"`{_short(ast.unparse(node))}` cannot be followed - write out what it does")

    def assign(self, target: ast.expr, value: Any) -> None:
        """Bind a name, a field, an item, or several of them."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
            return
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, list | tuple):
            for one, part in zip(target.elts, value, strict=False):
                self.assign(one, part)
            return
        if not self._put(target, value):
            text = _short(ast.unparse(target))
            self.remarks.lost(target.lineno, f"{text} cannot be followed - set it on the object itself")

    def _put(self, target: ast.expr, value: Any) -> bool:
        if not isinstance(target, ast.Attribute | ast.Subscript):
            return False
        owner = self.place(target.value)
        key: Any = target.attr if isinstance(target, ast.Attribute) else self.value(target.slice)
        if isinstance(owner, Thing) and isinstance(key, str):
            owner.fields[key] = Given(value, target.lineno, _short(ast.unparse(target)))
            return True
        if isinstance(owner, dict):
            owner[_key(key)] = value
            return True
        if isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner):
            owner[key] = value
            return True
        return False

    def place(self, node: ast.expr) -> Any:
        """What is written into: places that the preset has not named yet are made."""
        if isinstance(node, ast.Attribute | ast.Subscript):
            owner = self.place(node.value)
            key: Any = node.attr if isinstance(node, ast.Attribute) else self.value(node.slice)
            if isinstance(owner, Thing) and isinstance(key, int):
                key = f"[{key}]"  # of a list that the agent came with
            if isinstance(owner, Thing) and isinstance(key, str):
                return owner.fields.setdefault(key, Given(Thing("", node.lineno), node.lineno)).value
            if isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner):
                return owner[key]
            return owner.setdefault(_key(key), Thing("", node.lineno)) if isinstance(owner, dict) else None
        return self.value(node)

    def value(self, node: ast.expr) -> Any:
        """What an expression stands for; `Unreadable` where only running it would tell."""
        found = self._value(node)
        return Unreadable(_short(ast.unparse(node))) if found is None and not _is_none(node) else found

    def _value(self, node: ast.expr) -> Any:
        readers: dict[type, Any] = {
            ast.Constant: lambda node: node.value,
            ast.Name: lambda node: self.names.get(node.id, Word(node.id)),
            ast.List: lambda node: [self.value(item) for item in node.elts],
            ast.Tuple: lambda node: tuple(self.value(item) for item in node.elts),
            ast.Dict: self._table,
            ast.Attribute: self._item,
            ast.Subscript: self._item,
            ast.UnaryOp: self._arithmetic,
            ast.BinOp: self._arithmetic,
            ast.Call: self._made,
        }
        reader = readers.get(type(node))
        return None if reader is None else reader(node)

    def _table(self, node: ast.Dict) -> Any:
        if None in node.keys:
            return None
        keys = [self.value(key) for key in node.keys if key is not None]
        return dict(zip((_key(key) for key in keys), map(self.value, node.values), strict=True))

    def _item(self, node: ast.Attribute | ast.Subscript) -> Any:
        owner = self.value(node.value)
        key: Any = node.attr if isinstance(node, ast.Attribute) else self.value(node.slice)
        if isinstance(owner, Word) and isinstance(node, ast.Attribute):
            text = f"{owner.text}.{key}"
            return _NUMBERS.get(text, Word(text))
        if isinstance(owner, Thing) and isinstance(key, str) and key in owner.fields:
            return owner.fields[key].value
        try:
            return owner[key] if isinstance(owner, dict | list | tuple) else None
        except (KeyError, IndexError, TypeError):
            return None

    def _arithmetic(self, node: ast.UnaryOp | ast.BinOp) -> Any:
        if isinstance(node, ast.UnaryOp):
            one = self.value(node.operand)
            if isinstance(node.op, ast.Not):
                return not one if isinstance(one, bool) else None
            return (-one if isinstance(node.op, ast.USub) else one) if _is_number(one) else None
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(left, list) and isinstance(right, list) and isinstance(node.op, ast.Add):
            return [*left, *right]
        return _reckoned(node.op, left, right) if _is_number(left) and _is_number(right) else None

    def _made(self, node: ast.Call) -> Any:
        """An object, a copy of one, or a number."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        arguments = [self.value(item) for item in node.args]
        if name in ("int", "float", "round") and len(arguments) == 1 and _is_number(arguments[0]):
            return float(arguments[0]) if name == "float" else int(arguments[0])
        if name in _ROOTS and len(arguments) == 1 and _is_number(arguments[0]) and arguments[0] >= 0:
            return arguments[0] ** 0.5
        if name in _COPIES and len(arguments) == 1 and isinstance(arguments[0], Thing):
            return deepcopy(arguments[0])
        if name in _PLAIN and not node.keywords:
            return _collected(name, arguments)
        thing = Thing(name, node.lineno)
        for place, argument in enumerate(arguments):
            thing.fields[f"#{place}"] = Given(argument, node.lineno, f"argument {place + 1} of {name}")
        for keyword in node.keywords:
            key = keyword.arg or "**"
            thing.fields[key] = Given(self.value(keyword.value), keyword.value.lineno, f"{key} of {name}")
        return thing


def _collected(name: str, arguments: list[Any]) -> Any:
    items = arguments[0] if arguments else []
    if name in ("OrderedDict", "dict"):
        if isinstance(items, dict):
            return items
        pairs = isinstance(items, list) and all(isinstance(item, tuple) and len(item) == 2 for item in items)
        return {_key(key): value for key, value in items} if pairs else None
    return list(items) if isinstance(items, list | tuple) else None


def _reckoned(operator: ast.operator, left: float, right: float) -> Any:
    """The result of plain arithmetic; None where it would be no number, or too large a one."""
    try:
        match operator:
            case ast.Add():
                result = left + right
            case ast.Sub():
                result = left - right
            case ast.Mult():
                result = left * right
            case ast.Div():
                result = left / right
            case ast.FloorDiv():
                result = left // right
            case ast.Pow() if abs(left) <= _LARGEST and abs(right) <= _DEEPEST:
                result = left**right
            case _:
                return None
    except (ArithmeticError, ValueError):
        return None
    return result if isinstance(result, int | float) and abs(result) <= _LARGEST else None


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int | float | Word) else repr(value)


def _is_none(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or isinstance(node, ast.Name)


def _as_read(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 72 else f"{line[:68]} ..."
