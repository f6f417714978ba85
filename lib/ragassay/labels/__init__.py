"""What people say of the answers: sheets out, labels in, and how far the raters agree.

    answers -> sheets -> people -> import_sheets -> labels.csv -> human_labels -> raters

sheets         answers drawn, dealt to the raters, written; what came back: each cell a label or a flaw
sheet_formats  what a sheet asks (dimensions); CSV, Excel, Label Studio: written, and read as they come back
human_labels   scales; labels read and joined to the answers; what they accept as scores
raters         how far they agree (Krippendorff, Gwet, rank correlation); which answers they accept
"""
