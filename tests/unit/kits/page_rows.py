"""The rows of a table of a page."""

from __future__ import annotations

import re
from html import unescape


def rows_of(page: str, name: str) -> list[list[str]]:
    """The rows of a named table of a page, without markup."""
    found = re.search(rf'data-table="{name}".*?</table>', page, re.DOTALL)
    assert found is not None
    rows = re.findall(r"<tr.*?</tr>", found[0], re.DOTALL)
    cells = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in cells]
