# SPDX-License-Identifier: GPL-2.0
#
# What the scripts that print tables of results write their cells with. A number that is
# not known is an empty cell.

def cut($by): if . == null then "" else . * $by | round / $by | tostring end;
def percent: if . == null then "" else (. * 1000 | round / 10 | tostring) + "%" end;
def small: if . == null then "" else (. * 10000 | round / 100 | tostring) + "%" end;
def whole_percent: if . == null then "" else (. * 100 | round | tostring) + "%" end;
def range(f): if . == null then "" else " (" + (map(f) | join(" to ")) + ")" end;
def row: "| " + join(" | ") + " |";
def code: "`" + . + "`";
def rule: map("---") | row;
