#!/usr/bin/env -S python3 -B
"""The options of a program are the same in its getopt table, in --help and
in its man page: each with its short and its long form side by side."""
import os
import re
import subprocess

from law import PROGRAMS, run


def source_options(text):
    """{("-n", "--keep-size"), ("", "--align"), ...} of the getopt table."""
    short = re.search(r'SHORT_OPTIONS\[\]\s*=\s*"([^"]*)"|'
                      r'getopt_long\([^"]*"([^"]*)"', text)
    if not short:
        return set()
    letters = set(re.findall(r"\w", "".join(filter(None, short.groups()))))
    found = set()
    for name, value in re.findall(
            r'\{\s*"([\w-]+)",\s*\w+_argument,\s*NULL,\s*([^\s}]+)\s*\}',
            text):
        letter = value[1] if value[0] == "'" else ""
        found.add(("-" + letter if letter in letters else "", "--" + name))
        letters.discard(letter)
    return found | {("-" + letter, "") for letter in letters}


def help_options(text):
    found = set()
    for line in text.splitlines():
        match = re.match(r"\s+(-\w)?(?:,\s+)?(--[\w-]+)?(?=[\s=\[]|$)", line)
        if match and any(match.groups()):
            found.add(tuple(part or "" for part in match.groups()))
    return found


def man_flags(line):
    return ["-" + flag for flag in re.findall(r"\bFl ([\w\\-]+)",
                                              line.replace("\\-", "-"))]


def man_options(text):
    """The .It lines of OPTIONS."""
    section = text.split(".Sh OPTIONS\n")[1].split("\n.Sh ")[0]
    found = set()
    for line in section.splitlines():
        flags = man_flags(line) if line.startswith(".It ") else []
        if flags:
            found.add(("".join(f for f in flags if f[1] != "-"),
                       "".join(f for f in flags if f[1] == "-")))
    return found


def shown(option):
    return ", ".join(filter(None, option))


def check_program(tree, program):
    source = "".join(tree.text(path) for path in tree.sources()
                     if re.fullmatch(rf"src/{program}(_\w+)?\.c", path))
    man = tree.page(program)
    told = subprocess.run([os.path.join(tree.build, program), "--help"],
                          check=True, capture_output=True, text=True).stdout
    table = source_options(source)
    if not table:
        return [f"{program}: no getopt table found"]
    bad = []
    for where, found in (("--help", help_options(told)),
                         ("the man page", man_options(man))):
        bad += [f"{program}: {shown(o)} is not in {where}"
                for o in sorted(table - found)]
        bad += [f"{program}: {shown(o)} is only in {where}"
                for o in sorted(found - table)]
    known = {long for _, long in table}
    bad += [f"{program}: the man page speaks of {flag}"
            for flag in sorted(set(man_flags(man)))
            if flag.startswith("--") and flag not in known]
    return bad


def check(tree):
    return [s for program in PROGRAMS for s in check_program(tree, program)]


if __name__ == "__main__":
    run(check)
