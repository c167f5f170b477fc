"""Charts of lines and of points as SVG text.

Colours are the page's CSS variables ``--c0`` to ``--c7``; past eight lines the strokes are dashed.
Each line is named at its right end, so that no legend has to be matched with it; groups of points,
which have no end, are named in a list beside the picture, each by its own mark.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

HUES = 8
DASHES = ("", "7 4", "2 3")
DOT = 2.2  # radius of a point
LABEL_HEIGHT = 15.0
CHARACTER = 7.0  # width of one in a label of 12.5 px, roomy
LEFT, TOP, BOTTOM = 34.0, 14.0, 46.0  # left of the ticks' texts stands the axis's name


@dataclass(frozen=True)
class Line:
    """A named line; ``style`` numbers its colour and dashes, None draws it in grey unnamed.

    Examples
    --------
    >>> from novikoff.report import Line
    >>> Line("Perceptron", x=[1, 10, 100], y=[1, 4, 9]).style
    0
    """

    name: str
    x: Any
    y: Any
    style: int | None = 0


@dataclass(frozen=True)
class Points:
    """A named group of points; ``style`` numbers its colour and mark.

    Every other style is hollow, so that two groups differ without colours, too.

    Examples
    --------
    >>> from novikoff.report import Points
    >>> Points("positive", x=[0.5, 1.5], y=[2.0, -1.0]).style
    0
    """

    name: str
    x: Any
    y: Any
    style: int = 0


class Axis:
    """From values to positions between ``start`` and ``stop``, linear or logarithmic."""

    def __init__(self, low: float, high: float, log: bool, start: float, stop: float) -> None:
        self.log, self.start, self.stop = log, start, stop
        self.ticks = log_ticks(low, high) if log else linear_ticks(low, high)
        self.low = min(low, self.ticks[0]) if log else self.ticks[0]
        self.high = max(high, self.ticks[-1])

    def ending_at(self, high: float) -> "Axis":
        """This axis, without what lies past ``high``."""
        self.ticks = [tick for tick in self.ticks if tick <= high]
        self.high = high
        return self

    def __call__(self, value: float) -> float:
        """Position of a value; values outside are put on the border."""
        value = min(max(value, self.low), self.high)
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.stop - self.start)


def linear_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers in steps of 1, 2 or 5 times a power of ten, from at most ``low`` on."""
    if high == low:
        high = low + (abs(low) or 1.0)
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= raw * 0.999)
    first = math.floor(low / step + 1e-9)
    return [i * step for i in range(first, math.ceil(high / step - 1e-9) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten between the two, or 1, 2, 5 times powers where there are few."""
    for factors in ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [f * 10.0**k for k in powers for f in factors]
        ticks = [t for t in ticks if low * 0.999 <= t <= high * 1.001]
        if len(ticks) >= 3:
            return ticks
    return [low, high] if high > low else [low]


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions moved apart to at least ``gap``, in the same order, within bounds if they fit."""
    order = sorted(range(len(positions)), key=positions.__getitem__)
    groups: list[list[float]] = []  # [centre of the wishes, how many]: stacks that touch
    for i in order:
        groups.append([positions[i], 1.0])
        while len(groups) > 1 and _top(groups[-1], gap, low, high) < _end(
            groups[-2], gap, low, high
        ):
            centre, n = groups.pop()
            groups[-1][0] = (groups[-1][0] * groups[-1][1] + centre * n) / (groups[-1][1] + n)
            groups[-1][1] += n
    placed: list[float] = []
    for group in groups:
        top = _top(group, gap, low, high)
        placed.extend(top + gap * (k + 0.5) for k in range(int(group[1])))
    result = [0.0] * len(positions)
    for i, position in zip(order, placed, strict=True):
        result[i] = position
    return result


def _top(group: list[float], gap: float, low: float, high: float) -> float:
    size = group[1] * gap
    return max(low, min(group[0] - size / 2, high - size))


def _end(group: list[float], gap: float, low: float, high: float) -> float:
    return _top(group, gap, low, high) + group[1] * gap


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    description: str,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    y_range: tuple[float, float] | None = None,
    format_x: Callable[[float], str] = "{:,.10g}".format,
    format_y: Callable[[float], str] = "{:,.10g}".format,
    width: int = 960,
    height: int = 420,
) -> str:
    """Draw lines over common axes.

    Parameters
    ----------
    lines : sequence of Line
    title, description : str
        For readers who do not see the picture; the title also shows on hovering.
    x_label, y_label : str
    log_x, log_y : bool, default=False
        Logarithmic axes; values that are not positive are left out or put on the lower border.
    y_range : tuple of two floats, optional
        Limits of the y axis; None: the smallest and the largest value.
    format_x, format_y : callable
        From a tick's value to its text.
    width, height : int
        In the picture's own units; it scales with the page.

    Returns
    -------
    svg : str

    Examples
    --------
    >>> from novikoff.report import Line, line_chart
    >>> svg = line_chart(
    ...     [Line("squares", [1, 2, 3], [1, 4, 9])],
    ...     title="Squares",
    ...     description="They grow.",
    ...     x_label="n",
    ...     y_label="n squared",
    ... )
    >>> svg.startswith("<svg") and "squares" in svg
    True
    """
    if not lines:
        raise ValueError("lines must hold at least one line")
    named = [line for line in lines if line.style is not None]
    right = 16.0 + CHARACTER * max((len(line.name) for line in named), default=0)
    height = max(height, int(TOP + BOTTOM + LABEL_HEIGHT * len(named)))
    xs, ys = _all(lines, "x"), _all(lines, "y")
    x_low, x_high = _range(xs, log_x)
    y_axis = Axis(*(y_range or _range(ys, log_y)), log_y, height - BOTTOM, TOP)
    left = _left(y_axis, format_y)
    x_axis = Axis(x_low, x_high, log_x, left, width - right - 8.0).ending_at(x_high)
    parts = [_grid(x_axis, y_axis, x_label, y_label, format_x, format_y)]
    parts += [_polyline(line, x_axis, y_axis) for line in sorted(lines, key=_grey_first)]
    ends = [y_axis(float(np.asarray(line.y)[-1])) for line in named]
    places = spread(ends, LABEL_HEIGHT, TOP - 6.0, height - BOTTOM + 6.0)
    for line, end, place in zip(named, ends, places, strict=True):
        parts.append(_label(line, x_axis(float(np.asarray(line.x)[-1])), end, place, x_axis.stop))
    return _chart(parts, title, description, width, height)


def scatter_chart(
    groups: Sequence[Points],
    *,
    title: str,
    description: str,
    x_label: str,
    y_label: str,
    width: int = 760,
    height: int = 420,
) -> str:
    """Draw groups of points over common linear axes.

    Parameters
    ----------
    groups : sequence of Points
        Points that are not finite are left out.
    title, description : str
        For readers who do not see the picture; the title also shows on hovering.
    x_label, y_label : str
    width, height : int
        In the picture's own units; it scales with the page.

    Returns
    -------
    svg : str

    Examples
    --------
    >>> from novikoff.report import Points, scatter_chart
    >>> svg = scatter_chart(
    ...     [Points("inside", [0.0, 0.5], [0.1, -0.2]), Points("outside", [3.0], [2.0], style=1)],
    ...     title="Two classes",
    ...     description="One lies about the origin.",
    ...     x_label="first",
    ...     y_label="second",
    ... )
    >>> svg.count("<circle")
    5
    """
    if not groups:
        raise ValueError("groups must hold at least one group of points")
    right = 40.0 + CHARACTER * max(len(group.name) for group in groups)
    plain = "{:,.10g}".format
    y_axis = Axis(*_range(_all(groups, "y"), False), False, height - BOTTOM, TOP)
    left = _left(y_axis, plain)
    x_axis = Axis(*_range(_all(groups, "x"), False), False, left, width - right)
    parts = [_grid(x_axis, y_axis, x_label, y_label, plain, plain)]
    for place, group in enumerate(groups):
        mark, middle = _mark(group.style), TOP + LABEL_HEIGHT * (place + 0.5)
        dots = "".join(
            f'<circle cx="{x_axis(float(x)):.1f}" cy="{y_axis(float(y)):.1f}" r="{DOT}"/>'
            for x, y in zip(group.x, group.y, strict=True)
            if math.isfinite(x) and math.isfinite(y)
        )
        parts.append(f'<g class="dots" {mark}><title>{escape(group.name)}</title>{dots}</g>')
        parts.append(
            f'<g class="dots" {mark}><circle cx="{x_axis.stop + 16:.1f}" cy="{middle:.1f}" '
            f'r="{1.5 * DOT:.1f}"/></g><text class="name" x="{x_axis.stop + 26:.1f}" '
            f'y="{middle + 4:.1f}" fill="var(--c{group.style % HUES})">{escape(group.name)}</text>'
        )
    return _chart(parts, title, description, width, height)


def sparkline(
    x: Any, y: Any, *, title: str, y_range: tuple[float, float], style: int | None = 0
) -> str:
    """Draw one line the size of a word, both axes logarithmic.

    Parameters
    ----------
    x, y : sequences of floats
    title : str
    y_range : tuple of two floats
        Limits of the y axis, for lines that are to be compared.
    style : int or None, default=0
        As a :class:`Line`'s.

    Returns
    -------
    svg : str

    Examples
    --------
    >>> from novikoff.report import sparkline
    >>> sparkline([1, 10, 100], [1.0, 0.5, 0.2], title="falls", y_range=(0.1, 1.0))[:22]
    '<svg class="spark" vie'
    """
    x_axis = Axis(float(x[0]), float(x[-1]), True, 1.0, 95.0)
    y_axis = Axis(*y_range, True, 21.0, 1.0)
    return (
        f'<svg class="spark" viewBox="0 0 96 22" role="img" aria-label="{escape(title)}">'
        + _polyline(Line(title, x, y, style), x_axis, y_axis)
        + "</svg>"
    )


def _chart(parts: Sequence[str], title: str, description: str, width: int, height: int) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(title)}. {escape(description)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
        + "".join(parts)
        + "</svg>"
    )


