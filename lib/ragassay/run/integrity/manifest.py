"""The manifest: SHA-256 of every input, parameter, model file, table, figure and notebook, versions, seeds,
git revision, network."""

import ast
import json
import platform
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import ragassay
from ragassay import output_files, provenance, report, search_paths
from ragassay.errors import InputError
from ragassay.run.execution import ask_again, notebook_record, skip_unchanged
from ragassay.run.integrity.checksums import differs, shown
from ragassay.run.parameter_file.run_settings import DEVICE
from ragassay.run.parameters import values_in

FILE = "manifest.json"
UNCHANGED: dict[str, Any] = {"overrides": {}, "departures": [], "formats": list(report.FORMATS)}
FLAW, NOTE, UNCHECKED = "flaw", "note", "not checked"
Found = tuple[str, str]  # one of these, and a sentence
TYPES: dict[str, Any] = {  # of a manifest's parts
    **dict.fromkeys(("ragassay", "python", "code_sha256", "engagement", "own_folder"), str),
    **dict.fromkeys(("parameters", "own_models", "packages", "network", "seeds"), dict),
    **dict.fromkeys(("inputs", "models", "artefacts"), list),
}
ENTRIES = {**dict.fromkeys(("inputs", "artefacts"), ("path", "sha256")), "models": ("name", "file", "sha256")}
FILLED = ("parameters", "artefacts", "packages")  # no run leaves them empty
ODD = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
UNREADABLE = (OSError, InputError, *ODD)  # raised over an executed copy that may hold anything
OTHER_CODE = "the library here is not the one that made the run (code_sha256)"
FROM_RECORDS = ("seeds", "inputs", "models", "artefacts", "network")


def make(
    run_dir: Path,
    engagement: str,
    parameters: dict[str, dict[str, Any]],
    own_models: dict[str, str],
    own_folder: str = "",
    device: str = "cpu",
    changes: dict[str, Any] | None = None,
) -> Path:
    """Write `json` from what the notebooks' records say; nothing in it depends on time or place.

    own_models : the models named in place of the kit's (`run_settings.MODELS`), "" where none is
    own_folder : the engagement's own folder seen from the project, "" if it is outside
    device : where the models computed; numbers of another differ in the last bits
    changes : `overrides`, the values given on the command line in place of those of the file, by
        `section.name`, `departures`, what notebooks of the engagement's own change of the kit's, and
        `formats`, the documents that the report is written as
    """
    content = {
        "ragassay": ragassay.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "git_revision": _git_revision(),
        "code_sha256": skip_unchanged.code_sha256(),
        "engagement": engagement,
        "own_folder": own_folder,
        "parameters": parameters,
        **UNCHANGED,
        **(changes or {}),
        "own_models": own_models,
        "device": device,
        "packages": skip_unchanged.packages(),
        **of_records(run_dir, parameters),
    }
    path = run_dir / FILE
    output_files.write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return path


