# SPDX-License-Identifier: GPL-2.0
"""A terminal's contents with its escape sequences, as SVG, by rich.

usage: pictures.py TITLE COLUMNS <CONTENTS >SVG
"""
import html
import io
import re
import sys

from rich.console import Console
from rich.text import Text

NBSP = "\u00a0"


def place_words(match):
    """A line as a text for each word: not every viewer keeps blanks or widths."""
    before, x, y, length, after, text = match.groups()
    text = html.unescape(text)
    advance = float(length) / len(text)
    words = []
    for word in re.finditer(f"[^{NBSP}]+", text):
        words.append(
            f'<text{before} x="{float(x) + word.start() * advance:.1f}" y="{y}" '
            f'textLength="{len(word[0]) * advance:.1f}"{after}>'
            f"{html.escape(word[0])}</text>"
        )
    return "".join(words)


def main():
    title, columns = sys.argv[1], int(sys.argv[2])
    console = Console(
        record=True, width=columns, file=io.StringIO(), color_system="truecolor"
    )
    contents = sys.stdin.read().rstrip("\n")
    console.print(Text.from_ansi(contents), soft_wrap=False, no_wrap=True, crop=True)
    svg = console.export_svg(title=title, unique_id="top")
    # Fonts of this machine, none from elsewhere.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S)
    svg = svg.replace("Fira Code", "DejaVu Sans Mono")
    svg = re.sub(
        r'<text( class="top-r\d+") x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"'
        r"([^>]*)>([^<\n]+)</text>",
        place_words,
        svg,
    )
    print(re.sub(r"[ \t]+$", "", svg, flags=re.M))


main()
