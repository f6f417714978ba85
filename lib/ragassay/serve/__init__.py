"""`ragassay serve`: scores and calibrated verdicts over HTTP, on one machine.

app.py     make_app(...): /score, /calibrated, /metrics, /health; key, host, queue, errors
worker.py  what a request holds and what comes back; from one to the other, with `ragassay.score`

FastAPI and uvicorn come with the extra `serve`; nothing here is imported before the verb is called.
"""
