"""The one style sheet. Everything hangs on the class `nearwise`, so nothing else of a notebook changes.

A part of a notebook takes the letters and the colours of the page around it, whatever its theme; a page of its own goes
by the reader's screen. Tables scroll by themselves where a phone is too narrow for them.
"""

from __future__ import annotations

from nearwise.rendering.templates import Html

__all__ = ["NOTEBOOK_STYLE", "PAGE_STYLE", "PART_STYLE"]

PART_STYLE = Html("""
.nearwise { --ink: currentColor; --line: rgba(128, 138, 150, .35); --card: rgba(128, 138, 150, .10); --bar: #3d84c6;
  --hint: rgba(61, 132, 198, .28); color: inherit; line-height: 1.5; max-width: 58rem; }
.nearwise * { box-sizing: border-box; }
.nearwise h3 { font-size: 1rem; margin: .2rem 0 .3rem; } .nearwise p { margin: .4rem 0; }
.nearwise .soft, .nearwise small, .nearwise th { opacity: .72; }
.nearwise .soft small, .nearwise .chart .soft { opacity: 1; } /* once is enough, and charts have a colour for it */
.nearwise .wide { overflow-x: auto; }
.nearwise table { border-collapse: collapse; table-layout: auto; width: 100%; font-size: .9rem; margin: 0; }
.nearwise tr { background: none; }
.nearwise th, .nearwise td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0; border: 0;
  border-bottom: 1px solid var(--line); background: none; }
.nearwise th { font-weight: 600; }
.nearwise td { font-variant-numeric: tabular-nums; white-space: nowrap; max-width: 24rem; overflow: hidden;
  text-overflow: ellipsis; }
.nearwise td:last-child, .nearwise td.soft { white-space: normal; overflow-wrap: break-word; max-width: none; }
.nearwise td.reasons { min-width: 14rem; }
@media (max-width: 36rem) { .nearwise td:last-child { min-width: 6rem; }
  .nearwise table:has(td.reasons) tr { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--line); }
  .nearwise table:has(td.reasons) :is(th, td) { border: 0; padding-bottom: .1rem; }
  .nearwise table:has(td.reasons) :is(td.reasons, td.soft, th:last-child) { flex: 1 0 100%; padding-bottom: .35rem; } }
.nearwise .card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem;
  margin: .6rem 0; }
.nearwise .track { position: relative; height: .8rem; min-width: 7rem; background: var(--card); border-radius: .2rem; }
.nearwise .fill { height: 100%; background: var(--bar); border-radius: .2rem; }
.nearwise .spread { position: absolute; top: 50%; height: 2px; margin-top: -1px; background: var(--ink); }
.nearwise td.heat { background: linear-gradient(90deg, var(--hint) var(--part), transparent var(--part));
  padding-left: .4rem; }
.nearwise .why { margin: 0 0 .1rem; } .nearwise .why i { display: inline-block; height: .55rem; background: var(--bar);
  border-radius: .15rem; margin-right: .35rem; }
""")
NOTEBOOK_STYLE = Html(PART_STYLE.replace(".nearwise ", ".nearwise.nearwise.nearwise "))
"""the same rules for a cell of a notebook, where Jupyter's own for tables would weigh more"""
PAGE_STYLE = Html(
    PART_STYLE
    + """
:root { color-scheme: light dark; --text: #1d2430; --paper: #fff; }
@media screen and (prefers-color-scheme: dark) { :root { --text: #e4e8ee; --paper: #14181f; } }
html { background: var(--paper); }
body.nearwise { margin: 0 auto; padding: 1.5rem 1rem 3rem; font: 16px/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--paper); max-width: 74rem; overflow-wrap: break-word; }
.nearwise > main > p, .nearwise > main > section > p { max-width: 58rem; }
.nearwise h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
.nearwise h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; } .nearwise svg { max-width: 100%; height: auto; }
.nearwise nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; margin: .8rem 0; }
.nearwise a { color: inherit; } .nearwise figure { margin: .6rem 0; }
.nearwise .drawing { overflow-x: auto; } .nearwise .large svg { min-width: var(--across); }
.nearwise details { margin: .3rem 0; font-size: .9rem; } .nearwise summary { cursor: pointer; opacity: .8; }
.nearwise .spark { display: inline-flex; align-items: flex-end; gap: 1px; height: 1.6rem; width: 8rem; }
.nearwise .spark i { flex: 1; background: var(--bar); min-height: 1px; }
.nearwise th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
.nearwise th button::after { content: " \\2195"; opacity: .5; }
.nearwise th[aria-sort=descending] button::after { content: " \\2193"; opacity: 1; }
.nearwise th[aria-sort=ascending] button::after { content: " \\2191"; opacity: 1; }
/* lines go with the cells that stay in sight */
.nearwise table.sortable { border-collapse: separate; border-spacing: 0; }
.nearwise table.sortable th { opacity: 1; } .nearwise table.sortable th[scope=row] { font-weight: 400; }
.nearwise table.sortable th:first-child, .nearwise table.sortable tfoot td:first-child { position: sticky; left: 0;
  background: var(--paper); min-width: 7rem; max-width: 16rem; white-space: normal; overflow-wrap: anywhere; }
.nearwise td.hot { background: color-mix(in srgb, var(--bar) calc(var(--part) * .6), transparent); padding: .3rem .5rem;
  border-left: 1px solid var(--paper); }
.nearwise td.hot small { display: block; font-size: .72rem; opacity: .9; }
.nearwise .legend i { display: inline-block; width: 8rem; height: .7rem; vertical-align: middle;
  background: linear-gradient(90deg, transparent, color-mix(in srgb, var(--bar) 60%, transparent));
  border: 1px solid var(--line); }
.nearwise footer { margin-top: 3rem; font-size: .85rem; opacity: .72; }
.nearwise table.weights tfoot td { white-space: normal; max-width: 6rem; font-size: .8rem; }
@media screen and (min-width: 60rem) { .nearwise table.weights th:first-child { min-width: 11rem; } }
@media screen and (min-width: 36.01rem) { .nearwise .wide:has(> table.sortable) { max-height: 90vh; overflow: auto; }
  .nearwise table.sortable thead th { position: sticky; top: 0; z-index: 1; background: var(--paper); }
  .nearwise table.sortable thead th:first-child { z-index: 2; } }
@media screen { .nearwise table.weights td.hot { white-space: nowrap; } .nearwise table.weights td.hot small {
  line-height: 16px; } /* whole pixels, so that lines meet */
  .nearwise table.weights :is(th, td) { padding-block: 5px; line-height: 22px; } }
@media (max-width: 36rem) { .nearwise table.sortable th:first-child { min-width: 5.5rem; max-width: 7.5rem; }
  .nearwise :is(table.lines, table.glance) tr { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--line); }
  .nearwise :is(table.lines, table.glance) :is(td, th) { flex: 1 0 20%; min-width: 0; max-width: none; border: 0;
    padding-bottom: .1rem; white-space: normal; overflow-wrap: anywhere; }
  .nearwise :is(table.lines, table.glance) :is(td, th):last-child { flex: 1 0 100%; padding-bottom: .35rem; }
  .nearwise table.glance :is(td, th) { font-size: .8rem; padding-right: .3rem; }
  .nearwise table.glance :is(td, th):first-child { flex-basis: 24%; position: static; min-width: 0; max-width: none; } }
@media print { @page { margin: 14mm; } body.nearwise { font-size: 10pt; padding: 0; }
  .nearwise, .nearwise * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .nearwise h2, .nearwise h3, .nearwise summary { break-after: avoid; }
  .nearwise svg, .nearwise tr { break-inside: avoid; } .nearwise svg { max-height: 20rem; width: auto; }
  .nearwise nav, .nearwise th button::after { display: none; } .nearwise details::details-content {
    content-visibility: visible; block-size: auto; }
  .nearwise .drawing, .nearwise .wide { overflow: visible; } .nearwise .large svg { min-width: 0; }
  .nearwise table { font-size: .85em; } .nearwise td, .nearwise th { white-space: normal; overflow-wrap: break-word;
    padding: .2rem .4rem .2rem 0; }
  .nearwise details table { font-size: .55rem; } .nearwise details :is(td, th) { padding-right: .25rem; }
  .nearwise tfoot { display: table-row-group; }
  .nearwise table.sortable th:first-child { min-width: 0; }
  .nearwise table.weights thead { display: none; } .nearwise table.weights tr { display: flex; flex-wrap: wrap;
    border-bottom: 1px solid var(--line); }
  .nearwise table.weights td, .nearwise table.weights th { border: 0; position: static; flex: 0 0 4.2rem;
    min-width: 0; padding: .1rem .2rem; font-size: .62rem; break-inside: avoid; overflow: visible; }
  .nearwise table.weights th[scope=row], .nearwise table.weights tfoot td:first-child { flex: 0 0 100%;
    max-width: none; font-weight: 600; font-size: .8rem; break-after: avoid; }
  .nearwise table.weights td small { font-size: .5rem; } .nearwise table.weights tfoot td { font-size: .55rem; }
  .nearwise table.weights td::before { content: attr(data-head) " "; display: block; font-size: .55rem; } }
"""
)
