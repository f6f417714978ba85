"""Modules under the names of the last release: they import for one release more, with a warning."""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

ROOMS_OF_BEFORE = ("ragassay.verdicts", "ragassay.findings")  # what they held now stands in several rooms
NEW_NAMES = {
    "ragassay.results": "ragassay.api",
    "ragassay.verdicts.small_judge": "ragassay.examination.small_judge",
    "ragassay.verdicts.labelling": "ragassay.labels",
    "ragassay.verdicts.labels": "ragassay.labels.human_labels",
    "ragassay.verdicts.raters": "ragassay.labels.agreement_coefficients",
    "ragassay.verdicts.instruments": "ragassay.examination",
    "ragassay.verdicts.curves": "ragassay.calibration.calibrators",
    "ragassay.verdicts.conformal": "ragassay.calibration.conformal",
    "ragassay.verdicts.calibration": "ragassay.calibration.calibration_pipeline",
    "ragassay.verdicts.quality": "ragassay.calibration.probability_metrics",
    "ragassay.verdicts.success": "ragassay.calibration.true_success",
    "ragassay.verdicts.machine": "ragassay.calibration.error_rates",
    "ragassay.evidence": "ragassay.provenance",
    "ragassay.own_registers": "ragassay.engagement_registers",
    "ragassay.seal": "ragassay.network_seal",
    "ragassay.labels.judgements": "ragassay.labels.human_labels",
    "ragassay.scores.names": "ragassay.scores.display_names",
    "ragassay.scores.directions": "ragassay.scores.metric_directions",
    "ragassay.run.gate_rules": "ragassay.run.parameter_checks.gate_rules",
    "ragassay.analysis.clusters": "ragassay.analysis.resampling_clusters",
    "ragassay.models.own_models": "ragassay.models.user_models",
    "ragassay.findings.gates": "ragassay.decision.gates.gates",
    "ragassay.findings.weakness": "ragassay.analysis.slicing.weakness_figures",
    "ragassay.findings.robustness": "ragassay.analysis.robustness",
}


class RenamedModules(MetaPathFinder, Loader):
    """Imports the module of today under its old name, with a DeprecationWarning."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The old name's spec; None for any other name."""
        if fullname in NEW_NAMES or fullname in ROOMS_OF_BEFORE:
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """The usual empty module: what a room of before is, and what the new module replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of today in the old one's place."""
        new = NEW_NAMES.get(module.__name__)
        if new is None:
            return
        warnings.warn(
            f"{module.__name__} is now {new}; the old name goes with the next release",
            DeprecationWarning,
            stacklevel=2,
        )
        sys.modules[module.__name__] = importlib.import_module(new)


def install() -> None:
    """Let old names be found, before an emptied folder of that name is."""
    if not any(isinstance(finder, RenamedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, RenamedModules())
