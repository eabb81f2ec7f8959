#!/usr/bin/env -S python3 -B
"""fatfsck on a terminal: questions, answers, and what comes of them."""

import os
import pty
import re
import select
import sys
import tempfile
import time
import unittest

import images
from damage import A, B, put_file
from images import EOC
from program import FATFSCK, run

QUESTION = re.compile(rb"\[(Y/n|y/N)\] $")
LONGEST = 60  # seconds


def talk(answers, *args):
    """
    Runs it on a terminal of its own and answers its questions in order.
    Exit status, number of questions, all that was said. The last answer is
    given again and again.
    """
    child, terminal = pty.fork()
    if not child:
        os.execvp(FATFSCK[0], [*FATFSCK, *args])
    said, asked, seen = b"", 0, 0
    deadline = time.monotonic() + LONGEST
    while True:
        if not select.select([terminal], [], [],
                             max(0, deadline - time.monotonic()))[0]:
            raise AssertionError(f"it waits for something: {said!r}")
        try:
            part = os.read(terminal, 4096)
        except OSError:  # it has ended
            break
        if not part:
            break
        said += part
        if QUESTION.search(said, seen):
            seen = len(said)
            os.write(terminal, answers[min(asked, len(answers) - 1)])
            asked += 1
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), asked, said


def lost_and_short(i):
    """A lost chain, and a file whose chain is cut and then too short."""
    put_file(i, 0, A, [10, 11], 4000, {10: 11, 11: 12})
    i.fat({40: EOC[i.kind]})


def dirty_and_lost(i):
    i.fat({40: EOC[i.kind]})
    i.put(37, b"\x01")


def two_lost(i):
    put_file(i, 0, B, [20], 100)
    i.fat({40: EOC[i.kind], 50: EOC[i.kind]})


class Questions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.image = os.path.join(folder.name, "image")
        self.undo = os.path.join(folder.name, "undo")

    def make(self, change, kind=16):
        data = images.build(kind, change)
        with open(self.image, "wb") as f:
            f.write(data)
        return data

    def bytes(self):
        with open(self.image, "rb") as f:
            return f.read()

    def errors(self):
        return run("-n", self.image).returncode

    def test_enter_is_the_default(self):
        self.make(two_lost)
        status, asked, said = talk([b"\n"], "-r", self.image)
        self.assertEqual((status, asked), (1, 2), said)
        self.assertIn(b"[Y/n]", said)
        self.assertEqual(self.errors(), 0)

    def test_the_question_is_what_is_done(self):
        for how, words in (("save", b"save it as a file? "),
                           ("free", b"free its clusters? ")):
            self.make(two_lost)
            _, _, said = talk([b"n\n"], "-r", f"--lost={how}", self.image)
            self.assertEqual(said.count(words), 2, said)

    def test_without_a_mode_it_asks(self):
        self.make(two_lost)
        status, asked, said = talk([b"y\n"], self.image)
        self.assertEqual((status, asked), (1, 2), said)
        self.assertEqual(self.errors(), 0)

    def test_no_changes_nothing(self):
        before = self.make(two_lost)
        status, asked, said = talk([b"n\n"], "-r", "--undo", self.undo,
                                   self.image)
        self.assertEqual((status, asked), (4, 2), said)
        self.assertEqual(self.bytes(), before)
        self.assertFalse(os.path.exists(self.undo))

    def test_what_is_no_answer_is_no(self):
        before = self.make(two_lost)
        self.assertEqual(talk([b"perhaps\n"], "-r", self.image)[0], 4)
        self.assertEqual(self.bytes(), before)

    def test_nobody_is_asked_twice(self):
        """The second round finds again what was declined in the first."""
        self.make(two_lost)
        status, asked, said = talk([b"n\n", b"y\n"], "-r", self.image)
        self.assertEqual((status, asked), (5, 2), said)
        self.assertIn(b"1 repaired, left are 1 error ", said)
        self.assertEqual(self.errors(), 4)
        # It is marked dirty, as an error was left.
        status, asked, said = talk([b"y\n"], "-r", self.image)
        self.assertEqual((status, asked), (1, 2), said)
        self.assertEqual(self.errors(), 0)

    def test_what_follows_is_asked_too(self):
        self.make(lost_and_short)
        status, asked, said = talk([b"y\n"], "-r", self.image)
        self.assertEqual((status, asked), (1, 3), said)
        self.assertEqual(self.errors(), 0)

    def test_what_follows_can_be_declined(self):
        self.make(lost_and_short)
        status, asked, said = talk([b"y\n", b"n\n"], "-r", self.image)
        self.assertEqual((status, asked), (5, 3), said)
        self.assertEqual(self.errors(), 4)
        self.assertEqual(talk([b"y\n"], "-r", self.image)[:2], (1, 3))
        self.assertEqual(self.errors(), 0)

    def test_lost_chains_wait_for_the_tree(self):
        """Damage of the tree that stays leaves it open what is lost."""
        before = self.make(lost_and_short)
        status, asked, said = talk([b"n\n"], "-r", self.image)
        self.assertEqual((status, asked), (4, 1), said)
        self.assertEqual(self.bytes(), before)

    def test_a_dirty_mark_can_be_left(self):
        for kind, answers, left in ((16, [b"n\n", b"y\n"], 1),
                                    (12, [b"n\n", b"y\n"], 1),
                                    (16, [b"y\n"], 0)):
            self.make(dirty_and_lost, kind)
            status, asked, said = talk(answers, "-r", self.image)
            self.assertEqual((status, asked), (5 if left else 1, 2), said)
            self.assertEqual(self.bytes()[37], left)
            self.assertEqual(self.errors(), 4 if left else 0)
            self.assertIn(b"dirty", said)

    def test_end_of_input_cancels(self):
        before = self.make(two_lost)
        for answers in ([b"\x04"], [b"y\n", b"\x04"], [b"\x03"]):
            status, _, said = talk(answers, "-r", "--undo", self.undo,
                                   self.image)
            self.assertEqual(status, 32, said)
            self.assertIn(b"cancelled", said)
            self.assertEqual(self.bytes(), before)
            self.assertFalse(os.path.exists(self.undo))

    def test_end_of_input_in_a_later_round(self):
        """What was written stays, and can be taken back."""
        before = self.make(lost_and_short)
        status, asked, said = talk([b"y\n", b"\x04"], "-r", "--undo",
                                   self.undo, self.image)
        self.assertEqual((status, asked), (36, 2), said)
        self.assertNotEqual(self.bytes(), before)
        self.assertEqual(run("--rollback", self.undo, self.image).returncode,
                         0)
        self.assertEqual(self.bytes(), before)

    def test_undo(self):
        before = self.make(two_lost)
        self.assertEqual(talk([b"n\n", b"y\n"], "-r", "--undo", self.undo,
                              self.image)[0], 5)
        self.assertEqual(run("--rollback", self.undo, self.image).returncode,
                         0)
        self.assertEqual(self.bytes(), before)

    def test_a_sound_volume_asks_nothing(self):
        before = self.make(images.empty)
        status, asked, said = talk([b"y\n"], self.image)
        self.assertEqual((status, asked), (0, 0), said)
        self.assertEqual(self.bytes(), before)

    def test_names_are_escaped(self):
        def change(i):
            put_file(i, 0, b"A\x1b[2J   TXT", [10], 4000)
        self.make(change)
        _, _, said = talk([b"n\n"], "-r", self.image)
        self.assertNotIn(b"\x1b", said)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
