"""One table as a page and as markdown flatten it, for the tests of numbers."""

MARKDOWN = """Fern Ltd, income statement (£ in thousands)

| Line | 2023 | 2022 |
|---|---|---|
| Tea sales | 4,310 | 3,920 |
| Coffee sales | 1,250 | 1,475 |
| Result | (215) | 88 |
| Gross margin | 41.5% | 39.0% |

Nineteen people worked for Fern, and the lease runs for 12 years."""
PAGE = """Fern Ltd, income statement (£ in thousands)
2023 2022
Tea sales 4,310 3,920
Coffee sales 1,250 1,475
Result (215) 88
Gross margin 41.5% 39.0%
Nineteen people worked for Fern, and the lease runs for 12 years."""
LAYOUTS = {"markdown": MARKDOWN, "page": PAGE}
