"""Getting answers labelled by people: what to label, on what, and what came back.

    answers -> draw (planner, choosing) -> sheet (tables, workbook, labelstudio, argilla) -> people ->
    returned -> checking -> labels.csv

dimensions   what is judged and on which scale: grounded:0-1
planner      what n labels buy: widths of intervals, size and coverage of prediction sets, what is left of
             sensitivity and specificity
choosing     the answers to label: at random, and beside them those of which a label teaches most
sheet        tasks blinded to system and score, in each rater's own order
texts        texts of strangers made harmless in a cell, and back
guide        what a rater reads first
tables       the sheet as CSV
workbook     the sheet as an Excel workbook, with the guide on a second sheet
labelstudio  tasks and set-up for Label Studio, and its export
argilla      records and settings for Argilla, and its export
returned     what a file that came back holds, whichever of them it is
checking     every cell checked, every flaw named at once
desk, widget labelling by hand in JupyterLab, each click saved
terminal     `ragassay label`, in words
commands     its options
"""
