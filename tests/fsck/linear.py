#!/usr/bin/env -S python3 -B
"""Twice the damage takes twice the reading, not four times.

fsck.fat is quadratic in each of these. What is read is counted, of -n and of
-y; and everything is repaired in one run.
"""

import json
import os
import sys
import tempfile

from images import entry
from program import run
from scale import long_slot, number, root_of, write

EOC = 0x0FFFFFFF


def too_long(n):
    """Files of one cluster too many, given back."""
    fat, contents = root_of([entry(number(b"F", k), 0x20, 200000 + 2 * k, 9)
                             for k in range(n)])
    for c in range(200000, 200000 + 2 * n, 2):
        fat |= {c: c + 1, c + 1: EOC}
    return fat, contents


def lost_chains(n):
    """Chains of one cluster that become files."""
    return {c: EOC for c in range(200000, 200000 + 2 * n, 2)}, {}


def bad_names(n):
    return root_of([entry(number(b"f", k), 0x20, 0, 0) for k in range(n)])


def same_names(n):
    """One short name for all."""
    return root_of(n * [entry(b"SAME       ", 0x20, 0, 0)])


def same_long_names(n):
    def both(k):
        name, total = number(b"F", k), 0
        for b in name:
            total = ((total << 7 | total >> 1) + b) & 0xFF
        return long_slot(0x41, "A long name", total) + entry(name, 0x20, 0, 0)
    return root_of([both(k) for k in range(n)])


def crossing(n):
    """Each file runs into the chain of the first."""
    fat, contents = root_of(
        [entry(b"A          ", 0x20, 300000, 512 * n)] +
        [entry(number(b"F", k), 0x20, 200000 + k, 512) for k in range(1, n)])
    for k in range(1, n):
        fat |= {200000 + k: 300000 + k, 299999 + k: 300000 + k}
    fat[300000 + n - 1] = EOC
    return fat, contents


def directories(n):
    """Each with wrong dots."""
    fat, contents = root_of([entry(number(b"D", k), 0x10, 200000 + k, 0)
                             for k in range(n)])
    for c in range(200000, 200000 + n):
        fat[c] = EOC
        contents[c] = (entry(b".          ", 0x10, 2, 0) +
                       entry(b"..         ", 0x10, 2, 0))
    return fat, contents


# What, how many, its problem, options.
VOLUMES = (
    (too_long, 50000, "reservation", ["--reservations=release"]),
    (lost_chains, 9000, "lost-chain", []),
    (bad_names, 4000, "name-bad", []),
    (same_names, 65520, "name-twice", []),
    (same_long_names, 32768, "long-twice", []),
    (crossing, 16000, "cross-link", []),
    (directories, 20000, "dot-cluster", []),
)


def measure(path, make, n, code, options):
    """Bytes read by -n, -y and -n; complaints."""
    write(path, 400000, *make(n))
    amounts, bad = [], []
    for mode in ("-n", "-y", "-n"):
        done = run("--json", mode, "--max-findings=1000000", "--buffer=64K",
                   *options, path)
        report = json.loads(done.stdout)
        amounts.append(report["stats"]["bytes_read"])
        found = sum(f["code"] == code for f in report["findings"])
        if mode == "-y" and not n - 1 <= found <= n:
            bad.append(f"{found} times {code}, not {n}")
    if report["exit"]:
        bad.append(f"-n exits with {report['exit']} afterwards")
    return amounts, bad


def check(path, make, n, code, options):
    half, bad = measure(path, make, n // 2, code, options)
    whole, more = measure(path, make, n, code, options)
    print(f"{make.__name__}: {n} take {whole}, half of them {half}")
    bad += more
    for mode, one, two in zip(("-n", "-y", "-n after it"), half, whole):
        if two > 3 * one:
            bad.append(f"{mode} of {n} reads {two} bytes, of half {one}")
    return bad


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        for volume in VOLUMES:
            if sys.argv[1:] and volume[0].__name__ not in sys.argv[1:]:
                continue
            for c in check(os.path.join(tmp, "image"), *volume):
                print(f"FAIL {volume[0].__name__}: {c}")
                failed += 1
    print(f"fsck linear: {len(VOLUMES)} volumes, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
