"""A picture ``x.png`` beside which there is an ``x-dark.png`` is shown in the colours of the page around it."""

from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform


class BothPictures(SphinxTransform):
    """Puts the dark picture after the light one; the theme shows one of them."""

    default_priority = 100

    def apply(self, **more) -> None:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for light in list(self.document.findall(nodes.image)):
            dark = Path(light["uri"]).with_suffix("").as_posix() + "-dark.png"
            if light["uri"].endswith(".png") and (folder / dark).is_file():
                other = light.deepcopy()
                other["uri"] = dark
                light["classes"].append("only-light")
                other["classes"].append("only-dark")
                light.parent.insert(light.parent.index(light) + 1, other)


def setup(app):
    app.add_transform(BothPictures)
    return {"parallel_read_safe": True}
