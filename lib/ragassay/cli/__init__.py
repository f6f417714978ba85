"""The command line: one file a verb, each a call into the library."""


def main() -> None:
    """Run the command line."""
    from ragassay.cli import group

    group.main()
