"""FAT copies that disagree about chains that cross, or about reservations.

As damage.py, whose helpers make the files.
"""

from damage import (ALL, A, B, both_whole, case, expect_bytes, expect_files,
                    pattern, put_file, two_files)
from images import EOC, entry, subdirectory


END = "an end mark"


def two_files_but(first, second):
    """Links that one copy has otherwise."""
    def change(i):
        two_files(i)
        for copy, links in enumerate((first, second)):
            i.fat({c: EOC[i.kind] if to is END else to
                   for c, to in links.items()}, [copy])
    return change


@case(ALL)
def crosses_a_later_file_in_the_first():
    """There A has its own length, the last two clusters being B's."""
    return two_files_but({10: 30}, {}), both_whole


@case(ALL)
def crosses_a_later_file_in_the_second():
    return two_files_but({}, {10: 30}), both_whole


@case(ALL)
def crosses_an_earlier_file_in_the_first():
    """B, of four clusters, ends as A does."""
    return two_files_but({21: 11}, {}), both_whole


def file_and_directory(i, copy):
    """A's chain leads there into that of a directory, which comes later."""
    put_file(i, 0, A, [10, 11, 12], 1300)
    i.put(i.root + 32, entry(b"D          ", 0x10, 40, 0))
    subdirectory(i, 40, 40, 0, b"".join(
        entry(b"F%02d     TXT" % n, 0x20, 50 + n, 300) for n in range(14)))
    i.put(i.cluster(41), b"".join(
        entry(b"G%02d     TXT" % n, 0x20, 70 + n, 300) for n in range(16)))
    i.fat({40: 41, 41: 42, 42: EOC[i.kind]})
    for n in list(range(50, 64)) + list(range(70, 86)):
        i.put(i.cluster(n), pattern(str(n), 512))
        i.fat({n: EOC[i.kind]})
    i.fat({10: 41}, [copy])
    if i.kind == 32:
        i.free(65999 - 36)


def file_and_directory_whole(volume):
    want = {f"/D          /F{n:02}     TXT": pattern(str(50 + n), 300)
            for n in range(14)}
    want |= {f"/D          /G{n:02}     TXT": pattern(str(70 + n), 300)
             for n in range(16)}
    want["/A       TXT"] = pattern("A       TXT", 1300)
    yield from expect_bytes(volume, want)
    if volume.chain(40)[0] != [40, 41, 42]:
        yield f"the directory is {volume.chain(40)}"


@case(ALL)
def crosses_a_directory_in_the_first():
    def change(i):
        file_and_directory(i, 0)
    return change, file_and_directory_whole


@case(ALL)
def crosses_a_directory_in_the_second():
    def change(i):
        file_and_directory(i, 1)
    return change, file_and_directory_whole


@case(ALL)
def crosses_nobody_there_and_leaves_its_own():
    """In the first, A goes by what is B's in the second; B is short there."""
    return two_files_but({10: 30, 21: 0}, {}), both_whole


@case(ALL)
def crosses_in_both():
    """And the copies differ elsewhere. Both keep what they need."""
    def change(i):
        two_files(i)
        i.fat({10: 30})
        i.put(i.root + 64, entry(b"C       TXT", 0x20, 60, 600))
        i.put(i.cluster(60), pattern("C", 1024))
        i.fat({60: 61, 61: EOC[i.kind]}, [1])

    def judge(volume):
        a = pattern("A       TXT", 512)
        b = pattern("B       TXT", 2048)
        yield from expect_bytes(volume, {
            "/A       TXT": (a + b[1024:])[:1300], "/B       TXT": b,
            "/C       TXT": pattern("C", 600)})
    return change, judge


@case(ALL)
def each_is_right_for_one_of_two_that_cross():
    """A is right in the first, B in the second, each crossing elsewhere."""
    return two_files_but({21: 11}, {10: 30}), both_whole


@case(ALL)
def wrong_where_the_other_is_short():
    """The copies have two faults in A and none in B."""
    def judge(volume):
        yield from expect_files(volume, {
            "/B       TXT": (2048, "B       TXT")})
    return two_files_but({10: 30}, {11: END}), judge


def reserved(copies, linked):
    """copies: have B's reserved clusters; linked: and the link to them."""
    def change(i):
        two_files(i)
        i.fat({40: 41, 41: 42, 42: EOC[i.kind]}, copies)
        i.fat({31: 40}, linked)
    return change


def reserved_is(clusters):
    def judge(volume):
        yield from both_whole(volume)
        if volume.chain(20)[0] != clusters:
            yield f"B is {volume.chain(20)}"
        if len(volume.files()) != 2:
            yield f"there are {sorted(volume.files())}"
    return judge


KEPT, GONE = [20, 21, 30, 31, 40, 41, 42], [20, 21, 30, 31]


@case(ALL)
def reserved_in_the_first():
    """Its sound length is no reason to take the other one's."""
    return reserved([0], [0]), reserved_is(KEPT)


@case(ALL)
def reserved_in_the_second():
    return reserved([1], [1]), reserved_is(GONE)


@case(ALL)
def linked_in_the_first_only():
    """Cut between the copies of the tail link."""
    return reserved([0, 1], [0]), reserved_is(KEPT)


@case(ALL)
def linked_in_the_second_only():
    """The longer chain leaves nothing lost."""
    return reserved([0, 1], [1]), reserved_is(KEPT)


def given_to_another(copy):
    """In the copy; the other one was not updated since."""
    def change(i):
        put_file(i, 0, A, [10, 11, 12], 1300, None, [copy])
        i.fat({10: 11, 11: 12, 12: 30, 30: 31, 31: EOC[i.kind]}, [1 - copy])
        put_file(i, 1, B, [20, 21, 30, 31], 2048, None, [copy])
    return change


@case(ALL)
def released_in_the_first_and_given_to_another():
    return given_to_another(0), both_whole


@case(ALL)
def released_in_the_second_and_given_to_another():
    return given_to_another(1), both_whole


@case(ALL)
def needed_by_one_and_reserved_by_an_earlier_one():
    """Each is sound in one copy; A's chain is longer than it needs there."""
    return two_files_but({11: 0, 12: END}, {12: 30, 21: END}), both_whole


@case(ALL)
def both_need_the_same_and_are_sound():
    """A is wrong, but nothing tells; B gets a copy of what is its own."""
    def judge(volume):
        yield from expect_bytes(volume, {"/B       TXT":
                                         pattern("B       TXT", 2048)})
        if volume.files()["/A       TXT"][0] != 1300:
            yield "A has another size"
    return two_files_but({11: 0}, {10: 30, 21: END}), judge


@case(ALL)
def crosses_in_the_first_what_is_lost_in_the_second():
    return two_files_but({11: 31}, {21: 0}), both_whole


@case(ALL)
def runs_into_a_directory_where_its_files_are_right():
    """In the first copy C takes the directory, so its walk sees no file of it;
    they are whole there, and two are not in the second."""
    def change(i):
        file_and_directory(i, 0)
        i.fat({10: 11}, [0])
        i.put(i.root + 64, entry(b"C       TXT", 0x20, 90, 500))
        i.put(i.cluster(90), pattern("C", 512))
        i.fat({90: 40}, [0])
        i.fat({90: EOC[i.kind], 53: 54, 72: 0}, [1])
        if i.kind == 32:
            i.free(65999 - 37)

    def judge(volume):
        yield from file_and_directory_whole(volume)
        yield from expect_bytes(volume, {"/C       TXT": pattern("C", 500)})
    return change, judge
