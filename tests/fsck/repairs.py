#!/usr/bin/env -S python3 -B
"""Every case of images.py and damage.py, repaired by -y.

After it a second run finds nothing that could be repaired, and exits 0 unless
the damage is of a kind that has no repair; -n before it has told what it does
and changed nothing; files that were intact are so still; the undo file gives
back every byte; fsck.fat, where it is there, has nothing to say but what
OUTSIDER explains.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import damage
import damage_beyond  # noqa: F401, adds to damage.CASES
import damage_boot  # noqa: F401, adds to damage.CASES
import damage_dots  # noqa: F401, adds to damage.CASES
import damage_layout  # noqa: F401, adds to damage.CASES
import damage_mirror  # noqa: F401, adds to damage.CASES
import damage_traps  # noqa: F401, adds to damage.CASES
import images
from program import digest, run
from reader import Volume

# Damage without a repair: case (without the kind) and why.
STAYS = {
    "truncated_file": "its data are gone",
    "truncated_directory": "its data are gone",
    "truncated_fat": "the FAT is gone",
    "full_root_and_no_directory": "there is no place for lost chains",
}

# By the boot sector, or the first copy, that is wrong, whatever is read there
# is wrong.
MISREAD = {"boot_with_larger_clusters", "layout_of_one_copy",
           "root_number_of_another_directory",
           "crosses_nobody_there_and_leaves_its_own"}

# What fsck.fat says of a volume that is sound, and why that is so.
OUTSIDER = {
    "reservations_are_fine": ("chain length is >", "it takes them for damage"),
    "reserved_in_the_first": ("chain length is >", "the same"),
    "linked_in_the_first_only": ("chain length is >", "the same"),
    "linked_in_the_second_only": ("chain length is >", "the same"),
    "upper_bits_do_not_count": ("FATs differ", "it compares all 32 bits"),
    "fat1_garbage": ("FATs differ", "the same; those 4 bits are kept"),
    "fsinfo_none": ("bad magic", "it takes sector 65535 for one"),
    "mirroring_off": ("FATs differ", "it does not know of mirroring off"),
    "mirroring_off_and_the_active_copy_damaged":
        ("FATs differ", "the same, as of mirroring off"),
    "boot_code_without_signature": ("Dirty bit", "that is boot code"),
    "backup_none": ("no backup boot sector", "that is legal"),
    "label_in_root_only": ("no label in boot", "Windows does that"),
    "only_the_third_copy_is_whole": ("1 or 2 FATs are supported", "so it is"),
    "each_of_four_copies_is_right_for_one":
        ("1 or 2 FATs are supported", "the same"),
    "root_elsewhere_and_its_number_lost":
        ("no label in boot", "the same"),
}


def report(*args):
    done = run("--json", *args)
    if done.stderr:
        raise AssertionError(done.stderr.decode())
    return json.loads(done.stdout)


def outline(findings):
    return sorted((f["code"], f.get("path") or "",
                   tuple(f.get("clusters") or ())) for f in findings)


def outsider(path, name):
    words, _ = OUTSIDER.get(name, ("", ""))
    if not shutil.which("fsck.fat"):
        return
    done = subprocess.run(["fsck.fat", "-n", path], capture_output=True,
                          timeout=300, check=False)
    said = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode and (not words or words not in said):
        yield f"fsck.fat says: {said}"


def unlisted(tmp, data, done):
    """--max-findings is about the list, and nothing else."""
    path = os.path.join(tmp, "unlisted")
    with open(path, "wb") as f:
        f.write(data)
    other = report("-y", "--max-findings=0", path)
    for x in (done, other):
        del x["summary"]["findings_not_listed"]
    if other["summary"] != done["summary"]:
        yield f"--max-findings=0: {other['summary']}, not {done['summary']}"


def check(tmp, name, data, expected):
    path, undo = os.path.join(tmp, "image"), os.path.join(tmp, "undo")
    with open(path, "wb") as f:
        f.write(data)
    before = digest(path)
    intact = Volume(data).intact()
    preview = report("-n", path)
    if digest(path) != before:
        yield "-n changed the image"
    if os.path.exists(undo):
        os.unlink(undo)
    done = report("-y", "--undo", undo, path)
    would = [f for f in preview["findings"] if f["would_repair"]]
    did = [f for f in done["findings"] if f["repaired"]]
    if outline(would) != outline(did):
        yield f"-n said {outline(would)}\n  -y did {outline(did)}"
    if done["exit"] not in (0, 1) and name not in STAYS:
        yield f"-y: exit {done['exit']}"
    with open(path, "rb") as f:
        after = f.read()
    if intact and name not in MISREAD:
        yield from damage.lost_files(intact, Volume(after))
    second = report("-n", path)
    if any(f["would_repair"] for f in second["findings"]):
        yield f"again: {outline(second['findings'])}"
    if name not in STAYS:
        if second["exit"]:
            yield f"again: exit {second['exit']}"
        yield from outsider(path, name)
    if expected is not None:
        yield from expected(Volume(after))
    if len(data) < 1 << 22:
        yield from unlisted(tmp, data, done)
    if os.path.exists(undo):
        back = run("--rollback", undo, path)
        if back.returncode or digest(path) != before:
            yield f"rollback: {back.returncode} {back.stderr.decode()}"
    elif digest(path) != before:
        yield "changed without a trace in the undo file"


def cases():
    for name, kind, change, _, _, options in images.CASES:
        if not options:
            yield name, kind, images.build(kind, change), None
    for name, kind, change, expected in damage.CASES:
        yield name, kind, images.build(kind, change), expected


def main():
    failed = total = 0
    with tempfile.TemporaryDirectory() as tmp:
        for name, kind, data, expected in cases():
            short = name.rsplit("-", 1)[0]
            if sys.argv[1:] and short not in sys.argv[1:]:
                continue
            total += 1
            complaints = list(check(tmp, short, data, expected))
            for c in complaints:
                print(f"FAIL {name}: {c}")
            failed += bool(complaints)
    print(f"fsck repairs: {total} cases, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
