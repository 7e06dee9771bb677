"""Draw the pictures of the documentation from what the package really answers.

    python tools/draw_pictures.py [folder, default docs/pictures]

The picture shows the first car that the model has not seen: no choice is made among them. The same package draws
the same bytes.
"""

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from textwrap import wrap

from nearwise import KNNClassifier
from nearwise.app.demo import HELD_OUT
from nearwise.app.output import write_file
from nearwise.app.values import brief, shares
from nearwise.explain import Explanation, Neighbour, told_parts
from nearwise.lab.cars import SCHEMA, cars

WIDTH, LEFT, BAR = 800, 190, 460
"""of the picture, of the names on the left, and of the longest bar"""
LETTERS = 105
"""of a line across the picture"""
ROW = 30
NEIGHBOURS, FEATURES = 5, 6
"""how many are drawn"""
COLOURS = ("#2f6fb0", "#d98032", "#4a9a5b", "#a45aa8", "#c0504d", "#8c7a4f")
"""one a feature, by weight; what other features add is grey"""
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1d2430; } .head { font-weight: 600; font-size: 17px; }
.soft { fill: #5c6675; } .end { text-anchor: end; } .rest { fill: #9aa5b4; } .paper { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e8ee; } .soft { fill: #9aa5b4; } .rest { fill: #5c6675; } .paper { fill: #14181f; } }
"""


def text(x: float, y: float, words: str, style: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}">{escape(words)}</text>'


def bar(x: float, y: float, width: float, colour: str | None, told: str) -> str:
    """A bar that names itself under the pointer; grey where it has no colour."""
    paint = f'fill="{colour}"' if colour else 'class="rest"'
    return f'<rect x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="16" {paint}><title>{escape(told)}</title></rect>'


def neighbour_row(n: Neighbour, y: float, scale: float, colours: dict[str, str]) -> Iterator[str]:
    yield text(LEFT - 12, y + 13, f"{brief(n.target)}, case {brief(n.label)}", "end")
    x = float(LEFT)
    rest = sum(part for feature, part in n.contributions.items() if feature not in colours)
    for feature, part in [*((f, n.contributions[f]) for f in colours), ("other features", rest)]:
        if part > 0:
            yield bar(x, y, part * scale, colours.get(feature), f"{feature} adds {part:.3f}")
            x += part * scale
    yield text(x + 8, y + 13, f"{sum(n.contributions.values()):.3f}, vote {n.vote_share:.0%}", "soft")


def explanation(why: Explanation, truth: str, weights: dict[str, float]) -> str:
    """One answer: what it is made of, its neighbours as bars of what each feature adds, and the learned weights."""
    asked = why.neighbours[0].query_values
    top = sorted(weights, key=lambda f: -weights[f])[:FEATURES]
    colours = dict(zip(top, COLOURS, strict=True))
    drawn = why.neighbours[:NEIGHBOURS]
    scale = BAR / max(sum(n.contributions.values()) for n in drawn)
    car = f"{brief(asked['make'])}, {brief(asked['age'])} years, {brief(asked['km'])} km"
    parts = [
        text(24, 38, f"{car} → {why.prediction}", "head"),
        text(24, 62, f"{shares(why.distribution)}; in truth {truth}", "soft"),
    ]
    y = 62
    for line in wrap(told_parts(why), LETTERS):
        y += 22
        parts.append(text(24, y, line, "soft"))
    y += 34
    parts.append(text(24, y, f"The {len(drawn)} nearest cases, and what adds up to their distance"))
    y += 14
    for n in drawn:
        parts.extend(neighbour_row(n, y, scale, colours))
        y += ROW
    y += 30
    parts.append(text(24, y, "How much each feature counts in the distance (learned weights)"))
    y += 14
    for feature in top:
        parts.append(text(LEFT - 12, y + 13, feature, "end"))
        width = BAR * weights[feature] / weights[top[0]]
        parts.append(bar(LEFT, y, width, colours[feature], f"{feature} {weights[feature]:.3f}"))
        parts.append(text(LEFT + width + 8, y + 13, f"{weights[feature]:.2f}", "soft"))
        y += ROW
    height = y + 14
    size = f'width="{WIDTH}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {size}>',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" {size}/>',
            *parts,
            "</svg>\n",
        ]
    )


def draw(folder: Path) -> list[Path]:
    table, bands = cars()
    model = KNNClassifier(schema=SCHEMA).fit(table[:-HELD_OUT], bands[:-HELD_OUT])
    why = model.explain([table[-HELD_OUT]])[0]
    weights = dict(zip(model.schema_.names, model.feature_importances_.tolist(), strict=True))
    path = folder / "explanation.svg"
    write_file(path, explanation(why, bands[-HELD_OUT], weights))
    return [path]


if __name__ == "__main__":
    given = sys.argv[1:]
    for path in draw(Path(given[0]) if given else Path(__file__).parents[1] / "docs" / "pictures"):
        print(path)
