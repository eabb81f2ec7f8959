#!/usr/bin/env -S python3 -B
"""Options, gates, output and exit statuses of fatfsck."""

import json
import os
import sys
import tempfile
import unittest

import images
from program import run

E = images.EOC[16]


def sample(i):
    """A.TXT: clusters 10-11, 20; B.BIN: 30-33, size 0; D: a directory."""
    i.put(i.root, images.entry(b"A       TXT", 0x20, 10, 1100) +
          images.entry(b"B       BIN", 0x20, 30, 0) +
          images.entry(b"D          ", 0x10, 40, 0) +
          images.entry(b"EMPTY      ", 0x20, 0, 0))
    images.subdirectory(i, 40, 40, 0,
                        images.entry(b"C       TXT", 0x20, 41, 512))
    i.fat({10: 11, 11: 20, 20: E, 30: 31, 31: 32, 32: 33, 33: E,
           40: E, 41: E})


class Cli(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.tmp = tmp.name
        self.image = self.write("image", images.build(16, sample))

    def write(self, name, data):
        path = os.path.join(self.tmp, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def report(self, *args, **more):
        done = run("--json", *args, **more)
        report = json.loads(done.stdout)
        self.assertEqual(report["exit"], done.returncode)
        return report

    def codes(self, *args, **more):
        report = self.report(*args, self.image, **more)
        return report["exit"], [(f["code"], f.get("path"))
                                for f in report["findings"]]

    def refused(self, status, words, *args):
        done = run(*args)
        self.assertEqual(done.returncode, status, args)
        self.assertEqual(done.stdout, b"")
        self.assertIn(words, done.stderr.decode())

    def test_json(self):
        report = self.report("-n", self.image)
        self.assertEqual(report["schema"], 1)
        self.assertEqual(report["volume"], {
            "type": "FAT16", "offset": 0, "sector_size": 512,
            "cluster_size": 512, "clusters": 5000, "fat_copies": 2,
            "mirrored": True})
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["summary"], {
            "files": 4, "directories": 1, "clusters_used": 9,
            "clusters_free": 4991, "clusters_bad": 0,
            "clusters_reserved_beyond_eof": 4, "fragmented_files": 1,
            "reservations": 1, "errors": 0, "warnings": 0, "infos": 0,
            "errors_left": 0, "warnings_left": 0, "findings_not_listed": 0})
        self.assertEqual(report["reservations"], [{
            "path": "/B.BIN", "size": 0, "allocated": 2048,
            "reserved": 2048, "contiguous": True}])
        self.assertEqual(report["stats"]["syncs"], 0)

    def test_finding_in_json(self):
        path = self.write("crossed", images.build(16, images.cross_link))
        self.assertEqual(self.report(path)["findings"], [{
            "code": "cross-link", "severity": "error", "path": "/B.TXT",
            "other_path": "/A.TXT", "clusters": [11, 11],
            "message": "shares clusters from 11 on with /A.TXT",
            "repair": "leave them to one of the two; the other gets a copy, "
            "or is cut if it does not need them or there is no room",
            "repaired": False, "would_repair": True}])

    def test_what_follows_in_json(self):
        path = self.write("free", images.build(16, images.link_free))
        report = self.report(path)
        self.assertEqual([(f["code"], f.get("follows", False))
                          for f in report["findings"]],
                         [("link-free", False), ("chain-short", True)])
        self.assertEqual(report["summary"]["errors"], 1)
        self.assertEqual(report["summary"]["findings_not_listed"], 0)

    def test_text(self):
        done = run(self.image)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"4 files (1 fragmented) in 1 directory", done.stdout)
        self.assertIn(b"1 file has 2 KiB reserved", done.stdout)
        self.assertNotIn(b"/B.BIN", done.stdout)
        self.assertIn(b"/B.BIN", run("-v", self.image).stdout)
        self.assertEqual(run("-q", self.image).stdout, b"")

    def test_quiet_still_tells_errors(self):
        path = self.write("lost", images.build(16, images.lost_chain))
        done = run("-q", path)
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stdout.count(b"\n"), 1)
        self.assertIn(b"lost-chain", done.stdout)

    def test_names_are_escaped(self):
        def change(i):
            images.file_at(i, 0, 5, 0, b"\x1b[31m\x07  TXT")
        path = self.write("hostile", images.build(12, change))
        done = run(path)
        self.assertEqual(done.returncode, 4)
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertNotIn(b"\x07", done.stdout)
        self.assertEqual(self.report(path)["findings"][0]["path"],
                         "/\x1b[31m\x07.TXT")

    def test_code_page(self):
        def change(i):
            images.file_at(i, 0, 5, 0, b"\x8E       TXT")
        path = self.write("umlaut", images.build(12, change))
        for page, name in (("437", "/\u00c4.TXT"), ("866", "/\u041e.TXT")):
            report = self.report("--codepage", page, path)
            self.assertEqual(report["findings"][0]["path"], name)
        self.refused(16, "99999", "--codepage=99999", self.image)

    def test_expect(self):
        def expect(text):
            manifest = self.write("manifest", text.encode())
            return self.codes("--expect", manifest)
        self.assertEqual(expect("# all fine\n\n2K b.bin\n512 /D/C.TXT\n"
                                "max D/c.txt\n"), (0, []))
        self.assertEqual(expect("2049 B.BIN\n"),
                         (4, [("expect-short", "B.BIN")]))
        self.assertEqual(expect("1 A.TXT\n"),
                         (4, [("not-contiguous", "A.TXT")]))
        self.assertEqual(expect("1 NONE\n1 A.TXT/X\n1 D\n1 /\n"),
                         (4, [("expect-missing", "NONE"),
                              ("expect-missing", "A.TXT/X"),
                              ("expect-missing", "D"),
                              ("expect-missing", "/")]))
        self.assertEqual(expect("1 EMPTY\nmax EMPTY\n"),
                         (4, [("expect-short", "EMPTY"),
                              ("not-contiguous", "EMPTY")]))

    def test_expect_of_a_damaged_chain(self):
        self.image = self.write("loop", images.build(
            16, images.loop_into_the_middle))
        manifest = self.write("manifest", b"1K A.TXT\n")
        self.assertEqual(self.codes("--expect", manifest),
                         (4, [("chain-loop", "/A.TXT"),
                              ("expect-short", "A.TXT")]))

    def test_expect_from_standard_input(self):
        path = self.write("manifest", b"4K B.BIN\n")
        with open(path, "rb") as f:
            self.assertEqual(self.codes("--expect=-", stdin=f),
                             (4, [("expect-short", "B.BIN")]))

    def test_bad_manifests(self):
        path = self.write("manifest", b"1K B.BIN\n1Q B.BIN\n")
        self.refused(16, "manifest:2: ", "--expect", path, self.image)
        self.refused(8, "No such file", "--expect", path + "x", self.image)

    def test_contiguous(self):
        self.assertEqual(self.codes("--contiguous", "B.BIN",
                                    "--contiguous=D/C.TXT"), (0, []))
        self.assertEqual(self.codes("--contiguous", "A.TXT",
                                    "--contiguous", "NONE",
                                    "--contiguous", "EMPTY"),
                         (4, [("not-contiguous", "A.TXT"),
                              ("expect-missing", "NONE"),
                              ("not-contiguous", "EMPTY")]))

    def test_max_findings(self):
        def change(i):
            i.fat({c: E for c in range(100, 300, 2)})
        self.image = self.write("lost", images.build(16, change))
        report = self.report("--max-findings=3", self.image)
        self.assertEqual(len(report["findings"]), 3)
        self.assertEqual(report["summary"]["errors"], 100)
        self.assertEqual(report["summary"]["findings_not_listed"], 97)
        self.assertEqual(report["exit"], 4)
        self.assertEqual(self.codes("--max-findings=0"), (4, []))
        self.assertIn(b"97 findings more",
                      run("--max-findings=3", self.image).stdout)

    def test_offsets(self):
        with open(self.image, "rb") as f:
            whole = self.write("disk", bytes(3 * 512) + f.read())
        self.assertEqual(run(whole).returncode, 8)
        for args in ([whole + "@@1536"], [whole + "@@3S"],
                     ["--image-offset", "1536", whole]):
            self.assertEqual(self.report(*args)["volume"]["offset"], 1536)
        self.refused(16, "twice", "--image-offset=1536", whole + "@@3S")
        self.refused(16, "1x", whole + "@@1x")
        self.refused(8, "not a FAT volume", whole + "@@512")

    def test_buffer_changes_nothing_but_the_cost(self):
        path = self.write("big", images.build(32, images.cross_link))
        small = self.report("--buffer=64K", path)
        large = self.report("--buffer=4M", path)
        self.assertLess(small["stats"]["peak_buffer_bytes"], 200 << 10)
        for report in (small, large):
            del report["stats"]
        self.assertEqual(small, large)
        self.refused(16, "--buffer", "--buffer=63K", path)

    def test_what_is_not_there_yet_is_refused(self):
        told = run("--help").stdout.decode()
        for word in ("--map", "--partition"):
            self.assertNotIn(word, told)
        for args in (["--map"], ["--map=x.svg"], ["--partition=1"]):
            self.refused(16, "this version", *args, self.image)

    def damaged(self, *changes):
        def change(i):
            for c in changes:
                c(i)
        self.image = self.write("image", images.build(16, change))

    def bytes(self):
        with open(self.image, "rb") as f:
            return f.read()

    def test_modes_exclude_each_other(self):
        for args in (["-n", "-y"], ["-py"], ["-r", "-p"]):
            self.refused(16, "exclude", *args, self.image)
        self.assertEqual(run("-pa", self.image).returncode, 0)

    def test_without_a_terminal_it_asks_nobody_and_writes_nothing(self):
        self.damaged(images.lost_chain)
        before = self.bytes()
        for args in ([], ["-r"], ["-n"]):
            self.assertEqual(run(*args, self.image).returncode, 4)
            self.assertEqual(self.bytes(), before)

    def test_clean_volumes_are_not_written_to(self):
        before = self.bytes()
        for mode in ("-n", "-p", "-y"):
            report = self.report(mode, self.image)
            self.assertEqual(report["exit"], 0)
            self.assertEqual(report["stats"]["syncs"], 0)
            self.assertEqual(self.bytes(), before)

    def test_preen_does_what_is_safe_and_no_more(self):
        def dirty(i):
            i.put(37, b"\x01")
        self.damaged(dirty, images.fat0_zero)
        self.assertEqual(run("-p", self.image).returncode, 1)
        self.assertEqual(run("-n", self.image).returncode, 0)
        self.damaged(dirty, images.fat0_zero, images.lost_chain)
        report = self.report("-p", self.image)
        self.assertEqual(report["exit"], 5)
        self.assertEqual([(f["code"], f["repaired"])
                          for f in report["findings"]],
                         [("dirty", False), ("fat0", True), ("fat0", True),
                          ("lost-chain", False)])
        self.assertEqual(self.bytes()[37], 1)
        self.assertEqual(run("-a", "--lost=free", self.image).returncode, 1)
        self.assertEqual(run("-n", self.image).returncode, 0)

    def test_lost(self):
        def entries():
            return [self.bytes()[20992 + 32 * n:][:11] for n in range(16)]
        for how, status, name, cluster in (
                ("save", 1, b"FSCK0000REC", 41), ("free", 1, bytes(11), 0),
                ("keep", 4, bytes(11), 41)):
            self.damaged(images.lost_chain)
            found = self.report("-n", "--lost", how, self.image)["findings"]
            self.assertEqual([f["repair"] for f in found],
                             ["free its clusters" if how == "free" else
                              "save it as a file"])
            self.assertEqual(run("-y", "--lost", how,
                                 self.image).returncode, status)
            self.assertEqual(entries()[0], name)
            self.assertEqual(self.bytes()[512 + 80], cluster)
        self.refused(16, "neither save", "--lost=x", self.image)

    def test_release(self):
        self.assertEqual(run("-p", "--reservations=release",
                             self.image).returncode, 1)
        report = self.report("-n", self.image)
        self.assertEqual(report["reservations"], [])
        self.assertEqual(report["summary"]["clusters_used"], 5)
        self.assertEqual(report["findings"], [])

    def test_release_frees_nothing_that_another_file_has(self):
        def change(i):
            i.put(i.root, images.entry(b"A       TXT", 0x20, 10, 500) +
                  images.entry(b"B       TXT", 0x20, 11, 1000))
            i.fat({10: 11, 11: 12, 12: E})
        self.damaged(change)
        self.assertEqual(run("-y", "--reservations=release",
                             self.image).returncode, 1)
        fat = self.bytes()[512 + 20:][:6]
        self.assertEqual(fat, b"\xFF\xFF\x0C\x00\xFF\xFF")

    def test_use_fat(self):
        def change(i):
            i.put(i.root, images.entry(b"A       TXT", 0x20, 10, 500))
            i.fat({10: E}, [0])
            i.fat({10: 11, 11: E}, [1])
        for copy, fat in ((1, b"\xFF\xFF\x00\x00"),
                          (2, b"\x0B\x00\xFF\xFF")):
            self.damaged(change)
            self.assertEqual(run("-y", f"--use-fat={copy}",
                                 self.image).returncode, 1)
            for at in (512, 10752):
                self.assertEqual(self.bytes()[at + 20:][:4], fat)
        self.refused(16, "2 FAT copies", "--use-fat=3", self.image)
        self.refused(16, "from 1", "--use-fat=0", self.image)

    def test_undo(self):
        self.damaged(images.lost_chain)
        before, undo = self.bytes(), os.path.join(self.tmp, "undo")
        self.refused(16, "--undo needs", "--undo", undo, self.image)
        self.assertEqual(run("-y", "--undo", undo, self.image).returncode, 1)
        after = self.bytes()
        self.assertNotEqual(after, before)
        self.refused(8, "File exists", "-y", "--undo", undo, self.image)

        self.write("image", after[:20992] + b"X" + after[20993:])
        self.refused(8, "has changed", "--rollback", undo, self.image)
        other = self.write("other", after + bytes(512))
        self.refused(8, "another volume", "--rollback", undo, other)
        self.write("image", after)
        with open(undo, "rb") as f:
            log = f.read()
        bad = self.write("bad", log[:8200] + b"\x99" + log[8201:])
        self.refused(8, "damaged", "--rollback", bad, self.image)
        self.refused(8, "no undo file", "--rollback", other, self.image)
        self.refused(16, "excludes", "-y", "--rollback", undo, self.image)

        for _ in range(2):
            self.assertEqual(run("--rollback", undo,
                                 self.image).returncode, 0)
            self.assertEqual(self.bytes(), before)

    def test_undo_of_nothing_leaves_no_file(self):
        undo = os.path.join(self.tmp, "undo")
        self.assertEqual(run("-y", "--undo", undo, self.image).returncode, 0)
        self.assertFalse(os.path.exists(undo))

    def test_progress(self):
        self.damaged(images.lost_chain)
        done = run("-y", "-C", "2", self.image)
        self.assertEqual(done.returncode, 1)
        lines = done.stderr.decode().splitlines()
        self.assertTrue(lines)
        for line in lines:
            number, now, total, name = line.split(" ", 3)
            self.assertIn(int(number), (1, 2, 3, 4))
            self.assertLessEqual(int(now), int(total))
            self.assertEqual(name, self.image)

    def test_progress_to_a_closed_descriptor(self):
        """The image would be opened as that one, and written to."""
        self.damaged(images.lost_chain)
        before = self.bytes()
        self.refused(16, "-C 3: this descriptor is not open",
                     "-y", "-C", "3", self.image)
        self.assertEqual(self.bytes(), before)

    def test_closed_standard_descriptors(self):
        """Findings must not be written to the image, nor errors."""
        def lost(i):
            i.fat({c: E for c in range(1000, 3000, 2)})

        def free(**more):
            self.damaged(lost)
            done = run("-y", "--lost=free", self.image, **more)
            return done.returncode, self.bytes()

        _, repaired = free()
        for closed in ((1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
            def close(numbers=closed):
                for n in numbers:
                    os.close(n)
            self.assertEqual(free(stdin=None, preexec_fn=close),
                             (8 if 1 in closed else 1, repaired))

    def test_summary_names_the_next_command(self):
        self.damaged(images.lost_chain)
        self.assertIn(f"next: fatfsck -y {self.image}".encode(),
                      run(self.image).stdout)
        self.assertIn(f"next: fatfsck -n {self.image}".encode(),
                      run("-p", self.image).stdout)
        with open(self.image, "rb") as f:
            shifted = self.write("my disk", bytes(1536) + f.read())
        self.assertIn(f"next: fatfsck --image-offset=1536 --lost=free -y "
                      f"'{shifted}'".encode(),
                      run("--image-offset=3S", "--lost=free", shifted).stdout)
        done = run("-y", self.image)
        self.assertIn(b"1 repaired, left are 0 errors", done.stdout)
        self.assertNotIn(b"next:", done.stdout)

    def test_times_are_fixed_by_the_environment(self):
        self.damaged(images.lost_chain)
        env = os.environ | {"SOURCE_DATE_EPOCH": "1000000000", "TZ": "UTC-9"}
        self.assertEqual(run("-y", self.image, env=env).returncode, 1)
        with open(self.image, "rb") as f:
            data = f.read()
        at = data.index(b"FSCK0000REC")
        # 2001-09-09 01:46:40
        self.assertEqual(data[at + 22:at + 26], bytes.fromhex("D40D292B"))
        env["SOURCE_DATE_EPOCH"] = "x"
        self.assertEqual(run("-n", self.image, env=env).returncode, 16)

    def test_usage(self):
        self.refused(16, "IMAGE is missing")
        self.refused(16, "one IMAGE", self.image, self.image)
        self.refused(16, "no option --none", "--none", self.image)
        self.refused(16, "no option -Z", "-Z", self.image)
        self.refused(16, "needs an argument", self.image, "--expect")
        self.refused(16, "no argument", "--json=x", self.image)
        self.refused(16, "no argument", "--verbose=x", self.image)
        self.refused(16, "neither keep, release nor error", "--reservations=x",
                     self.image)
        self.refused(16, "exclude", "-q", "-v", self.image)

    def test_no_volume(self):
        self.refused(8, "No such file", os.path.join(self.tmp, "none"))
        self.refused(8, "not a FAT volume", self.write("zeros", bytes(4096)))
        self.refused(8, "not a FAT volume", self.write("empty", b""))
        self.refused(8, "", self.tmp)

    def test_help_and_version(self):
        for args, words in ((["-h"], b"Usage: fatfsck"),
                            (["--help"], b"Exit status"),
                            (["-V"], b"fatfsck "), (["--version"], b"fatfsck ")):
            done = run(*args)
            self.assertEqual(done.returncode, 0)
            self.assertIn(words, done.stdout)

    def test_full_standard_output(self):
        for option in ("--json", "--help", "-v"):
            with open("/dev/full", "wb") as full:
                done = run_to(full, option, self.image)
            self.assertEqual(done.returncode, 8, option)
            self.assertNotEqual(done.stderr, b"")

    def test_read_only_is_enough(self):
        os.chmod(self.image, 0o444)
        self.assertEqual(run("-n", self.image).returncode, 0)


def run_to(stdout, *args):
    """As run(), with standard output elsewhere."""
    import subprocess
    from program import FATFSCK
    return subprocess.run([*FATFSCK, *args], stdout=stdout, timeout=300,
                          stderr=subprocess.PIPE, check=False)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
