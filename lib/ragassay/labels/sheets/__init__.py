"""Sheets for raters: one row per answer, blinded to system and score, written for a tool and read back.

    answers -> exporter -> csv_sheet | excel | labelstudio | argilla -> people -> returned -> importer

exporter     answers chosen, dealt to the raters, written
sheet        tasks, the guide a rater reads first, texts of strangers made harmless in a cell
csv_sheet, excel, labelstudio, argilla   the formats: write, and read what the tool gives back
returned     what a file that came back holds, whichever of them it is
checking     each cell: a label, or a flaw
importer     every flaw named at once; the labels file written
"""
