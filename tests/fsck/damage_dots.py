"""Directories of which one dot entry is damaged, and something else as well.

As damage.py; importing this adds to its CASES.
"""

from damage import A, ALL, B, case, expect_bytes, pattern, put_file
from images import EOC, entry, subdirectory

G = pattern("G", 512)
E_AT = 31


def nested(i, spoil, linked=True, more=0):
    """/D/E/G; spoil: the slot of E's that is not there any more; more: clusters
    that are in use."""
    i.put(i.root, entry(b"D          ", 0x10, 30, 0))
    subdirectory(i, 30, 30, 0, entry(b"E          ", 0x10, E_AT, 0))
    subdirectory(i, E_AT, E_AT, 30, entry(b"G       TXT", 0x20, 61, 400))
    i.put(i.cluster(E_AT) + 32 * spoil, b"\xE5" * 32)
    i.put(i.cluster(61), G)
    i.fat({30: EOC[i.kind], 61: EOC[i.kind]})
    if linked:
        i.fat({E_AT: EOC[i.kind]})
    if i.kind == 32:
        i.free(65999 - 2 - linked - more)


def nested_whole(volume, more=()):
    yield from expect_bytes(volume, {
        "/D          /E          /G       TXT": G[:400]} | dict(more))
    for slot, name, c in ((0, b".          ", E_AT), (1, b"..         ", 30)):
        at = volume.start + (E_AT - 2) * volume.cluster + 32 * slot
        raw = volume.data[at:at + 32]
        if raw[:11] != name or volume.first(raw) != c:
            yield f"slot {slot} of E is {raw.hex()}"


def both_slots(make):
    for slot, name in ((0, "dot"), (1, "dotdot")):
        def build(slot=slot):
            return make(slot)
        build.__name__ = f"{make.__name__}_{name}"
        case(ALL)(build)


@both_slots
def directory_runs_into_one_without(slot):
    """D's chain goes on into E, and D comes first in the walk."""
    def change(i):
        nested(i, slot)
        i.fat({30: E_AT})
    return change, nested_whole


@both_slots
def file_runs_into_directory_without(slot):
    """A has the length that it needs that way."""
    def change(i):
        nested(i, slot, more=2)
        put_file(i, 1, A, [10, 11], 1500, {10: 11, 11: E_AT})

    def judge(volume):
        yield from nested_whole(volume)
        size, data, _ = volume.files()["/A       TXT"]
        if size != 1500 or not data.startswith(pattern("A       TXT", 1024)):
            yield f"A has {size} bytes"
    return change, judge


@both_slots
def at_a_free_cluster_without(slot):
    def change(i):
        nested(i, slot, linked=False)
    return change, nested_whole


@both_slots
def lost_directory_without(slot):
    """No entry leads there; it comes back as a directory all the same."""
    def change(i):
        nested(i, slot)
        i.put(i.cluster(30) + 64, bytes(32))

    def judge(volume):
        yield from expect_bytes(volume, {
            "/FSCK0000DIR/G       TXT": G[:400]})
    return change, judge


@both_slots
def copy_while_the_directory_is_not_seen(slot):
    """A runs into D, so no walk sees E before they are parted, and E's cluster
    is free: it is no room for the copy that B gets."""
    def change(i):
        used = [*range(2 + (i.kind == 32), 10), *range(12, 20),
                *range(21, 30), *range(32, 40)]
        nested(i, slot, linked=False, more=3 + len(used))
        put_file(i, 1, A, [10, 11], 1500, {10: 11, 11: 30})
        put_file(i, 2, B, [20], 1000, {20: 11})
        # Of the first clusters only E's is free.
        i.put(i.root + 96, entry(b"FULL       ", 0x20, used[0],
                                 512 * len(used)))
        i.fat(dict(zip(used, used[1:] + [EOC[i.kind]])))

    def judge(volume):
        yield from nested_whole(volume)
        files = volume.files()
        if files["/A       TXT"][0] != 1500 or files["/B       TXT"][0] != 1000:
            yield "A or B lost something"
    return change, judge
