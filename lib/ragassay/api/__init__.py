"""What a caller of `ragassay.score`, `ragassay.calibrate` and `ragassay.diagnose` meets:
files in, a result out that can be looked at, summed up and written.

scoring.py   score(answers, metrics=..., out=...)            scores.py    Scores: to_pandas, summary, plot
written_back.py  answers with their scores for a tool   case_junit.py  verdicts on single answers as JUnit
score_sources.py  scores for a calibration, also of a tool's log
summary.py   one row per system and metric                   table.py     scores on disk, batch by batch
progress.py  how far it is                                      model_identities.py  which models scored
cluster.py   Cluster: scored in several processes   parts.py  answers and scores in parts   on_ray.py  Ray
vectors_ahead.py  what networks make of answers, by a cluster into the cache here
calibrating.py  calibrate(scores, labels, metric=..., dimension=...)   calibrated.py  Calibrated: to_pandas,
                summary, plot
examining.py    examine(suite): Examined, what a scorer or judge gets right
diagnosing.py   diagnose(results): Diagnosis, with to_pandas, summary, plot, to_json
calibration_files.py  what `calibrate --out` writes    saved_calibration.py  apply_calibration(folder, scores)
"""

from ragassay.api.calibrated import Calibrated
from ragassay.api.calibrating import calibrate
from ragassay.api.cluster import Cluster
from ragassay.api.diagnosing import Diagnosis, diagnose
from ragassay.api.progress import Progress
from ragassay.api.saved_calibration import apply_calibration
from ragassay.api.scores import Scores
from ragassay.api.scoring import score

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
