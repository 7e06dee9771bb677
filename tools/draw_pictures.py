"""Draw the pictures of the documentation from what the package really answers, by the methods that users call.

    python tools/draw_pictures.py [folder, default docs/pictures]

The picture of an answer shows the first car that the model has not seen: no choice is made among them. The same package
draws the same bytes.
"""

import sys
from pathlib import Path

from nearwise import KNNClassifier
from nearwise.app.demo import HELD_OUT
from nearwise.datasets.cars import SCHEMA, make_cars
from nearwise.explain.briefly import brief


def draw(folder: Path) -> list[Path]:
    table, bands = make_cars()
    model = KNNClassifier(schema=SCHEMA).fit(table[:-HELD_OUT], bands[:-HELD_OUT])
    car, truth = table[-HELD_OUT], bands[-HELD_OUT]
    told = f"{brief(car['make'])}, {brief(car['age'])} years, {brief(car['km'])} km (in truth {truth})"
    weights = model.feature_weights_.plot("How much each feature counts", most=8)
    drawn = {"explanation.svg": model.explain(car)[0].plot(told), "weights.svg": weights}
    for name, picture in drawn.items():
        picture.save(folder / name)
    return [folder / name for name in drawn]


if __name__ == "__main__":
    given = sys.argv[1:]
    for path in draw(Path(given[0]) if given else Path(__file__).parents[1] / "docs" / "pictures"):
        print(path)
