#!/usr/bin/env -S python3 -B
"""Each law check fails where its law is broken.

A copy of the tree is broken in one place at a time; the check that is meant
to see it must say so, in a sentence with the given words.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import coverage
import includes
import layer_table
import man_table
import options
import style
import symbols
import writers
from law import PROGRAMS, Tree

SRC = os.environ.get("srcdir", ".")
CC = os.environ.get("CC", "cc")


def append(path, text):
    def breaks(tree):
        with open(os.path.join(tree.src, path), "a", encoding="utf-8") as f:
            f.write(text)
    return breaks


def create(path, text):
    def breaks(tree):
        with open(os.path.join(tree.src, path), "w", encoding="utf-8") as f:
            f.write(text)
    return breaks


def replace(path, old, new):
    def breaks(tree):
        text = tree.text(path)
        if old not in text:
            raise LookupError(f"{path} has no {old!r}")
        create(path, text.replace(old, new, 1))(tree)
    return breaks


def add_object(code, name="src/fat/broken"):
    """A source file of the library, and its object; or another one."""
    def breaks(tree):
        create(name + ".c", code)(tree)
        path = os.path.join(tree.src, name + ".c")
        subprocess.run(f"{CC} -w -c {path} -o {name}.o", shell=True,
                       cwd=tree.build, check=True)
    return breaks


NEW_PROBLEM = 'PROBLEM(NEW, "new-problem", ERROR, NO, NO,\n\t"is new", "")\n'
CASES = [
    (includes, append("src/base/run.c", '#include "fat/bpb.h"\n'),
     "above base/"),
    (includes, append("src/check/broken.c", '#include "prealloc/scan.h"\n'),
     "do not include each other"),
    (includes, append("src/fat/bpb.c", '#include "bpb.h"\n'), "bpb.h"),
    (includes, append("src/base/run.c", '#include "arg.h"\n'),
     "of a layer"),
    (writers, add_object("int f(void){return blk_write();}"), "blk_write"),
    (writers, add_object("int f(void){return blk_zero();}"), "blk_zero"),
    (writers, add_object("int f(void){return blk_sync();}"), "blk_sync"),
    (writers, add_object("int f(void){return pwrite64();}"), "pwrite64"),
    (writers, add_object("int f(void){return write();}"), "write, only nob"),
    (writers, add_object("int f(void){return blk_write();}",
                         "src/change/undo"), "undo.o refers to blk_write"),
    (writers, add_object("int f(void){return blk_zero();}",
                         "src/change/undo"), "undo.o refers to blk_zero"),
    (writers, add_object("int f(void){return blk_sync();}",
                         "src/change/undo"), "undo.o refers to blk_sync"),
    (writers, add_object("int f(void){return fallocate64();}",
                         "src/change/undo"), "undo.o refers to fallocate64"),
    (writers, append("src/fat/bpb.c", "b->ops->write(b);\n"), "src/fat/bpb.c"),
    (symbols, add_object("int blk_write(void){return 0;}"), "blk_write is"),
    (layer_table, create("src/fat/broken.c", ""), "src/fat/broken.c is not"),
    (layer_table, replace("README.md", "`bytes.h`", "`bytes.h` `gone.c`"),
     "src/base/gone.c, which does not exist"),
    (layer_table, replace("README.md", "`bytes.h`", "`bytes.h` `bytes.h`"),
     "twice"),
    (layer_table, replace("README.md", "`src/dev/`", "`src/doors/`"),
     "layers"),
    (style, create("src/fat/broken.c", "int broken;\n"), "comment"),
    (style, append("src/fat/bpb.c", "int f(void)\n{\n" + "\n" * 60 + "}\n"),
     "a function of 62 lines"),
    (style, append("src/fat/bpb.c", "\t" * 10 + "x\n"), "columns"),
    (style, append("src/fat/bpb.c", "x \n"), "blanks"),
    (coverage, append("src/check/problem.def", NEW_PROBLEM), "new-problem"),
    (man_table, append("src/check/problem.def", NEW_PROBLEM), "new-problem"),
    (man_table, replace("man/fatfsck.8", "It Cm dirty Pq error",
                        "It Cm dirty Pq info"), "dirty"),
    (man_table, append("man/fatfsck.8", "{n}\n"), "placeholder"),
]
for program in PROGRAMS:
    CASES += [
        (options, replace(f"man/{program}.8", ".It Fl \\-json", ".It Fl \\-j"),
         "--json"),
        (options, append(f"man/{program}.8", ".It Fl \\-unheard\n"),
         "--unheard"),
        (options, replace(f"man/{program}.8", ".It Fl h ,",
                          ".It Fl Z\n.It Fl h ,"), "-Z"),
        (options, replace(f"src/{program}_options.c", '{ "json"', '{ "jason"'),
         "--jason"),
    ]


def broken_copy(breaks, folder):
    tree = Tree(os.path.join(folder, "src"), os.path.join(folder, "build"))
    for part in ("src", "man", "tests/fsck"):
        shutil.copytree(os.path.join(SRC, part), os.path.join(tree.src, part),
                        copy_function=shutil.copyfile)
    shutil.copyfile(os.path.join(SRC, "README.md"),
                    os.path.join(tree.src, "README.md"))
    for program in PROGRAMS:
        create(f"man/{program}.8", Tree(SRC, ".").page(program))(tree)
    for path, _, _ in os.walk(tree.src):
        os.chmod(path, 0o755)
    shutil.copytree("src", os.path.join(tree.build, "src"))
    for program in PROGRAMS:
        shutil.copy(program, tree.build)
    breaks(tree)
    return tree


def main():
    failed = 0
    for number, (law, breaks, words) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            said = law.check(broken_copy(breaks, folder))
        if not any(words in sentence for sentence in said):
            failed += 1
            print(f"case {number}: {law.__name__} does not say {words!r},"
                  f" but {said}")
    print(f"{len(CASES)} broken trees, {failed} not seen")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
