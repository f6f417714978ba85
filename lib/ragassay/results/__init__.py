"""What a caller of `ragassay.score` and `ragassay.calibrate` meets: files in, a result out that can be looked at, summed up and written.

scoring.py   score(answers, metrics=..., out=...)            scores.py    Scores: to_pandas, summary, plot
summary.py   one row per system and metric                   table.py     scores on disk, batch by batch
progress.py  how far it is
calibrating.py  calibrate(scores, labels, metric=..., dimension=...)   calibrated.py  Calibrated: to_pandas, summary, plot
"""

from ragassay.results.calibrated import Calibrated
from ragassay.results.calibrating import calibrate
from ragassay.results.progress import Progress
from ragassay.results.scores import Scores
from ragassay.results.scoring import score

__all__ = ["Calibrated", "Progress", "Scores", "calibrate", "score"]
