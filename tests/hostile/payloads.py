"""Values that a hostile or careless hand would give: texts, numbers, file names, and payloads that leave a marker if executed."""

import pickle
from math import inf, nan
from pathlib import Path
from typing import Any

MARK = "EXECUTED"  # a file of this name, or one below a folder `markers`, means that a payload was executed
BIDI = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c"
TEXTS = (
    *("", " ", "What does it cost?"),
    "\x1b[2J\x1b[31mred\x07\x08",
    "\x1b]0;title\x07\x9b31m\x85\x90",
    "user\u202egnp.exe \u2066isolated\u2069",
    "nul\x00byte",
    "lone \ud800 surrogate",
    "line\r\nfeeds\u2028and\u2029separators\x0b\x0c",
    "中文 😀 שלום \U0001f9ff e\u0301",
    *("x" * 20_000, "[" * 3_000, "(" * 500 + "a", "a " * 5_000),
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "]]> &amp; </td></table> <!-- ",
    "['It's 5 euros']",
    "array(['a', 'b'], dtype=object)",
    *("[((((", '["a", "b"', "NaN", "None", "true", "-0", "1e999", "../../../etc/passwd", "C:\\nul"),
    "'; DROP TABLE accounts; --",
    "%s%s%n {0.__class__} ${7*7} {{7*7}}",
    "__import__('os').system('touch EXECUTED')",
)
CELLS = (None, nan, inf, 0, -1, 10**30, True, [], {}, [[["a"]]], {"a": {"b": None}}, [None, 3])
NAMES = (
    *("plain", "...", "..hidden", "-rf", "--out", "with space", "a\nb", "\x1b[31mred", "user\u202egnp"),
    *("$(touch EXECUTED)", "`touch EXECUTED`", ";touch EXECUTED;", "|touch EXECUTED", "#fragment?x=1&y=2"),
    *("%2e%2e%2f", "'quoted\"", "x" * 200, "CON", "bundled:x", "名前", "{braces}*?[a]", "=cmd|' /C calc'!A0"),
)
INTEGERS = ("", *"-1 0 1 3 -99999999999999999999 99999999999999999999 4294967296 1.5 nan abc １２".split())
FLOATS = ("", *"nan inf -inf -1 0 1 0.5 1e308 1e-320 1e999 abc 2".split())


def armed(markers: Path, name: str) -> dict[str, str]:
    """Texts that leave `markers/name` if anything executes them, by the machine that would."""
    touch = f"touch {markers / name}"
    return {
        "formula": f"=cmd|'/C {touch}'!A0",
        "formula-at": f'@SYSTEM("{touch}")',
        "formula-plus": f'+WEBSERVICE("{touch}")',
        "template": "{{ cycler.__init__.__globals__.os.system('" + touch + "') }}",
        "python": f"__import__('os').system('{touch}')",
        "shell": f"$({touch}) `{touch}` ; {touch} | {touch}",
        "yaml": f"!!python/object/apply:os.system ['{touch}']",
        "latex": f"\\immediate\\write18{{{touch}}} $\\input{{/etc/passwd}}$",
        "typst": '#read("/etc/passwd") #eval("1") #include "/etc/hostname"',
        "sql": f"'; ATTACH DATABASE '{markers / name}' AS x; CREATE TABLE x.t(a); --",
        "html": f"<script>fetch('file://{markers / name}')</script><iframe src='file:///etc/passwd'>",
    }


def code(markers: Path, name: str) -> str:
    """Python that leaves a marker."""
    return f"import pathlib; pathlib.Path({str(markers / name)!r}).touch()\n"


class _Bomb:
    def __init__(self, command: str):
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        import os

        return os.system, (self.command,)


def pickled(markers: Path, name: str) -> bytes:
    """A pickle that leaves a marker when it is loaded."""
    return pickle.dumps(_Bomb(f"touch {markers / name}"))
