# SPDX-License-Identifier: MIT
"""Writes credence/_core.pyi, the types of the extension module, from the signatures that its docstrings begin with.

    PYTHONPATH=build/release/python/package python python/tools/stubs.py > python/credence/_core.pyi
"""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

from credence import _core

_HEAD = '''# SPDX-License-Identifier: MIT
"""Types of the extension module, made of its docstrings by python/tools/stubs.py."""

from typing import Any, final

'''


def _returned(text: str) -> str:
    """The type that a signature returns; Any where it is none that the stub knows."""
    known = {"int", "float", "str", "bytes", "bool", "dict", "list", "tuple", "None", "object", "Any", "bytearray"}
    known |= {name for name, value in vars(_core).items() if inspect.isclass(value)}
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return "Any"
    if any(isinstance(node, ast.Name) and node.id not in known for node in ast.walk(tree)):
        return "Any"
    # A bare container is one of anything.
    text = re.sub(r"\bdict\b(?!\[)", "dict[str, Any]", text)
    text = re.sub(r"\blist\b(?!\[)", "list[Any]", text)
    return re.sub(r"\btuple\b(?!\[)", "tuple[Any, ...]", text)


def _parameters(text: str) -> str:
    """Parameters without types, as the module checks them itself."""
    try:
        function = ast.parse(f"def f({text}): ...").body[0]
    except SyntaxError:
        return "*args: Any, **kwargs: Any"
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    names = [*given.posonlyargs, *given.args]
    first = len(names) - len(given.defaults)
    parts = [f"{name.arg}: Any" + (" = ..." if i >= first else "") for i, name in enumerate(names)]
    if given.vararg is not None:
        parts.append("*args: Any")
    elif given.kwonlyargs:
        parts.append("*")
    for name, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parts.append(f"{name.arg}: Any" + (" = ..." if value is not None else ""))
    if given.kwarg is not None:
        parts.append("**kwargs: Any")
    return ", ".join(parts)


def _signature(name: str, doc: str, is_method: bool) -> str:
    line = doc.split("\n\n")[0].replace("\n", " ")
    match = re.match(rf"{re.escape(name)}\((.*?)\)\s*(?:->\s*(.*))?$", line)
    parameters, result = ("*args: Any, **kwargs: Any", "Any") if match is None else (_parameters(match[1]), _returned(match[2] or "None"))
    if is_method:
        parameters = f"self, {parameters}" if parameters else "self"
    return f"def {name}({parameters}) -> {result}: ..."


def _class(name: str, value: type[Any]) -> list[str]:
    lines = ["@final", f"class {name}:"]
    for method, function in sorted(vars(value).items()):
        if callable(function) and (not method.startswith("_") or method == "__arrow_c_stream__"):
            lines.append("    " + _signature(method, function.__doc__ or "", True))
        elif inspect.isgetsetdescriptor(function) or inspect.ismemberdescriptor(function):
            lines += ["    @property", f"    def {method}(self) -> Any: ..."]
    if len(lines) == 2:
        lines[1] += " ..."
    return lines


def stub() -> str:
    """The text of the stub."""
    lines: list[str] = []
    for name, value in sorted(vars(_core).items()):
        if inspect.isclass(value):
            lines += _class(name, value)
        elif callable(value):
            lines.append(_signature(name, value.__doc__ or "", False))
        elif not name.startswith("_"):
            lines.append(f"{name}: {type(value).__name__}")
    return _HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(stub(), end="")
