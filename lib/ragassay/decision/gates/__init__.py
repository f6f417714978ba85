"""Gates: thresholds on an interval's bound, written, judged, waived; the answers and findings behind them."""
