# SPDX-License-Identifier: Apache-2.0
"""The checksum offload peripheral with PicoRV32: against software, its bus cost, and in batches.

The tables and figures of the published peripheral (S5.4, S5.5), with its values beside ours.
Clocks are those that the processor counts around a call of the driver; "without bus" are those in
which the peripheral is busy, from its start to its result.
"""

from matplotlib.figure import Figure

from toehold import checksum_system

PRESETS = ("small",)  # the engine has no part in it
WIDTHS = (64, 512)
COLUMNS = (
    *("kind", "width_bits", "bytes", "software_clocks", "peripheral_clocks", "percent"),
    *("without_bus_clocks", "clocks", "standing_clocks_each"),
)
NOTES = (
    "PicoRV32 without multiplier, program in local memory, segments in memory on chip that it"
    " shares with the peripheral. A filled batch writes each descriptor and takes each result by"
    " the driver; a standing one repeats descriptors and reads the results where they are."
)

# Published: bytes, peripheral, software, without bus; of a PowerPC 405 on a Virtex-II Pro.
PUBLISHED = {
    1: (2609.42, 711.51, 250.37),
    10: (2600.75, 943.24, 241.70),
    20: (2601.05, 1178.94, 242.00),
    30: (2600.63, 1443.56, 241.58),
    40: (2600.93, 1719.13, 241.88),
    50: (2601.41, 1899.50, 242.36),
    60: (2600.64, 2134.63, 241.59),
    70: (2595.91, 2404.07, 236.86),
    80: (2594.70, 2669.24, 235.65),
    90: (2595.15, 2850.77, 236.10),
    100: (2594.62, 3087.90, 235.57),
    150: (2609.56, 4323.49, 250.51),
    500: (2599.94, 12674.46, 240.89),
    1000: (2645.74, 24728.64, 286.69),
    3000: (3011.93, 72697.21, 652.88),
    10000: (4020.67, 240683.31, 1661.62),
    20000: (5470.95, 480401.90, 3111.90),
    30000: (6925.61, 720437.56, 4566.56),
    40000: (8493.96, 960171.36, 6134.91),
    50000: (10014.65, 1199693.07, 7655.60),
    60000: (11596.51, 1440187.15, 9237.46),
    65535: (12400.60, 1572534.65, 10041.55),
}
ACCESSES = (
    ("write of the address", 482.24),
    ("write of the byte count", 443.39),
    ("write of the start", 443.93),
    ("read of the status", 272.49),
    ("read of the result", 273.07),
)
PUBLISHED_SLOPES = {"software": 23.986, "peripheral": 0.1492}
LINEAR_FROM = 1000  # bytes; below, starting up is not small beside the rest


def measure(request):
    rows, summary = [], {}
    for width in request.widths:
        request.tell(f"{width} bits")
        reports = checksum_system.run(width, request.quick)
        lengths = [words for kind, words in reports if kind == "length"]
        rows += [_length(width, words) for words in lengths]
        rows += [_access(width, words) for kind, words in reports if kind == "access"]
        rows += [_batch(width, words) for kind, words in reports if kind == "batch"]
        rows += [
            {"kind": "interrupt", "width_bits": width, "bytes": words["bytes"]}
            | {"clocks": words["clocks"]}
            for kind, words in reports
            if kind == "interrupt"
        ]
        slopes = {
            name: round(_slope(lengths, key), 6)
            for name, key in (
                ("software", "straight"),
                ("optimised", "optimised"),
                ("peripheral", "busy"),
            )
        }
        rows += [
            {
                "kind": "slope",
                "width_bits": width,
                "what": name,
                "slope_clocks_per_byte": slope,
                "published_clocks_per_byte": PUBLISHED_SLOPES.get(name),
            }
            for name, slope in slopes.items()
        ]
        summary[f"clocks_per_byte_w{width}"] = slopes["peripheral"]
        if width == request.widths[0]:
            summary["software_clocks_per_byte"] = slopes["software"]
            summary["crossover_bytes"] = _crossover(lengths, "straight")
            summary["crossover_optimised_bytes"] = _crossover(lengths, "optimised")
            summary["bus_clocks"] = sum(w["clocks"] for k, w in reports if k == "access")
            batch = [row for row in rows if row["kind"] == "batch" and row["bytes"] == 64][-1]
            summary["batch_clocks_each"] = batch["standing_clocks_each"]
            summary["batch_filled_clocks_each"] = batch["filled_clocks_each"]
    return rows, summary


