"""The families of metrics, one file each: formulas and measures; hybrid has several files. metrics.csv holds
a row for each metric, methods.csv how families compute.
"""
