"""What every trial needs, loaded once by the process that they are forked from; heavy libraries too where the campaign is the long one."""

import os

os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}

import cryptography.hazmat.primitives.serialization  # noqa: F401
import nbformat  # noqa: F401
import openpyxl  # noqa: F401
import pyarrow.parquet  # noqa: F401
import pypdfium2  # noqa: F401

import ragassay.api
import ragassay.cli.run
import ragassay.diff
import ragassay.run.explore
import ragassay.run.verification  # noqa: F401

if os.environ.get("HOSTILE"):  # imported, never run: a pool of threads does not outlive a fork
    import sentence_transformers  # noqa: F401
    import sklearn.cluster  # noqa: F401
    import transformers  # noqa: F401
