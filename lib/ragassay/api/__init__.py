"""What a caller of `ragassay.score`, `ragassay.calibrate` and `ragassay.diagnose` meets:
files in, a result out that can be looked at, summed up and written.

open_run            open_run(dir): a run's tables as data frames
scoring             score(answers, metrics=..., out=...); Scores: to_pandas, plot, summary
score_files         scores on disk, batch by batch; answers with their scores for a tool
ray_cluster         Cluster: scored by the processes of Ray, in parts that are kept
calibrating         calibrate(scores, labels, metric=..., dimension=...) and its files; apply_calibration(...)
examining           examine(suite): Examined, what a scorer or judge gets right; diagnose(results): Diagnosis
"""

from ragassay.api.calibrating import Calibrated, apply_calibration, calibrate
from ragassay.api.examining import Diagnosis, diagnose
from ragassay.api.ray_cluster import Cluster
from ragassay.api.scoring import Scores, score

__all__ = [
    "Calibrated", "Cluster", "Diagnosis", "Scores", "apply_calibration", "calibrate", "diagnose", "score",
]  # fmt: skip
