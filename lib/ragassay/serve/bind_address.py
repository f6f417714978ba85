"""Where the server listens: on 127.0.0.1 alone, unless there is a key."""

import contextlib
import logging
import socket
from collections.abc import Callable

import uvicorn

from ragassay.errors import ParameterError
from ragassay.serve.app import make_app
from ragassay.serve.scoring_worker import Worker
from ragassay.serve.settings import KEY, key_given

LOCAL_HOST = "127.0.0.1"
MOST_CONNECTIONS = 256
GOODBYE = 10  # seconds that requests in progress have at the end


def check_host(host: str, key: str) -> None:
    """Refuse another host than 127.0.0.1 where there is no key.

    Raises
    ------
    ParameterError
        If others could reach a server that asks for no key.
    """
    if not key and host != LOCAL_HOST:
        raise ParameterError(
            "without a key the server is for this machine alone",
            where="--host",
            found=host,
            expected=LOCAL_HOST,
            do=f"set {KEY}, or leave --host out",
        )


def serve(worker: Worker, *, host: str, port: int, say: Callable[[str], object]) -> None:
    """Serve until the process is told to end; port 0 takes any that is free, and it is said which.

    Raises
    ------
    ParameterError
        If there is no key and the host is not this machine, the key is too short, or the address is taken.
    ModelError
        If a model is missing.
    """
    key = key_given()
    check_host(host, key)
    with _socket(host, port) as opened:
        worker.warm_up()
        say(f"listening on http://{host}:{opened.getsockname()[1]}" + ("" if key else f" without {KEY}"))
        logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(_config(worker, key)).run(sockets=[opened])


def _config(worker: Worker, key: str) -> uvicorn.Config:
    """No access log of uvicorn's: it holds the query."""
    return uvicorn.Config(
        make_app(worker, key=key),
        access_log=False,
        log_config=None,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=GOODBYE,
        ws="none",
    )


def _socket(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=MOST_CONNECTIONS)
    except OSError as problem:
        raise ParameterError(
            "the server cannot listen there",
            where=f"{host}:{port}",
            found=problem.strerror or str(problem),
            do="name another --port or --host",
        ) from problem
