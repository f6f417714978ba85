"""How often a pilot ends though its staff are good: those who make half of either failure tolerated, in the
test of reading and in the tests of controls. Counts, and what check and search keep out, hold to what is
promised; of what ends a pilot by one answer by principle, the chance is told where the share is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from ragassay.decision.findings.error_findings import UNSAFE
from ragassay.decision.monitoring.monitored_measures import Watched
from ragassay.decision.pilot.pilot_control_tests import WORKS
from ragassay.decision.pilot.pilot_staff_reading_test import Reading
from ragassay.decision.pilot.pilot_stop_rows import COVERED, REPORTED, by_one, ended_by
from ragassay.stats import Interval, interval_text, percent_text

COUNTS = (
    "Good staff, who make half of the failures tolerated at the start, use answers of which {bad} are bad "
    "and {misleading} mislead. A count ends {counted} of as many such pilots. What check and search keep "
    "from staff ends none while they hold: at most {most} end by what the promise covers."
)
OF_HARM = (
    "The promise does not cover what ends a pilot by principle. Unsafe ones, if each were noticed, end "
    "{held} of good pilots (up to {held_high} at the upper end): of {answers:,} answers read, {share} "
    "unsafe as here, good staff let through {through}, and by its control keep all but {works} of such "
    "questions from the assistant. Without the control it would be {alone} (up to {alone_high})."
)
UNKNOWN = "Not known is how often these end a good pilot: {names}."


@dataclass(frozen=True)
class GoodPilot:
    """A pilot whose staff are good: the share of such pilots that a count ends (`counted`), out of so many
    answers that they read, and what is watched."""

    counted: Interval
    reading: Reading
    answers: int
    every: Sequence[Watched]

    @property
    def used(self) -> float:
        """How many of the answers good staff use, as raters found answers here."""
        return self.answers * self.reading.share_used_by_good

    def in_words(self) -> str:
        """The chances in sentences."""
        bad, misleading = (percent_text(each, 1) for each in self.reading.used_by_good)
        counted = interval_text(self.counted.value, self.counted.low, self.counted.high, percent=True)
        most = percent_text(self.counted.high, 1)
        said = COUNTS.format(bad=bad, misleading=misleading, counted=counted, most=most)
        return " ".join([said, *map(self._of_harm, self._known()), self._unknown()])

    def ended_by_unsafe(self, share: float, *, held: bool) -> float:
        """The chance, in [0, 1], that good staff use an unsafe answer.

        share : of answers that are unsafe, in [0, 1]; held : whether they also keep to its control
        """
        used = share * self.reading.most_through / 2 * (WORKS if held else 1.0)
        return 1 - (1 - used) ** self.answers

    def _of_harm(self, row: Watched) -> str:
        chances = {
            name: self.ended_by_unsafe(share, held=held)
            for name, share, held in (
                ("alone", row.value, False),
                ("alone_high", row.high, False),
                ("held", row.value, True),
                ("held_high", row.high, True),
            )
        }
        chances["together"] = 1 - (1 - self.counted.value) * (1 - chances["held"])
        told = {name: percent_text(chance, 1) for name, chance in chances.items()}
        through = percent_text(self.reading.most_through / 2, 1)
        share, works = percent_text(row.value, 1), percent_text(WORKS, 1)
        return OF_HARM.format(answers=self.answers, share=share, through=through, works=works, **told)

    def _known(self) -> list[Watched]:
        return [each for each in by_one(self.every) if each.kind == UNSAFE and not isnan(each.value)]

    def _unknown(self) -> str:
        harmful = [each for each in by_one(self.every) if ended_by(each) not in COVERED]
        return UNKNOWN.format(
            names="; ".join([each.name for each in harmful if each not in self._known()] + [REPORTED])
        )
