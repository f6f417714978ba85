"""What people say of the answers: sheets out, labels in, and how far the raters agree.

    answers -> sheets -> people -> sheet_import -> labels.csv -> human_labels -> raters

dimensions              what is judged and on which scale: grounded on 0-1, relevant on 1-5
sheets                  answers drawn, dealt to the raters, written; texts of strangers made harmless
sheet_formats           CSV, Excel, Label Studio: written, and read as they come back
sheet_import            each cell a label or a flaw, every flaw named at once; the labels file written
human_labels            labels read and joined to the answers; what they accept as scores
raters                  how far they agree, whether it carries a calibration; which answers they accept
agreement_coefficients  Krippendorff's alpha, Gwet's AC, rank correlation
"""
