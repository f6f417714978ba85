"""A new engagement's parameter file: every parameter of every notebook, commented, at its default."""

import datetime
import json
import re
from pathlib import Path

from ragassay import run
from ragassay.errors import ParameterError
from ragassay.run import parameters

HEAD = """# Parameters of the engagement "{name}". Every line shows a default and is commented, but for the date:
# remove the "# " before those that depart from it.
# Numbers: YAML 1.1 reads 1e-3 as text, so write 0.001. Paths are seen from the folder you run in; "bundled:..." is the example shipped with the kit.
"""


def write(name: str, folder: Path = Path("params")) -> Path:
    """Write `folder/name.yml`; an existing file is left alone.

    Raises
    ------
    ParameterError
        If the name cannot be a file name, or the file exists.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ParameterError(
            "an engagement's name becomes a file name",
            found=repr(name),
            expected="letters, digits, '.', '_' and '-'",
        )
    path = folder / f"{name}.yml"
    if path.exists():
        raise ParameterError(
            "the parameter file exists already", where=path, do="edit it, or choose another name"
        )
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text(name), encoding="utf-8")
    return path


def text(name: str) -> str:
    """The file's text."""
    sections = [_section("run", list(parameters.RunSettings.SCHEMA))]
    sections += [_section(book, parameters.declared(path)) for book, path in run.notebooks().items()]
    return "\n".join([HEAD.format(name=name), *sections])


def _section(name: str, schema: list[parameters.Parameter]) -> str:
    return "\n".join(
        [f"{name}:", *(_line(each) for each in schema if each.name != parameters.GIVEN_BY_RUNNER), ""]
    )


def _line(parameter: parameters.Parameter) -> str:
    """A commented default; only the date of the validation is set, to today."""
    today = parameter.name == "date"
    value = datetime.date.today().isoformat() if today else parameter.default
    return f"  {'' if today else '# '}{parameter.name}: {json.dumps(value, ensure_ascii=False)}  # {parameter.annotation}; {parameter.help}"
