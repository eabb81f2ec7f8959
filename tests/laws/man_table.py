#!/usr/bin/env -S python3 -B
"""The manual page of fatfsck lists the problems of problem.def: all of them,
in their order, each with its severity, and with a repair if it has one."""
import re

from law import run


def table(page):
    """(slug, severity, has a repair) of each item of PROBLEMS."""
    section = page.split(".Sh PROBLEMS\n")[1].split("\n.Sh ")[0]
    items = re.findall(r"^\.It Cm (\S+) Pq (\w+)\n([^.].*\n(?:[^.].*\n)*)",
                       section, re.M)
    return [(slug, severity, "\\-y\\fP:" in text)
            for slug, severity, text in items]


def check(tree):
    rows, shown = tree.problems(), table(tree.page("fatfsck"))
    bad = [f"the man page lacks {row}" for row in rows if row not in shown]
    bad += [f"only the man page has {row}" for row in shown
            if row not in rows]
    if not bad and rows != shown:
        bad.append("the man page has another order than problem.def")
    if re.search(r"[{}]", tree.page("fatfsck")):
        bad.append("the man page has a placeholder")
    return bad if rows else ["no row found: is this the tree?"]


if __name__ == "__main__":
    run(check)
