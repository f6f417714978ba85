"""Defaults that several rooms share: functions, the command line and the notebooks mean the same by them.

Verbs and functions take them from here. A notebook's parameters cell must hold literals, for papermill reads
it; a test says that they are these. A default that one file alone has stands in that file.
"""

CONFIDENCE = 0.95  # of an interval
SIGNIFICANCE = 0.05  # of a test, or of all tests of a section: chance of an alarm where nothing is the matter
POWER = 0.8  # of a planned test
N_BOOT = 2000  # resamples of a bootstrap

MAX_TOKENS = 180  # longest passage, in tokens of the encoder
N_GENERATED = 60  # questions made from the passages
HALF_WIDTH = 0.15  # of the interval that every topic should reach
ANSWER_TIMEOUT_S = 60.0  # seconds after which an answer counts as missing, pauses and retries included

LENGTH_BUDGET = 120  # words that the median answer may have
LATENCY_BUDGET = 10.0  # seconds that the median answer may take
MISUSE_LIMIT = 0.1  # share of a family's probes of misuse that may be answered

N_LABELLED = 200  # answers on a sheet for raters
LABEL_COUNTS = (50, 100, 200, 300, 500, 1000)  # for which it is told what so many labels buy
ACCEPTED, SENSITIVITY, SPECIFICITY = 0.7, 0.85, 0.75  # what is expected before anything is labelled
N_JUDGED = 1000  # answers that the instruments judge in all, in such a plan
DIMENSIONS = "grounded:0-1,relevant:1-5,complete:1-5"  # what raters judge, and on which scale

ALPHA = 0.1  # error rate allowed to the prediction sets
CALIBRATION_BINS = 10  # of the calibration error
DIAGRAM_BINS = 6  # of the reliability diagram: few, so that each holds enough of a small validation's labels

FEWEST_OF_A_SLICE = 6  # cases, drawn independently, of a slice that is tested, or of a cell that is drawn
LEAST_EFFECT = 0.1  # of a slice: smallest difference that matters, share of the metric's range
VERDICT = "end_to_end_success"  # metric that is the instruments' verdict on an answer of the test, 0 or 1
