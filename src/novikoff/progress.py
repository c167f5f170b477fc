"""Progress of long work, shown on standard error while it runs."""

from collections.abc import Iterator

SLICES = 100


def slices(n: int, passes: int, verbose: int, what: str) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) over n rows, ``passes`` times; with a progress bar when asked.

    Without ``verbose`` a pass is one slice. Slices end where they would have ended anyway for
    nothing but the display: no learner's result depends on them.
    """
    if not verbose:
        for _ in range(passes):
            yield 0, n
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError as error:
        raise ImportError(
            "verbose=1 shows progress with rich: pip install 'novikoff[cli]', or set verbose=0"
        ) from error
    step = max(1, -(-n // SLICES))
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=n * passes)
        for _ in range(passes):
            for start in range(0, n, step):
                stop = min(n, start + step)
                yield start, stop
                progress.advance(task, stop - start)
