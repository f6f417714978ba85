"""What two benches share: rank correlation over clusters, and the mean grade of an answer."""

import numpy as np
from scipy.stats import spearmanr

RESAMPLES = 1000


def correlation(values: np.ndarray, people: np.ndarray, clusters: np.ndarray) -> tuple[float, float, float]:
    """Spearman correlation with its percentile interval, clusters resampled."""
    rng, names = np.random.default_rng(0), np.unique(clusters)
    places = {name: np.flatnonzero(clusters == name) for name in names}
    drawn = (
        np.concatenate([places[name] for name in rng.choice(names, len(names))]) for _ in range(RESAMPLES)
    )
    resampled = [spearmanr(values[chosen], people[chosen])[0] for chosen in drawn]
    return (float(spearmanr(values, people)[0]), *np.nanpercentile(resampled, [2.5, 97.5]))


def mean_grade(grades: dict | None) -> float:
    return float(np.mean([float(grade) for grade in grades.values()])) if grades else np.nan
