"""The families of metrics, one file each: formulas, measures, and at the end one literal FAMILY with the
rows, the methods of its metrics. `scores/metric_registry.py` lists them; hybrid has several
files.
"""
