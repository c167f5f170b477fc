"""Pages are self-contained, well-formed and say the same to those who do not see them."""

import re
import xml.etree.ElementTree as ET
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest

from novikoff import (
    HigherOrderPerceptron,
    ModifiedBudgetPerceptron,
    Perceptron,
    Projectron,
    SecondOrderPerceptron,
    WhitenedPerceptron,
)
from novikoff.cli.demo_runs import Run
from novikoff.report import (
    Line,
    Page,
    Points,
    certificate_page,
    line_chart,
    scatter_chart,
    sparkline,
)
from novikoff.report.demo import demo_page
from novikoff.report.page import Cell
from novikoff.report.svg import Axis, linear_ticks, log_ticks, spread
from novikoff.theory import certify

VOID = {"meta", "br", "hr", "img", "link", "input"}
SVG = {"title": "T", "description": "D", "x_label": "x", "y_label": "y"}


class Outline(HTMLParser):
    """Collects tags and complains about those that are not closed in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.ids, self.links = [], [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attrs = dict(attrs)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs["href"]] if "href" in attrs else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def a_run(learner, stored=None, **changes):
    fields = {
        "n_rows": 100,
        "n_trials": 100,
        "online_error": 0.2,
        "test_error": 0.1,
        "n_updates": 20,
        "n_support": stored,
        "memory": 1000,
        "rows_per_second": 1e6,
        "trials": (1, 10, 50, 100),
        "errors": (1.0, 0.5, 0.3, 0.2),
        "support": (1, 5, 9, stored or 0),
    }
    return Run(learner, "some rows", **(fields | changes))


def a_page(*runs, skipped=None):
    return demo_page(runs, {"some rows": "About them."}, skipped or {}, "small print").html()


def test_a_page_is_well_formed_and_needs_nothing_from_outside():
    html = a_page(a_run("Perceptron"), a_run("Forgetron", 9))
    outline = Outline(html)
    assert "script" not in outline.tags
    assert "link" not in outline.tags
    assert not re.search(r"(https?:)?//|url\(|@import|src=", html)
    assert outline.tags.count("h1") == 1


def test_links_on_a_page_lead_somewhere():
    outline = Outline(a_page(a_run("Perceptron")))
    assert outline.links
    assert {link.removeprefix("#") for link in outline.links} <= set(outline.ids)


def test_a_page_follows_light_and_dark():
    html = a_page(a_run("Perceptron"))
    assert "prefers-color-scheme: dark" in html
    light, dark = (set(re.findall(r"(--\w+):", part)) for part in html.split("@media", 2)[:2])
    assert dark == light
    assert not re.search(r'(fill|stroke)="#', html)


def test_text_is_escaped_everywhere():
    page = Page("<b>", "a & b")
    page.heading("<i>")
    page.text("1 < 2")
    page.items(["x > y"])
    page.table(["<col>"], [["<row>", "<cell>"]], '"quoted"')
    page.figure(line_chart([Line("<line>", [1, 2], [1, 2])], **(SVG | {"title": "<svg>"})))
    page.footer("<end>")
    html = page.html()
    Outline(html)
    for raw in ("<b>", "<i>", "<col>", "<row>", "<cell>", "<line>", "<end>", "1 < 2"):
        assert raw not in html


def test_tables_have_headings_for_columns_and_rows():
    page = Page("t")
    page.table(["learner", "error"], [["A", Cell("0.1", best=True)], ["B", 0.2]], "Errors.")
    html = page.html()
    assert html.count('<th scope="col">') == 2
    assert html.count('<th scope="row">') == 2
    assert "<caption>Errors.</caption>" in html
    assert '<td class="best">0.1</td>' in html


def test_charts_are_named_for_readers_who_do_not_see_them():
    svg = ET.fromstring(line_chart([Line("a", [1, 2], [3, 4])], **SVG))
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == "T. D"
    assert svg.find("title").text == "T"
    assert svg.find("desc").text == "D"
    assert ET.fromstring(sparkline([1, 2], [1, 1], title="s", y_range=(0.1, 1))).get("aria-label")


def test_a_line_lies_where_its_values_are():
    svg = ET.fromstring(line_chart([Line("a", [0, 5, 10], [0, 50, 100])], **SVG))
    points = svg.find("polyline").get("points").split()
    (x0, y0), (x1, y1), (x2, y2) = ([float(v) for v in p.split(",")] for p in points)
    assert x1 == pytest.approx((x0 + x2) / 2, abs=0.11)
    assert y1 == pytest.approx((y0 + y2) / 2, abs=0.11)
    assert x0 < x2
    assert y0 > y2  # upwards


def test_logarithmic_axes_give_decades_the_same_room():
    axis = Axis(1.0, 1000.0, True, 0.0, 300.0)
    np.testing.assert_allclose([axis(v) for v in (1, 10, 100, 1000)], [0, 100, 200, 300])
    assert axis(0.5) == 0.0  # put on the border


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (3.0, 1234.0), (-5.0, 5.0), (2.0, 2.0)])
def test_linear_ticks_enclose_the_values_in_round_steps(low, high):
    ticks = linear_ticks(low, high)
    assert ticks[0] <= low <= high <= ticks[-1] + 1e-9
    steps = np.diff(ticks)
    np.testing.assert_allclose(steps, steps[0])
    assert 2 <= len(ticks) <= 12


@pytest.mark.parametrize(("low", "high"), [(1, 1e6), (0.04, 0.9), (0.2, 0.3), (0.21, 0.22)])
def test_logarithmic_ticks_lie_within_and_rise(low, high):
    ticks = log_ticks(low, high)
    assert len(ticks) >= 2
    assert low * 0.99 <= ticks[0] < ticks[-1] <= high * 1.01
    assert sorted(ticks) == ticks


def test_the_longest_tick_stays_clear_of_the_axis_name():
    svg = ET.fromstring(line_chart([Line("a", [0, 1], [0, 4e9])], **SVG))
    ticks = [t for t in svg.findall("text") if t.get("text-anchor") == "end"]
    longest = max(ticks, key=lambda tick: len(tick.text))
    assert longest.text == "1,000,000,000"
    assert float(longest.get("x")) - 7.0 * len(longest.text) > 14.0 + 8.0


def test_labels_are_moved_apart_and_keep_their_order():
    wishes = [50.0, 52.0, 51.0, 200.0, 0.0, 299.0, 298.0]
    places = spread(wishes, 15.0, 0.0, 300.0)
    assert np.argsort(places).tolist() == np.argsort(wishes).tolist()
    assert np.diff(np.sort(places)).min() >= 15.0 - 1e-9
    assert min(places) >= 7.5
    assert max(places) <= 292.5
    assert places[3] == 200.0  # one that nothing touches stays


def test_many_lines_make_a_taller_chart_and_differ_in_stroke():
    lines = [Line(f"l{i}", [1, 2], [i, i + 1], i) for i in range(24)]
    svg = ET.fromstring(line_chart(lines, **SVG, height=100))
    assert float(svg.get("viewBox").split()[3]) >= 24 * 15
    strokes = [(e.get("stroke"), e.get("stroke-dasharray")) for e in svg.findall("polyline")]
    assert len(set(strokes)) == 24


def test_grey_lines_lie_below_and_have_no_label():
    svg = ET.fromstring(line_chart([Line("a", [1, 2], [1, 2]), Line("g", [1], [1], None)], **SVG))
    assert svg.findall("polyline")[0].get("stroke") == "var(--faint)"
    assert [t.text for t in svg.findall("text") if t.get("class") == "name"] == ["a"]


def test_a_chart_without_lines_is_refused():
    with pytest.raises(ValueError, match="lines must hold at least one line"):
        line_chart([], **SVG)


def test_points_lie_where_their_values_are_and_groups_differ_in_mark():
    groups = [
        Points("a", [0, 5, 10, np.nan], [0, 50, 100, 1]),
        Points("b", [5.0], [100.0], style=1),
    ]
    svg = ET.fromstring(scatter_chart(groups, **SVG))
    assert svg.find("title").text == "T"
    assert svg.find("polyline") is None
    a, a_key, b, b_key = (g for g in svg.findall("g") if g.get("class") == "dots")
    (x0, y0), (x1, y1), (x2, y2) = (
        (float(c.get("cx")), float(c.get("cy"))) for c in a.findall("circle")
    )
    assert x1 == pytest.approx((x0 + x2) / 2, abs=0.11)
    assert y1 == pytest.approx((y0 + y2) / 2, abs=0.11)
    assert x0 < x2
    assert y0 > y2
    assert (float(b.find("circle").get("cx")), float(b.find("circle").get("cy"))) == (x1, y2)
    assert a.get("fill") == a_key.get("fill") != b.get("fill") == b_key.get("fill")
    assert [t.text for t in svg.findall("text") if t.get("class") == "name"] == ["a", "b"]
    with pytest.raises(ValueError, match="groups must hold at least one group of points"):
        scatter_chart([], **SVG)


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        SecondOrderPerceptron(kernel="rbf"),
        Projectron(eta=0.3),
        HigherOrderPerceptron(),
        WhitenedPerceptron(),
        ModifiedBudgetPerceptron(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_certificate_is_drawn(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    certificate = certify(model, X, (X[:, 0] + 0.3 * rng.normal(size=90) > 0).astype(int))
    html = certificate_page(certificate).html()
    Outline(html)
    for words in (certificate.learner, certificate.theorem, f"{certificate.bound:.1f}"):
        assert escape(words) in html
    mistakes, bounds = (ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html))
    curve, bound = (line.get("points").split() for line in mistakes.findall("polyline"))
    assert len(curve) == len(certificate.curve)
    height = [float(point.split(",")[1]) for point in bound]
    assert height[0] == height[1] <= min(float(point.split(",")[1]) for point in curve)
    assert len(bounds.findall("polyline")) == 3


def test_the_demo_page_shows_every_run():
    html = a_page(
        a_run("Perceptron", online_error=0.1, memory=31_000),
        a_run("Slow", n_trials=50),
        Run("Odd", "some rows", refused="Odd learns two classes only"),
        skipped={"StructuredPerceptron": "needs problem, which has no default"},
    )
    assert '<td class="best">10.0 %</td>' in html
    assert "Slow (first 50 rows)" in html
    assert "<td>20.0 %*</td>" in html
    assert "* Time was up before the last row" in html
    assert "Time was up" not in a_page(a_run("Perceptron"))
    assert "Odd: Odd learns two classes only" in html
    assert "StructuredPerceptron was left out: it needs problem, which has no default." in html
    assert "31 kB" in html
    assert "rows stored</th>" not in html


def test_the_demo_page_begins_with_who_made_the_fewest_mistakes():
    html = a_page(
        a_run("Perceptron", online_error=0.1),
        a_run("Hasty", online_error=0.01, n_trials=50),
        a_run("Forgetron", 9, online_error=0.2),
        a_run("Projectron", 4, online_error=0.2),
    )
    glance = html[: html.index("Online error</h2>")]
    for text in ("Perceptron, 10.0 %", "Projectron, 20.0 %", "4 of 100"):
        assert text in glance
    for text in ("Hasty", "Forgetron"):
        assert text not in glance
    assert '<td class="best">10.0 %</td>' in html
    assert '<td class="best">1.0 %</td>' not in html


def test_kernel_learners_get_their_own_picture_and_column():
    html = a_page(a_run("Perceptron"), a_run("Forgetron", 9))
    assert html.count('<svg class="chart"') == 3
    assert "rows stored</th>" in html


def test_a_data_set_that_every_learner_refused_is_still_described():
    html = a_page(Run("Odd", "some rows", refused="no"))
    assert "About them." in html
    Outline(html)


def test_curves_that_reach_no_error_or_few_rows_can_be_drawn():
    Outline(a_page(a_run("Zero", errors=(0.0, 0.0, 0.0, 0.0))))
    Outline(a_page(a_run("Short", trials=(1, 2), errors=(1.0, 0.5), support=(0, 0))))


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    target = tmp_path / "page.html"
    target.write_text("old")
    page = Page("t")
    assert page.write(target) == target
    assert target.read_text(encoding="utf-8") == page.html()
    page.text("\ud800")  # cannot be encoded
    with pytest.raises(UnicodeEncodeError):
        page.write(target)
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]


def test_a_page_cannot_be_written_where_there_is_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        Page("t").write(tmp_path / "none" / "page.html")
