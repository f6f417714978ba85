"""What a caller of `ragassay.score` meets: answers of any tool in, a result out that can be looked at, summed up and written.

scoring.py   score(answers, metrics=..., out=...)            scores.py    Scores: to_pandas, summary, plot
summary.py   one row per system and metric                   table.py     scores on disk, batch by batch
progress.py  how far it is
"""

from ragassay.results.progress import Progress
from ragassay.results.scores import Scores
from ragassay.results.scoring import score

__all__ = ["Progress", "Scores", "score"]
