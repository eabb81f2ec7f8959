#!/usr/bin/env -S python3 -B
"""Every case of images.py: what fatfsck says, in JSON and as text."""

import json
import os
import sys
import tempfile

import images
from program import digest, run


def found(report):
    return sorted((f["code"], f.get("path") or "",
                   tuple(f.get("clusters") or ())) for f in
                  report["findings"] if not f.get("follows"))


def matches(expected, actual):
    """Codes and paths must be equal; clusters where they are given."""
    want = sorted((code, path or "", clusters or ())
                  for code, path, clusters in expected)
    if [w[:2] for w in want] != [a[:2] for a in actual]:
        return False
    return all(not w[2] or w[2] == a[2] for w, a in zip(want, actual))


def check(path, status, expected, options):
    """The complaints about one image."""
    before = digest(path)
    done = run("-n", "--json", *options, path)
    if done.returncode != status:
        yield f"exit {done.returncode}, not {status}"
    if done.stderr:
        yield f"stderr: {done.stderr.decode()}"
    report = json.loads(done.stdout)
    if report["exit"] != done.returncode:
        yield f"JSON says exit {report['exit']}"
    if not matches(expected, found(report)):
        yield f"found {found(report)}\n  expected {sorted(expected, key=str)}"
    text = run("-n", "-v", *options, path)
    if text.returncode != status:
        yield f"text: exit {text.returncode}"
    words = text.stdout.decode().split()
    for code, _, _ in expected:
        if code not in words:
            yield f"text: {code} is missing"
    if digest(path) != before:
        yield "the image was changed"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        for name, kind, change, status, expected, options in images.CASES:
            path = os.path.join(tmp, "image")
            with open(path, "wb") as f:
                f.write(images.build(kind, change))
            complaints = list(check(path, status, expected, options))
            for c in complaints:
                print(f"FAIL {name}: {c}")
            failed += bool(complaints)
    print(f"fsck findings: {len(images.CASES)} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
