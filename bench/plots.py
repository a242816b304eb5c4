"""`python -m bench plots`: pictures of the results that lie in `bench/results`."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Figures = Mapping[str, Any]
_SIZE: Final = (7, 4.2)
# Published figures of the held-out split beside which ours stand: Smriti 0.4.2, its own laboratory.
_SMRITI: Final = {"1500": 63.8, "3000": 73.6, "9000": 84.7}
_APPENDED: Final = (1, 10, 100, 1_000)


def draw_results(folder: Path) -> list[Path]:
    """Draw every result that there is a picture for, beside it, as SVG.

    Args:
        folder: Where the results lie.

    Returns:
        The pictures, in order of their names.

    Raises:
        ValueError: None of the results that can be drawn is there.
    """
    drawn = [
        _drawn(folder / f"{name}.json", draw)
        for name, draw in sorted(_PICTURES.items())
        if (folder / f"{name}.json").exists()
    ]
    if not drawn:
        raise ValueError(f"no result of {', '.join(sorted(_PICTURES))} lies in {folder}")
    return drawn


def _drawn(result: Path, draw: "Callable[[Axes, Figures], None]") -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    found = json.loads(result.read_text("utf-8"))
    # The same result gives the same bytes.
    with rc_context({"svg.hashsalt": result.stem}):
        figure: Figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        draw(axes, found["figures"])
        axes.grid(visible=True, axis="y", alpha=0.3)
        axes.set_axisbelow(True)
        axes.legend(fontsize="small")
        machine = found["machine"]
        figure.supxlabel(f"{machine['cores']} cores, {machine['cpu']}", fontsize="x-small")
        picture = result.with_suffix(".svg")
        figure.savefig(picture, metadata={"Date": None})
    return picture


def _bars(axes: "Axes", groups: Sequence[str], series: Mapping[str, Sequence[float]]) -> None:
    """Draw groups of bars, one bar a series, each with its value on top."""
    width = 0.8 / len(series)
    for number, (name, values) in enumerate(series.items()):
        left = -0.4 + width * (number + 0.5)
        places = [group + left for group in range(len(groups))]
        bars = axes.bar(places, values, width, label=name)
        axes.bar_label(bars, fmt="{:,.0f}", fontsize="xx-small", padding=2)
    axes.set_xticks(range(len(groups)), groups)


def _locomo(axes: "Axes", figures: Figures) -> None:
    for split, above in zip(sorted(figures), (6, -14), strict=False):  # dev lies above test
        context = figures[split]["context"]
        values = [context[budget]["ctx_full"] for budget in context]
        axes.plot(list(context), values, marker="o", label=f"{split} split")
        for budget, value in zip(context, values, strict=True):
            axes.annotate(f"{value:.1f}", (budget, value), (-10, above), textcoords="offset points")
    shown = next(iter(figures.values()))["context"]
    compared = {budget: value for budget, value in _SMRITI.items() if budget in shown}
    axes.plot(
        list(compared), list(compared.values()), "--", marker="x", label="Smriti 0.4.2, published"
    )
    axes.margins(x=0.1)
    axes.set(ylim=(50, 100), xlabel="characters of context", ylabel="% of the evidence inside")
    axes.set_title("LoCoMo: evidence in the context")


def _growth(axes: "Axes", figures: Figures) -> None:
    sizes = sorted(map(int, figures))
    for name, label in (
        ("append_events_per_s", "append, 1,000 a commit"),
        ("verify_events_per_s", "verify"),
        ("verified_replay_events_per_s", "read with every check"),
        ("export_events_per_s", "export"),
    ):
        measured = [size for size in sizes if name in figures[str(size)]]
        axes.plot(measured, [figures[str(s)][name] for s in measured], marker="o", label=label)
    axes.set(xscale="log", ylim=(0, None), xlabel="events in the log", ylabel="events a second")
    axes.set_title("A log that grows costs the same per event")


def _log(axes: "Axes", figures: Figures) -> None:
    series = {
        "this library": "events_per_s",
        "sqlite3 by hand, the same hashing": "raw_events_per_s",
        "eventsourcing, no hashing": "peer_events_per_s",
    }
    _bars(
        axes,
        [f"{count:,}" for count in _APPENDED],
        {
            label: [figures[f"append_{count}"][name] for count in _APPENDED]
            for label, name in series.items()
        },
    )
    axes.set(yscale="log", xlabel="events a commit", ylabel="events a second, durable")
    axes.set_title("Appending")


def _search(axes: "Axes", figures: Figures) -> None:
    plain = {
        size: found["without_token_vectors"]
        for size, found in figures.items()
        if "without_token_vectors" in found
    }
    for of_sizes, name, colour in (
        (figures, "with token vectors", "tab:blue"),
        (plain, "without", "tab:orange"),
    ):
        turns = sorted(map(int, of_sizes))
        for share, line in (("p50", "-"), ("p95", "--")):
            times = [of_sizes[str(size)]["search_and_context_ms"][share] for size in turns]
            axes.plot(turns, times, line, color=colour, marker="o", label=f"{name}, {share}")
    axes.set(xlabel="turns", ylabel="milliseconds", xscale="log", ylim=(0, None))
    axes.set_title("A search and its context, without the question's embedding")


def _peers(axes: "Axes", figures: Figures) -> None:
    for system, label in _by_system(figures["speed"]):
        sizes = [size for size in figures["speed"] if system in figures["speed"][size]]
        sizes = [size for size in sizes if "search_p50_ms" in figures["speed"][size][system]]
        times = [figures["speed"][size][system]["search_p50_ms"] for size in sizes]
        axes.plot([int(size) for size in sizes], times, marker="o", label=label)
    axes.set(xscale="log", yscale="log", xlabel="turns", ylabel="milliseconds a search, p50")
    axes.set_title("Beside others, the same vectors, without their time")


def _by_system(speed: Figures) -> list[tuple[str, str]]:
    versions = {
        system: found.get("version", "")
        for systems in speed.values()
        for system, found in systems.items()
    }
    return [(system, f"{system} {version}") for system, version in versions.items()]


_PICTURES: "Final[Mapping[str, Callable[[Axes, Figures], None]]]" = {
    "growth": _growth,
    "locomo": _locomo,
    "log": _log,
    "peers": _peers,
    "search": _search,
}