def _length(width: int, words: dict[str, int]) -> dict:
    published = PUBLISHED.get(words["bytes"])
    row = {
        "kind": "length" if published else "zoom",
        "width_bits": width,
        "bytes": words["bytes"],
        "software_clocks": words["straight"],
        "optimised_clocks": words["optimised"],
        "peripheral_clocks": words["peripheral"],
        "percent": round(100 * words["peripheral"] / words["straight"], 3),
        "without_bus_clocks": words["busy"],
    }
    if published:
        peripheral, software, without_bus = published
        row |= {
            "published_software_clocks": software,
            "published_peripheral_clocks": peripheral,
            "published_percent": round(100 * peripheral / software, 3),
            "published_without_bus_clocks": without_bus,
        }
    return row


def _access(width: int, words: dict[str, int]) -> dict:
    name, published = ACCESSES[words["access"]]
    return {
        "kind": "access",
        "width_bits": width,
        "access": name,
        "clocks": words["clocks"],
        "published_clocks": published,
    }


def _batch(width: int, words: dict[str, int]) -> dict:
    return {
        "kind": "batch",
        "width_bits": width,
        "bytes": words["bytes"],
        "batch_jobs": words["jobs"],
        "filled_clocks_each": round(words["clocks"] / words["jobs"], 1),
        "standing_clocks_each": round(words["standing_clocks"] / words["jobs"], 1),
    }


def _slope(lengths: list[dict], key: str) -> float:
    """Of the line through the long ones by least squares, in clocks per byte."""
    points = [(words["bytes"], words[key]) for words in lengths if words["bytes"] >= LINEAR_FROM]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum(
        (x - mean_x) ** 2 for x, _ in points
    )


def _crossover(lengths: list[dict], software: str) -> int:
    """The least length from which on the peripheral is never slower."""
    slower = [words["bytes"] for words in lengths if words["peripheral"] > words[software]]
    return min(words["bytes"] for words in lengths if words["bytes"] > max(slower, default=0))


def figures(document: dict) -> dict[str, Figure]:
    """The published figures 2 (all lengths) and 3 (up to 100 bytes), with ours."""
    rows = [row for row in document["rows"] if row["kind"] in ("length", "zoom")]
    width = document["config"]["widths_bits"][0]
    ours = sorted((row for row in rows if row["width_bits"] == width), key=lambda row: row["bytes"])
    return {
        "checksum": _plot(ours, 0, 65535, logarithmic=True),
        "checksum_short": _plot(ours, 0, 100, logarithmic=False),
    }


def _plot(rows: list[dict], least: int, most: int, logarithmic: bool) -> Figure:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    shown = [row for row in rows if least <= row["bytes"] <= most]
    for key, label, style in (
        ("software_clocks", "software", {"color": "tab:orange"}),
        ("optimised_clocks", "optimised software", {"color": "tab:green"}),
        ("peripheral_clocks", "peripheral", {"color": "tab:blue"}),
        ("published_software_clocks", "published software", {"color": "tab:orange"}),
        ("published_peripheral_clocks", "published peripheral", {"color": "tab:blue"}),
    ):
        points = [(row["bytes"], row[key]) for row in shown if key in row]
        own = {"linestyle": ":", "marker": "."} if key.startswith("published") else {}
        axes.plot(*zip(*points, strict=True), label=label, **style, **own)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set_xlabel("bytes")
    axes.set_ylabel("clocks")
    axes.legend(fontsize="small")
    return figure
