"""`ragassay serve`: scores and calibrated verdicts over HTTP, on one machine.

bind_address.py          where it listens, and the rule that it is 127.0.0.1 alone without a key
app.py                   make_app(...): /score, /calibrated, /metrics, /health, /openapi.json
request_checks.py        what every request passes first: key, host, size, time; and its line in the log
requests_and_replies.py  what a request holds and what comes back, as the OpenAPI document says
scoring_worker.py        from a request to scores and verdicts, with `ragassay.score`
scoring_queue.py         one scoring at a time, few waiting, none for longer than its time
error_replies.py         errors in five parts, as JSON, without a value of the request
settings.py              the limits, and the key

FastAPI and uvicorn come with the extra `serve`; nothing here is imported before the verb is called.
"""
