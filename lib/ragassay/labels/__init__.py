"""What people say of the answers: sheets out, labels in, and how far the raters agree.

    answers -> sheets -> people -> sheet_import -> labels.csv -> human_labels -> raters

dimensions              what is judged and on which scale: grounded on 0-1, relevant on 1-5
sheets/                 sheets for raters, and what comes back: CSV, Excel, Label Studio, Argilla
human_labels            labels read and joined to the answers, several raters made one
labels_file             the rows of a labels file, read and checked
agreement_coefficients  Krippendorff's alpha, Gwet's AC, rank correlation
raters                  how far they agree, whether it carries a calibration; which answers they accept
"""
