"""What a caller of `ragassay.score`, `ragassay.calibrate` and `ragassay.diagnose` meets:
files in, a result out that can be looked at, summed up and written.

scoring.py                 score(answers, metrics=..., out=...)
scoring_result.py          Scores: to_pandas, summary, plot
tool_file_export.py        answers with their scores for a tool
junit_verdicts.py          verdicts on single answers as JUnit
scores_for_calibration.py  scores for a calibration, also of a tool's log
summary.py                 one row per system and metric
score_files.py             scores on disk, batch by batch
scoring_progress.py        how far it is
model_identities.py        which models scored
parallel_scoring.py        Cluster: scored in several processes
scoring_parts.py           answers and scores in parts
ray_cluster.py             a Ray cluster as the pool
precomputed_vectors.py     what networks make of answers, by a cluster into the cache here
calibrating.py             calibrate(scores, labels, metric=..., dimension=...)
calibration_result.py      Calibrated: to_pandas, summary, plot
examining.py               examine(suite): Examined, what a scorer or judge gets right
diagnosing.py              diagnose(results): Diagnosis, with to_pandas, summary, plot, to_json
calibration_files.py       what `calibrate --out` writes
saved_calibration.py       apply_calibration(folder, scores)
"""

from ragassay.api.calibrating import calibrate
from ragassay.api.calibration_result import Calibrated
from ragassay.api.diagnosing import Diagnosis, diagnose
from ragassay.api.parallel_scoring import Cluster
from ragassay.api.saved_calibration import apply_calibration
from ragassay.api.scoring import score
from ragassay.api.scoring_progress import Progress
from ragassay.api.scoring_result import Scores

__all__ = [
    "Calibrated",
    "Cluster",
    "Diagnosis",
    "Progress",
    "Scores",
    "apply_calibration",
    "calibrate",
    "diagnose",
    "score",
]
