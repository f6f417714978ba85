"""The system under test in a process of its own: the examined is kept from the examiner.

reply.py        row_of: what a reply may be, and what is wrong with one
versions.py     what a reply says of its version, as one bounded line
messages.py     what crosses between the two processes: JSON, each after its length, bounded
confinement.py  what the assistant's process may not do: write elsewhere, signal, outlive its parent
loading.py      in that process: "module:name" -> something to ask, and how it is asked
frameworks.py   a runnable of LangChain or a query engine of LlamaIndex, asked and its response read
described/      an endpoint or a command line, described in YAML
error_texts.py  what it raises, in one line
hooks.py       what it may take beside the question: history, passages
worker.py       that process: python -m ragassay.assistant.worker
process.py      AssistantProcess, its parent: starts, asks, kills, starts again; believes nothing it is sent
several.py      the same assistant in several processes, asked at a time
spawning.py     a fresh process in a fresh folder, and its end;  pipes.py  what it is told, sends and prints

Nothing here imports a table or a model, so that the process starts in a moment.
"""
