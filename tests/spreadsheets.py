"""Small spreadsheets, written by hand: .xlsx and .ods with texts, numbers, truth values and dates."""

import datetime as dt
import importlib
import os
import zipfile
from xml.sax.saxutils import escape, quoteattr

import pytest

_EPOCH = dt.date(1899, 12, 30)


def package(name):
    """An optional package; must be there under strict rules."""
    try:
        return importlib.import_module(name)
    except ImportError:
        reason = f"{name} is not installed: pip install 'nearwise[test]'"
        if os.environ.get("NEARWISE_STRICT") == "1":
            pytest.fail(reason)
        pytest.skip(reason)


def _letters(j):
    return chr(65 + j) if j < 26 else chr(64 + j // 26) + chr(65 + j % 26)


def _xlsx_cell(value, place):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, dt.date):
        return f'<c r="{place}" s="1"><v>{(value - _EPOCH).days}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def write_xlsx(path, sheets):
    """``sheets`` is {name: rows of values}, None for an empty cell."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    bundle = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{bundle}/content-types"><Default Extension="rels" ContentType="'
        f'application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{bundle}/relationships"><Relationship Id="r1" '
        f'Type="{links}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{links}"><sheets>'
        + "".join(
            f'<sheet name={quoteattr(s)} sheetId="{i}" r:id="r{i}"/>' for i, s in zip(numbers, sheets, strict=True)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{bundle}/relationships">'
        + "".join(f'<Relationship Id="r{i}" Type="{links}/worksheet" Target="worksheets/s{i}.xml"/>' for i in numbers)
        + f'<Relationship Id="styles" Type="{links}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs>'
        '<xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    }
    for i, rows in zip(numbers, sheets.values(), strict=True):
        told = "".join(
            f'<row r="{r}">' + "".join(_xlsx_cell(v, f"{_letters(j)}{r}") for j, v in enumerate(row)) + "</row>"
            for r, row in enumerate(rows, 1)
        )
        parts[f"xl/worksheets/s{i}.xml"] = f'<worksheet xmlns="{main}"><sheetData>{told}</sheetData></worksheet>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return path


def _ods_cell(value):
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        told = f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    elif isinstance(value, dt.date):
        told = f'office:value-type="date" office:date-value="{value}"'
    elif isinstance(value, int | float):
        told = f'office:value-type="float" office:value="{value!r}"'
    else:
        told = 'office:value-type="string"'
    return f"<table:table-cell {told}><text:p>{escape(str(value))}</text:p></table:table-cell>"


def write_ods(path, sheets):
    names = "urn:oasis:names:tc:opendocument:xmlns"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}>"
        + "".join("<table:table-row>" + "".join(map(_ods_cell, row)) + "</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{names}:office:1.0" '
        f'xmlns:table="{names}:table:1.0" xmlns:text="{names}:text:1.0" office:version="1.2"><office:body>'
        f"<office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    listing = (
        f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{names}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", kind)
        packed.writestr("META-INF/manifest.xml", listing)
        packed.writestr("content.xml", content)
    return path
