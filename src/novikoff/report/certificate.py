"""The page that shows a certificate of a run."""

from typing import TYPE_CHECKING

from novikoff.report.page import Cell, Page
from novikoff.report.svg import Line, line_chart

if TYPE_CHECKING:
    from novikoff.theory import Certificate

TALL = 50.0  # times the bound: where its picture ends


def certificate_page(certificate: "Certificate") -> Page:
    """Draw the mistakes of a run under their bound, and the bound over the margin.

    Parameters
    ----------
    certificate : Certificate
        From :func:`novikoff.theory.certify`.

    Returns
    -------
    page : Page

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.report import certificate_page
    >>> from novikoff.theory import certify
    >>> certificate = certify(Perceptron(), [[3.0, 4.0], [-3.0, -4.0], [0.0, 5.0]], [1, 0, 1])
    >>> "P2 Theorem 3" in certificate_page(certificate).html()
    True
    """
    headline, *lines = str(certificate).splitlines()
    page = Page(headline)
    page.figure(
        _mistakes(certificate), "Mistakes up to each trial, and the bound on their number."
    )
    page.figure(
        _bounds(certificate),
        "The bound that this comparator gives at other margins: a large margin is charged with "
        "more hinge loss, a small one makes the comparator long. The vertical line is the margin "
        "taken.",
    )
    named = [line.strip().split("  ", maxsplit=1) for line in lines]
    page.table(["", ""], [[name, Cell(value.strip(), prose=True)] for name, value in named])
    return page


def _mistakes(certificate: "Certificate") -> str:
    trials, mistakes = zip(*certificate.curve, strict=True)
    return line_chart(
        [
            Line("mistakes", trials, mistakes, 0),
            Line("bound", (trials[0], trials[-1]), (certificate.bound,) * 2, 1),
        ],
        title=f"{certificate.learner}: mistakes and their bound",
        description=f"{certificate.mistakes} mistakes, bound {certificate.bound:.4g}.",
        x_label="trial",
        y_label="mistakes",
        log_x=True,
        log_y=True,
    )


def _bounds(certificate: "Certificate") -> str:
    near = [(m, bound) for m, bound in certificate.profile if bound <= TALL * certificate.bound]
    margins, bounds = zip(*near, strict=True)
    ends, mistakes, taken = (margins[0], margins[-1]), certificate.mistakes, certificate.margin
    return line_chart(
        [
            Line("bound", margins, bounds, 1),
            Line("mistakes", ends, (mistakes,) * 2, 0),
            Line("margin taken", (taken, taken), (mistakes, max(bounds)), None),
        ],
        title=f"{certificate.learner}: the bound over the margin",
        description=f"Smallest at {taken:.4g}.",
        x_label="margin",
        y_label="mistakes",
        log_x=True,
        log_y=True,
    )
