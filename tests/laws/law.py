"""What the law checks share: where the tree is, how a check reports.

A check is a module with check(tree), which returns a list of violations, one
sentence each. can_fail.py runs the same functions on broken copies.
"""
import os
import re
import sys

# A file includes its own folder and the folders before it, and each of the
# two folders in APART leaves the other alone.
LAYERS = ["base", "dev", "fat", "change", "prealloc", "check", "report"]
APART = {"prealloc", "check"}
PROGRAMS = ["fatprealloc", "fatfsck"]


class Tree:
    """A source tree and the build directory that belongs to it."""

    def __init__(self, src, build):
        self.src = src
        self.build = build

    def text(self, path):
        with open(os.path.join(self.src, path), encoding="utf-8") as f:
            return f.read()

    def page(self, program):
        """Its manual page, which may have been made by the build."""
        name = f"man/{program}.8"
        made = os.path.join(self.build, name)
        if not os.path.exists(made):
            return self.text(name)
        with open(made, encoding="utf-8") as f:
            return f.read()

    def problems(self):
        """(slug, severity, has a repair) of each row of problem.def."""
        rows = re.findall(r'^PROBLEM\(\w+, "([\w-]+)", (\w+),(.*?)\)$',
                          self.text("src/check/problem.def"), re.M | re.S)
        return [(slug, severity.lower(), not rest.endswith('""'))
                for slug, severity, rest in rows]

    def sources(self):
        """Paths of all files under src/ that are code, sorted."""
        found = []
        for folder, _, names in os.walk(os.path.join(self.src, "src")):
            for name in names:
                if re.search(r"\.(c|h|def)$", name):
                    path = os.path.join(folder, name)
                    found.append(os.path.relpath(path, self.src))
        return sorted(found)


def layer_of(path):
    """base for src/base/run.c; None for the programs' own files."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else None


def run(check):
    """The main of a check: 0 if there is no violation."""
    bad = check(Tree(os.environ.get("srcdir", "."), "."))
    for sentence in bad:
        print(sentence)
    sys.exit(1 if bad else 0)