def of_records(run_dir: Path, parameters: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The parts of a manifest that follow from its parameters and from the records of their notebooks."""
    records = {name: record for name in parameters if (record := notebook_record.load(run_dir, name))}
    return {
        "seeds": {name: values["seed"] for name, values in parameters.items() if "seed" in values},
        "inputs": _unique(("path", "sha256"), [e for r in records.values() for e in r["inputs"]]),
        "models": _unique(("file", "name", "sha256"), [e for r in records.values() for e in r["models"]]),
        "artefacts": [{"notebook": name, **entry} for name, r in records.items() for entry in r["writes"]],
        "said_of_version": ask_again.said_of_version(records.values()),
        "versions": ask_again.versions_of_records(records.values()),
        "network": {
            "policy": "; ".join(sorted({r["policy"] for r in records.values()})),
            "assistant": "; ".join(sorted({r["assistant"] for r in records.values()} - {""})),
            "attempts": [{"notebook": n, **e} for n, r in records.items() for e in r["attempts"]],
        },
    }


def sha256(run_dir: Path) -> str:
    """The manifest's own hash: the one printed on the cover and beside the signatures."""
    return provenance.sha256_of(run_dir / FILE)


def _unique(names: tuple[str, ...], entries: list[dict]) -> list[dict]:
    return [
        dict(zip(names, row, strict=True)) for row in sorted({tuple(e[n] for n in names) for e in entries})
    ]


def _git_revision() -> str:
    """The commit the library was run from, with a mark when files differ from it; "" outside a repository."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(skip_unchanged.PACKAGE), *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + (" with changes" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def check(run_dir: Path) -> Iterator[Found]:
    """Everything found, in the order of what it is about."""
    try:
        content = read(run_dir)
    except InputError as problem:
        yield FLAW, f"{FILE}: {problem.what}; {problem.found}"
        return
    yield from _files(run_dir, content)
    yield from _records(run_dir, content)
    yield from _notebooks(run_dir, content)
    yield from _models(run_dir, content)
    yield from _inputs(run_dir, content)
    yield from _program(content)


def changed_files(run_dir: Path) -> list[str]:
    """The files of the run that are not what the manifest says, a sentence each; none without one."""
    try:
        return [text for _, text in _files(run_dir, read(run_dir))]
    except InputError:
        return []


def unlike_listed(run_dir: Path, names: Collection[str]) -> list[str]:
    """Which of these files the manifest does not list, or lists with another hash, a sentence each; one that
    is neither there nor listed was never made.

    Raises
    ------
    InputError
        If the manifest cannot be read.
    """
    content = read(run_dir)
    listed = [entry for entry in content["artefacts"] if entry["path"] in names]
    left_out = sorted({*names} - {entry["path"] for entry in listed})
    unlisted = [f"{name}: {FILE} does not list it" for name in left_out if (run_dir / name).exists()]
    return [*unlisted, *(text for _, text in _files(run_dir, {"artefacts": listed}))]


def read(run_dir: Path) -> dict[str, Any]:
    """The manifest of a run folder.

    Raises
    ------
    InputError
        If there is none, it is empty, or a part of it is missing or not of its form.
    """
    try:
        content = json.loads(search_paths.file_below(run_dir, FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, InputError) as problem:
        raise InputError("cannot be read as a manifest", found=shown(problem)[:200]) from problem
    if not isinstance(content, dict) or not content:
        raise InputError("is empty", found="a manifest names what a run was made of")
    flawed = [name for name, kind in TYPES.items() if not isinstance(content.get(name), kind)]
    flawed += [name for name in FILLED if name not in flawed and not content[name]]
    for name, parts in ENTRIES.items():
        entries = content[name] if name not in flawed else []
        if not all(isinstance(e, dict) and all(isinstance(e.get(x), str) for x in parts) for e in entries):
            flawed.append(name)
    if flawed or not all(isinstance(values, dict) for values in content["parameters"].values()):
        found = f"missing, empty or of another form: {', '.join(flawed) or 'parameters'}"
        raise InputError("is no manifest of a run", found=found)
    return content


def _files(run_dir: Path, content: dict[str, Any]) -> Iterator[Found]:
    """The files of the run that the manifest names."""
    for entry in content["artefacts"]:
        now = provenance.sha256_below(run_dir, entry["path"])
        if now != entry["sha256"]:
            yield FLAW, differs(entry["path"], entry["sha256"], now)


def _records(run_dir: Path, content: dict[str, Any]) -> Iterator[Found]:
    """What the runner wrote down when each notebook ended."""
    records = {name: notebook_record.load(run_dir, name) for name in content["parameters"]}
    missing = [name for name, record in records.items() if record is None]
    for name in missing:
        yield FLAW, f"{notebook_record.file(shown(name))}: no record of that notebook"
    rebuilt = {} if missing else of_records(run_dir, content["parameters"])
    for part in FROM_RECORDS if rebuilt else ():
        if content[part] != rebuilt[part]:
            sides = (content[part], rebuilt[part]) if isinstance(content[part], list) else ([], [])
            differ = [e for e in [*sides[0], *sides[1]] if (e in sides[0]) != (e in sides[1])]
            names = list(dict.fromkeys(shown(entry.get("path") or entry.get("name")) for entry in differ))
            yield FLAW, f"{FILE}: its {part} are not those of the run's records: {', '.join(names[:5])}"
    program = {"code": content["code_sha256"], "packages": content["packages"], "python": content["python"]}
    for name, record in records.items():
        if record and record["key"] != _key(run_dir, name, content, program):
            what = "cells, parameters, models, library or versions"
            yield FLAW, f"{FILE}: {shown(name)} was executed with other {what} than it names"


def _key(run_dir: Path, name: str, content: dict[str, Any], program: dict[str, Any]) -> str:
    try:
        book = search_paths.file_below(run_dir, f"notebooks/{name}.ipynb")
        device = {part: content[part] for part in (DEVICE,) if part in content}  # none in older manifests
        models = content["own_models"] | device
        return skip_unchanged.key_made_with(book, content["parameters"][name], models, program)
    except UNREADABLE:
        return "the executed notebook cannot be read"


def _notebooks(run_dir: Path, content: dict[str, Any]) -> Iterator[Found]:
    """The parameters with which each notebook was executed, as the cell shows them in which the runner gave
    them to its copy."""
    for name, named in content["parameters"].items():
        try:
            book = search_paths.file_below(run_dir, f"notebooks/{name}.ipynb").read_text(encoding="utf-8")
            source = next(
                "".join(cell["source"]) for cell in json.loads(book)["cells"] if skip_unchanged.injected(cell)
            )
            given = {key: ast.literal_eval(value) for key, value in values_in(source).items()}
            if not all(map(str.isidentifier, given)):
                raise ValueError("something else than a name is assigned")
        except (*UNREADABLE, SyntaxError, StopIteration) as problem:
            what = f"its parameters cannot be read ({type(problem).__name__})"
            yield FLAW, f"notebooks/{shown(name)}.ipynb: {what}"
            continue
        odd = [each for each in {**named, **given} if named.get(each, ...) != given.get(each, ...)]
        for each in sorted(odd):
            here, there = (shown(values.get(each, "not there"))[:80] for values in (named, given))
            yield FLAW, f"{FILE}: {shown(name)}.{shown(each)} is {here}, in the executed copy it is {there}"


def _models(run_dir: Path, content: dict[str, Any]) -> Iterator[Found]:
    """The models that took part, as they are on this machine."""
    from ragassay.models import load_instrument

    same = content["ragassay"] == ragassay.__version__
    with places_of(run_dir, content):
        for entry in content["models"]:
            words = f"model {shown(entry['name'])} ({shown(entry['file'])})"
            own = [model for model in content["own_models"].values() if isinstance(model, str) and model]
            path = load_instrument.recorded_file(entry["name"], entry["file"], own)
            if path is None:
                yield UNCHECKED, f"{words}: not at hand on this machine"
            elif (now := provenance.sha256_of(search_paths.regular(path))) != entry["sha256"]:
                what = f"{words}: on this machine it has {now[:16]}, the run used {entry['sha256'][:16]}"
                yield (FLAW, what) if same else (NOTE, f"{what}; another release of ragassay is installed")


def _inputs(run_dir: Path, content: dict[str, Any]) -> Iterator[Found]:
    """The inputs, looked for from the project that the run folder belongs to. One that no notebook read is a
    flaw already, and is not opened."""
    read_by_notebooks = of_records(run_dir, content["parameters"])["inputs"]
    with places_of(run_dir, content):
        for entry in (entry for entry in content["inputs"] if entry in read_by_notebooks):
            name, path = shown(entry["path"]), provenance.located(entry["path"])
            if path is None:
                yield UNCHECKED, f"input {name}: not at hand, looked for below {search_paths.project()}"
                continue
            try:
                now = provenance.sha256_of(search_paths.regular(path))
            except InputError as problem:
                yield FLAW, f"input {name}: {problem.what}"
            except OSError as problem:
                yield UNCHECKED, f"input {name}: cannot be read ({problem.strerror})"
            else:
                if now != entry["sha256"]:
                    yield FLAW, f"input {differs(entry['path'], entry['sha256'], now)} ({path})"


def places_of(run_dir: Path, content: dict[str, Any]) -> Any:
    """The places of the run: its project by where its folder is, its engagement's own folder as recorded."""
    recorded = next(iter(content["parameters"].values())).get("run_dir", "")
    project = search_paths.of_run_folder(run_dir, str(recorded))
    own = project / content["own_folder"]
    return search_paths.pinned(project, own if own.resolve().is_relative_to(project.resolve()) else None)


def _program(content: dict[str, Any]) -> Iterator[Found]:
    """Library, packages and device: another one now is no flaw of the folder, but results may differ with
    it."""
    from ragassay.models import devices

    python = skip_unchanged.made_with()["python"]
    now = {"ragassay": ragassay.__version__, "python": python, **skip_unchanged.packages()}
    then = {"ragassay": content["ragassay"], "python": content["python"], **content["packages"]}
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if names:
        differ = ", ".join(f"{name} {then.get(name)} (now {now.get(name)})" for name in names)
        yield NOTE, f"made with other versions than are installed here: {shown(differ)}"
    device = content.get(DEVICE, devices.CPU)
    if device != devices.CPU and device not in devices.available():
        what = f"it computed on {shown(device)}, which is not here ({', '.join(devices.available())})"
        yield NOTE, f"{what}: numbers differ in their last bits"
    if content["code_sha256"] != skip_unchanged.code_sha256():
        yield NOTE, OTHER_CODE
