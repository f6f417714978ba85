"""Sheets for raters: one row per answer, blinded to system and score, written for a tool and read back.

answers -> sheet_export -> csv_sheet | excel | label_studio | argilla -> people -> returned_sheets ->
sheet_import

sheet_export     answers chosen, dealt to the raters, written
sheet            tasks drawn and dealt, the guide, texts of strangers made harmless in a cell
csv_sheet, excel, label_studio, argilla  the formats: write, and read what the tool gives back
returned_sheets  what a file that came back holds, whichever of them it is
sheet_import     each cell a label or a flaw, every flaw named at once; the labels file written
"""
