"""What raters say: sheets out, labels in, and how far the raters agree."""
