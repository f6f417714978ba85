"""`ragassay serve`: scores and calibrated verdicts over HTTP, on one machine.

app.py                   make_app(...): /score, /calibrated, /metrics, /health; key, host, queue, errors
requests_and_replies.py  what a request holds and what comes back, as the OpenAPI document says
scoring_worker.py        from a request to scores and verdicts, with `ragassay.score`
settings.py              the limits, and the key

FastAPI and uvicorn come with the extra `serve`; nothing here is imported before the verb is called.
"""
