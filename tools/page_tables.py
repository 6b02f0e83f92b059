# SPDX-License-Identifier: GPL-2.0
"""Tables in pages, each between the marks `<!-- table NAME -->` and `<!-- end -->`."""
import pathlib
import re


def renew(path, name, text):
    """Put text in the place of a page's table. Return: whether the page has that table."""
    page = pathlib.Path(path).read_text(encoding="utf-8")
    mark = f"<!-- table {name} -->"
    if mark not in page:
        return False
    page = re.sub(re.escape(mark) + ".*?<!-- end -->",
                  lambda _: f"{mark}\n\n{text}\n\n<!-- end -->", page, flags=re.S)
    pathlib.Path(path).write_text(page, encoding="utf-8")
    return True
