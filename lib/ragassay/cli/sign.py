"""`ragassay sign`."""

import os
from pathlib import Path
from typing import Any

import click

from ragassay.cli.options import FILE, PATH
from ragassay.cli.terminal import say

PASSPHRASE = "RAGASSAY_KEY_PASSPHRASE"
KEY = f"private Ed25519 key, PEM or OpenSSH; a passphrase is taken from {PASSPHRASE} or asked for"
NEW = "make that key first; its public half is KEY.pub, which others need"


@click.command()
@click.argument("run_dir", type=PATH)
@click.option("--key", required=True, type=FILE, help=KEY)
@click.option("--name", required=True, help="who signs, as it is to be read")
@click.option("--role", default="", help="in which role: validator, owner, approver")
@click.option("--new-key", is_flag=True, help=NEW)
@click.option("--replace", is_flag=True, help="drop signatures of another state of the folder")
def sign(run_dir: Path, key: Path, **options: Any) -> None:
    """Sign RUN_DIR, once every file agrees with its hash: signature.json,
    beside the manifest and in none of its hashes.
    """
    from ragassay.run.integrity import ed25519_signature, signing

    made, notes = signing.sign(run_dir, key, passphrase=_passphrase, **options)
    for note in notes:
        say(f"  note: {note}")
    if options["new_key"]:
        say(f"key made: keep {key} to yourself; {key}.pub is for those who check")
    key_named = ed25519_signature.fingerprint(made.key)
    say(f"signed by {made.who}, key {key_named}: {run_dir / ed25519_signature.FILE}")


def _passphrase() -> str:
    return os.environ.get(PASSPHRASE) or str(click.prompt("passphrase of the key", hide_input=True, err=True))
