"""What a caller of `ragassay.score` and `ragassay.calibrate` meets:
files in, a result out that can be looked at, summed up and written.

scoring.py   score(answers, metrics=..., out=...)            scores.py    Scores: to_pandas, summary, plot
summary.py   one row per system and metric                   table.py     scores on disk, batch by batch
progress.py  how far it is
calibrating.py  calibrate(scores, labels, metric=..., dimension=...)   calibrated.py  Calibrated: to_pandas,
                summary, plot
calibration_files.py  what `calibrate --out` writes, and apply_calibration(folder, scores)
"""

from ragassay.api.calibrated import Calibrated
from ragassay.api.calibrating import calibrate
from ragassay.api.calibration_files import apply_calibration
from ragassay.api.progress import Progress
from ragassay.api.scores import Scores
from ragassay.api.scoring import score

__all__ = ["Calibrated", "Progress", "Scores", "apply_calibration", "calibrate", "score"]
