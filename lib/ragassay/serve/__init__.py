"""`ragassay serve`: scores and calibrated verdicts over HTTP, on one machine. FastAPI and uvicorn come
with the extra `serve`; nothing here is imported before the verb is called."""
