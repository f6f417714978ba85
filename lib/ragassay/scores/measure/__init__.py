"""From one answer's material to a value and its sentence-level evidence: words above the array functions of the families.

Each function takes (material, tools) and returns (value, detail). ValueError says that the value does not exist; NotApplicable that there is
nothing to judge.
"""
