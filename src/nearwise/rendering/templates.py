"""Pieces of HTML with holes. What fills a hole is escaped, unless it is a piece that was filled already."""

from __future__ import annotations

from collections.abc import Iterable
from string import Template
from typing import Any

from nearwise.visible import html_text

__all__ = [
    "BAR", "CARD", "CELL", "CHAPTER", "COLUMN", "CONTENTS", "FIGURE", "FOOT_CELL", "HEAD", "HEAT", "LEAD", "LEGEND",
    "LINES", "LINK", "NOTE", "NUMBERS", "PAGE", "PART", "REASON", "REASONS", "REMARK", "ROW", "SCALE", "SCRIPT",
    "SECTION", "SORTABLE", "SORTED_CELL", "SORTED_HEAD", "SORTED_HEAT", "SORTED_ROW_HEAD", "SPARK", "SPARK_BAR",
    "SPREAD", "STRONG", "TABLE", "WIDE_CELL", "WIDE_HEAD", "Html", "filled", "joined",
]  # fmt: skip


class Html(str):
    """Text that is HTML already; `filled` takes it as it is."""

    __slots__ = ()


PART = Template('<div class="nearwise"><style>$style</style>$body</div>')
PAGE = Template(
    "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
    "<meta name=viewport content='width=device-width, initial-scale=1'>"
    "<title>$title</title><style>$style</style></head>\n<body class=nearwise><main><h1>$title</h1>$body</main>\n"
    "<footer>$footer</footer></body></html>\n"
)
SECTION = Template("<h2>$title</h2>$body")
CARD = Template("<section class=card><h3>$title</h3>$body</section>")
LEAD = Template("<p>$text</p>")
STRONG = Template("<p><b>$text</b></p>")
NOTE = Template("<p class=soft>$text</p>")
REMARK = Template("<p class=soft><small>$text</small></p>")
HEAD = Template("<h3>$title</h3>")

TABLE = Template("<div class=wide><table><thead><tr>$head</tr></thead><tbody>$rows</tbody></table></div>")
LINES = Template(TABLE.template.replace("<table>", "<table class=lines>"))
COLUMN = Template("<th scope=col>$name</th>")
ROW = Template("<tr>$cells</tr>")
CELL = Template("<td>$value</td>")
WIDE_CELL = Template("<td colspan=$columns class=soft>$value</td>")
WIDE_HEAD = Template("<tr><th colspan=$columns>$title</th></tr>")
HEAT = Template("<td class=heat style='--part:$part'>$value</td>")

BAR = Template("<div class=track><div class=fill style='width:$part'></div>$spread</div>")
SPREAD = Template("<div class=spread style='left:$left;width:$width'></div>")
REASONS = Template("<td class=reasons>$reasons</td>")
REASON = Template("<div class=why><i style='width:${width}px'></i>$feature$values <b>$adds</b></div>")


CHAPTER = Template("<section><h2 id=$anchor>$title</h2>$body</section>")
CONTENTS = Template("<nav aria-label=Contents><ul>$links</ul></nav>")
LINK = Template("<li><a href='#$anchor'>$title</a></li>")
FIGURE = Template(
    "<figure><div class='drawing $size' style='--across:$across' tabindex=0 role=group aria-label='$title'>"
    "$drawing</div>$numbers</figure>"
)
NUMBERS = Template("<details><summary>$title</summary>$body</details>")
SPARK = Template("<span class=spark role=img aria-label='$told' title='$told'>$bars</span>")
SPARK_BAR = Template("<i style='height:$part'></i>")
SORTABLE = Template(
    "<div class=wide tabindex=0 role=region aria-label='$name'><table class='sortable $kind'>"
    "<thead><tr>$head</tr></thead><tbody>$rows</tbody><tfoot>$foot</tfoot></table></div>"
)
SORTED_HEAD = Template("<th scope=col aria-sort=none data-first='$first'><button type=button>$name</button></th>")
SORTED_CELL = Template("<td data-sort='$sort' data-head='$head'>$value</td>")
SORTED_ROW_HEAD = Template("<th scope=row data-sort='$sort'>$value</th>")
SORTED_HEAT = Template(
    "<td class=hot style='--part:$part' data-sort='$sort' data-head='$head'>$value<small>$more</small></td>"
)
FOOT_CELL = Template("<td data-head='$head'>$value</td>")
LEGEND = Template("<p class='soft legend'>$less <i></i> $more</p>")
SCALE = Template("<p class='soft why'><i style='width:${width}px'></i>$said</p>")
SCRIPT = Template("<script>$code</script>")


def filled(template: Template, **holes: Any) -> Html:
    """The template with every hole filled; a list of pieces stands for them one after the other.

    >>> filled(LEAD, text="a < b")
    '<p>a &lt; b</p>'
    >>> filled(ROW, cells=[filled(CELL, value="&"), filled(CELL, value=2)])
    '<tr><td>&amp;</td><td>2</td></tr>'
    """
    return Html(template.substitute({name: _safe(value) for name, value in holes.items()}))


def joined(pieces: Iterable[Html]) -> Html:
    """Pieces one after the other; each must be HTML already."""
    return Html("".join(_safe(piece) for piece in pieces))


def _safe(value: Any) -> str:
    if isinstance(value, Html):
        return str(value)
    return str(joined(value)) if isinstance(value, list) else html_text(value)
