"""Pages to look at: one self-contained HTML file, its pictures drawn inline.

A page needs no network, no script and nothing but a browser; it follows the reader's light or dark
setting, its tables are tables and its pictures have titles.
"""

from novikoff.report.certificate import certificate_page
from novikoff.report.page import Page
from novikoff.report.svg import Line, Points, line_chart, scatter_chart, sparkline

__all__ = [
    "Line",
    "Page",
    "Points",
    "certificate_page",
    "line_chart",
    "scatter_chart",
    "sparkline",
]
