#!/usr/bin/env -S python3 -B
"""The shape of the code: what each .c is for, sizes that fit on a screen."""
import re

from law import run

FILE_LINES = 350      # aim; more is only told
FUNCTION_LINES = 60   # option parsing aside
COLUMNS = 80


def functions(text):
    """(line number, lines, body) of each function: '{' to '}' in column 1."""
    lines = text.split("\n")
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            yield start, number - start + 1, "\n".join(lines[start:number])
            start = None


def check_file(path, text):
    bad = []
    if path.endswith(".c") and not text.startswith("/*"):
        bad.append(f"{path}: does not open with a comment")
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            bad.append(f"{path}:{number}: blanks at the end of the line")
        if len(line.expandtabs(8)) > COLUMNS:
            bad.append(f"{path}:{number}: over {COLUMNS} columns")
    for number, length, body in functions(text):
        if length > FUNCTION_LINES and "getopt_long(" not in body:
            bad.append(f"{path}:{number}: a function of {length} lines")
    return bad


def check(tree):
    return [sentence for path in tree.sources()
            for sentence in check_file(path, tree.text(path))]


def long_files(tree):
    for path in tree.sources():
        lines = tree.text(path).count("\n")
        if lines > FILE_LINES:
            print(f"note: {path} has {lines} lines")
    return []


if __name__ == "__main__":
    run(lambda tree: long_files(tree) + check(tree))
