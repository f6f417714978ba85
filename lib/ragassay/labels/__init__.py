"""What people say of the answers: sheets out, labels in, and how far the raters agree.

    answers -> sheets -> people -> import_sheets -> labels.csv -> human_labels -> raters

dimensions     what is judged and on which scale: grounded on 0-1, relevant on 1-5
sheets         answers drawn, dealt to the raters, written; what came back: each cell a label or a flaw
sheet_formats  CSV, Excel, Label Studio: written, and read as they come back; texts of strangers made harmless
human_labels   labels read and joined to the answers; what they accept as scores
raters         how far they agree (Krippendorff, Gwet, rank correlation); which answers they accept
"""
