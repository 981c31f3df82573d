"""The figures of a scenario as a table, as lines of JSON and as a chart."""
import html
import statistics

# Figure: heading, digits, whether less is better.
FIGURES = {"cpu": ("CPU µs/request", 1, True), "cpu_gb": ("CPU ms/GB", 0, True), "rate": ("requests/s", 0, False),
           "p50": ("p50 ms", 2, True), "p95": ("p95 ms", 2, True), "p99": ("p99 ms", 2, True),
           "slower": ("p99 beside/alone", 2, True), "pss": ("PSS KiB", 0, True), "per": ("bytes each", 0, True),
           "start": ("start ms", 1, True), "least": ("least served", 0, False), "errors": ("errors", 0, True)}

# Bounds, and what does other work.
NO_PEERS = ("ours", "ours+log", "raw", "direct client", "apache+mod_php")


def middle(rounds, figure):
    """Median, least and most; None where it was not measured."""
    values = [one[figure] for one in rounds if figure in one]
    return (statistics.median(values), min(values), max(values)) if values else None


def text(value, digits):
    return f"{value:,.{digits}f}"


def table(title, measured):
    """measured: {server: [figures of each round]}."""
    present = [f for f in FIGURES if any(middle(rounds, f) for rounds in measured.values())]
    rows = [["server", *(FIGURES[f][0] for f in present)]]
    for server, rounds in measured.items():
        cells = [server]
        for figure in present:
            found = middle(rounds, figure)
            digits = FIGURES[figure][1]
            cells.append("" if not found else text(found[0], digits) if found[1] == found[2] else
                         f"{text(found[0], digits)} ({text(found[1], digits)}–{text(found[2], digits)})")
        rows.append(cells)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return f"## {title}\n\n" + "\n".join(lines) + "\n"


def verdicts(scenario, measured):
    """(kept, sentence) for each promise that this run can judge."""
    found = []
    for figure, relation, factor, against in scenario.promises:
        mine = middle(measured.get("ours+log" if relation == "log" else "ours", []), figure)
        if not mine:
            continue
        name = FIGURES[figure][0]
        if relation == "max":
            found.append((mine[0] <= factor, f"{name} {text(mine[0], 2)}, promised at most {factor:g} {against}"))
            continue
        # A server that fails requests is no measure of speed.
        others = [other for other, rounds in measured.items() if other not in NO_PEERS
                  and middle(rounds, figure) and middle(rounds, "errors")[0] == 0]
        if against != "peers":
            others = [other for other in (against,) if middle(measured.get(other, []), figure)]
        if not others:
            continue
        pick = min if FIGURES[figure][2] else max
        best = pick(others, key=lambda other: middle(measured[other], figure)[0])
        ratio = mine[0] / middle(measured[best], figure)[0]
        kept = ratio <= factor if relation in ("<=", "log") else ratio >= factor
        sign = "at most" if relation in ("<=", "log") else "at least"
        found.append((kept, f"{name} is {ratio:.2f} × {best}'s, promised {sign} {factor:g} ×"))
    return found


def chart(title, measured, figure):
    """Bars from zero, ours in colour; plain SVG, readable on light and dark pages."""
    values = {server: found[0] for server, rounds in measured.items() if (found := middle(rounds, figure))}
    heading, digits, less = FIGURES[figure]
    height, left, width = 26, 130, 420
    most = max(values.values(), default=1) or 1
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 110} {44 + height * len(values)}" '
             'font-family="system-ui, sans-serif" font-size="13">',
             '<style>text{fill:#222}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>',
             f'<text x="8" y="18" font-weight="600">{html.escape(title)}</text>',
             f'<text x="8" y="34" font-size="11">{heading}, {"less" if less else "more"} is better</text>']
    for row, (server, value) in enumerate(sorted(values.items(), key=lambda item: item[1], reverse=not less)):
        y = 42 + row * height
        colour = "#2f6fde" if server.startswith("ours") else "#9aa3ad"
        parts.append(f'<text x="{left - 8}" y="{y + 16}" text-anchor="end">{html.escape(server)}</text>'
                     f'<rect x="{left}" y="{y + 3}" width="{max(1, width * value / most):.1f}" height="{height - 8}" '
                     f'rx="3" fill="{colour}"/>'
                     f'<text x="{left + 6 + width * value / most:.1f}" y="{y + 16}">{text(value, digits)}</text>')
    return "\n".join([*parts, "</svg>", ""])