def _all(drawn: Sequence[Line] | Sequence[Points], name: str) -> np.ndarray:
    return np.concatenate([np.asarray(getattr(one, name), float) for one in drawn])


def _range(values: np.ndarray, log: bool) -> tuple[float, float]:
    values = values[np.isfinite(values) & ((values > 0) | (not log))]
    if values.size == 0:
        return (1.0, 10.0) if log else (0.0, 1.0)
    return float(values.min()), float(values.max())


def _left(y_axis: Axis, format_y: Callable[[float], str]) -> float:
    """Where the picture begins, so that the longest tick's text does not reach the axis's name."""
    return LEFT + CHARACTER * max(len(format_y(tick)) for tick in y_axis.ticks)


def _grey_first(line: Line) -> bool:
    return line.style is not None


def _stroke(style: int | None) -> str:
    if style is None:
        return 'stroke="var(--faint)"'
    dash = DASHES[style // HUES % len(DASHES)]
    return f'stroke="var(--c{style % HUES})"' + (f' stroke-dasharray="{dash}"' if dash else "")


def _mark(style: int) -> str:
    colour = f"var(--c{style % HUES})"
    return f'fill="{"none" if style % 2 else colour}" stroke="{colour}"'


def _polyline(line: Line, x_axis: Axis, y_axis: Axis) -> str:
    points = " ".join(
        f"{x_axis(float(x)):.1f},{y_axis(float(y)):.1f}"
        for x, y in zip(line.x, line.y, strict=True)
        if math.isfinite(y)
    )
    return (
        f'<polyline class="line" {_stroke(line.style)} points="{points}">'
        f"<title>{escape(line.name)}</title></polyline>"
    )


def _label(line: Line, x: float, end: float, place: float, border: float) -> str:
    leader = f"M{x:.1f} {end:.1f}L{border + 3:.1f} {end:.1f}L{border + 12:.1f} {place:.1f}"
    return (
        f'<path class="leader" {_stroke(line.style)} d="{leader}"/>'
        f'<text class="name" x="{border + 16:.1f}" y="{place + 4:.1f}" '
        f'fill="var(--c{(line.style or 0) % HUES})">{escape(line.name)}</text>'
    )


def _grid(
    x_axis: Axis,
    y_axis: Axis,
    x_label: str,
    y_label: str,
    format_x: Callable[[float], str],
    format_y: Callable[[float], str],
) -> str:
    left, right, bottom, top = x_axis.start, x_axis.stop, y_axis.start, y_axis.stop
    parts = []
    for tick in y_axis.ticks:
        y = y_axis(tick)
        parts.append(f'<path class="grid" d="M{left:.1f} {y:.1f}H{right:.1f}"/>')
        parts.append(
            f'<text class="tick" x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">'
            f"{escape(format_y(tick))}</text>"
        )
    for tick in x_axis.ticks:
        x = x_axis(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>')
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{bottom + 18:.1f}" text-anchor="middle">'
            f"{escape(format_x(tick))}</text>"
        )
    parts.append(f'<path class="axis" d="M{left:.1f} {bottom:.1f}H{right:.1f}"/>')
    parts.append(
        f'<text class="axis-name" x="{(left + right) / 2:.1f}" y="{bottom + 38:.1f}" '
        f'text-anchor="middle">{escape(x_label)}</text>'
    )
    middle = (top + bottom) / 2
    parts.append(
        f'<text class="axis-name" transform="translate(14 {middle:.1f}) rotate(-90)" '
        f'text-anchor="middle">{escape(y_label)}</text>'
    )
    return "".join(parts)
