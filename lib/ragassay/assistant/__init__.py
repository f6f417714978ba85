"""The system under test in a process of its own: the examined is kept from the examiner.

reply_validation.py      row_of: what a reply may be, and what is wrong with one; its version; the hooks
description.py           an endpoint or a command line in YAML, checked; what is sent
ask_described.py         it is asked; what came back
worker.py                that process: "module:name", a runnable of LangChain or a query engine of LlamaIndex
                         -> something to ask; python -m ragassay.assistant.worker
process.py               AssistantProcess, its parent: starts, asks, kills, starts again; believes nothing
                         it is sent

Nothing here imports a table or a model, so that the process starts in a moment.
"""
