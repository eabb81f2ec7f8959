# shellcheck shell=bash
# lib.sh - what the shell tests share: programs, images, assertions
#
# A test script sources this file, names each case with "t", asserts, and
# ends with "finish". An assertion that fails prints what was expected and
# what there was, and the script goes on; finish gives exit status 1 then.
# Scripts run from any directory and write only below $T, which is removed.
#
# FATPREALLOC and FATFSCK name the programs (default: the build directory,
# which is where "make check" runs); they may hold a wrapper and its options.

set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
builddir=$PWD
FATPREALLOC=${FATPREALLOC:-./fatprealloc}
FATFSCK=${FATFSCK:-./fatfsck}
case $FATPREALLOC in ./*) FATPREALLOC=$builddir/$FATPREALLOC ;; esac
case $FATFSCK in ./*) FATFSCK=$builddir/$FATFSCK ;; esac
for program in "${FATPREALLOC##* }" "${FATFSCK##* }"; do
	command -v "$program" >/dev/null || {
		echo "$program: no such program; build it first"
		exit 99
	}
done
PYTHON=$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)')

PATH=$PATH:/usr/sbin:/sbin
export PATH LC_ALL=C.UTF-8 TZ=UTC PYTHONDONTWRITEBYTECODE=1
# A sanitizer's report is no exit status of the programs.
export ASAN_OPTIONS=exitcode=99:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=halt_on_error=1:exitcode=99:${UBSAN_OPTIONS:-}
export SOURCE_DATE_EPOCH=1700000000	# 2023-11-14 22:13:20

T=$(mktemp -d "${TMPDIR:-/tmp}/fattest.XXXXXX") || exit 99
trap 'cd /; rm -rf "$T"' EXIT
trap 'exit 99' HUP INT PIPE TERM
cd "$T" || exit 99

failures=0
asserts=0
current=start

t()
{
	current=$*
}

skip()
{
	echo "SKIP: $*"
	exit 77
}

# need PROGRAM...: skip where one is missing.
need()
{
	local p
	for p; do
		command -v "$p" >/dev/null || skip "$p is not installed"
	done
}

pass()
{
	asserts=$((asserts + 1))
}

fail()
{
	asserts=$((asserts + 1))
	failures=$((failures + 1))
	echo "FAIL: [$current] $*"
}

finish()
{
	echo "$(basename "$0"): $asserts assertions, $failures failed"
	[ $asserts -gt 0 ] && [ $failures -eq 0 ]
	exit
}

# same WHAT EXPECTED FOUND
same()
{
	if [ "$2" = "$3" ]; then
		pass
	else
		fail "$1: expected $2, found $3"
	fi
}

# at_most WHAT LIMIT FOUND
at_most()
{
	if [ "$3" -le "$2" ] 2>/dev/null; then
		pass
	else
		fail "$1: expected at most $2, found $3"
	fi
}

# true_that WHAT COMMAND...: the command succeeds.
true_that()
{
	local what=$1
	shift
	if "$@" >/dev/null 2>&1; then
		pass
	else
		fail "$what"
	fi
}

# Programs. Their output is in the files out and err.

# run STATUS COMMAND...
run()
{
	local want=$1 got
	shift
	"$@" >out 2>err </dev/null
	got=$?
	if [ $got -eq "$want" ]; then
		pass
		return 0
	fi
	fail "exit status: expected $want, found $got: ${*##*/}"
	sed 's/^/  out| /' out | head -n 20
	sed 's/^/  err| /' err | head -n 20
	return 1
}

# prealloc STATUS ARGUMENT...
prealloc()
{
	local want=$1
	shift
	# shellcheck disable=SC2086 # a wrapper may have options
	run "$want" $FATPREALLOC "$@"
}

fatfsck()
{
	local want=$1
	shift
	# shellcheck disable=SC2086
	run "$want" $FATFSCK "$@"
}

# says FILE PATTERN: a line of out or err matches (extended, any case).
says()
{
	if grep -Eiq -e "$2" "$1"; then
		pass
	else
		fail "$1 has no match for /$2/:"
		head -n 20 "$1" | sed 's/^/  | /'
	fi
}

says_not()
{
	if grep -Eiq -e "$2" "$1"; then
		fail "$1 has a match for /$2/:"
		grep -Ei -e "$2" "$1" | head -n 20 | sed 's/^/  | /'
	else
		pass
	fi
}

# A refusal: this status, the reason on stderr, the image untouched.
# refuses STATUS PATTERN IMAGE ARGUMENT...: arguments without the program.
refuses()
{
	local want=$1 pattern=$2 image=$3 before
	shift 3
	before=$(image_sha "$image")
	prealloc "$want" "$@"
	says err "$pattern"
	same "image after the refusal" "$before" "$(image_sha "$image")"
}

# JSON in the file out; d is the document, s its stats, f its files by path
# with a leading slash.

# json EXPRESSION VALUE [EXPRESSION VALUE]...: both sides are python.
json()
{
	expect 'import json
d = json.load(open("out"))
f = {"/" + x["path"].lstrip("/"): x for x in d.get("files", [])}
s = d.get("stats", {})' "$@"
}

# json_get EXPRESSION: its value, printed.
json_get()
{
	"$PYTHON" -c 'import json, sys
d = json.load(open("out"))
f = {"/" + x["path"].lstrip("/"): x for x in d.get("files", [])}
s = d.get("stats", {})
print(eval(sys.argv[1]))' "$1" 2>/dev/null || echo "(no value)"
}

# fat IMAGE EXPRESSION VALUE [...]: v is the Volume of fatread.py.
# IMAGE may be IMAGE@@BYTES.
fat()
{
	local image=${1%%@@*} offset=0
	[ "$image" = "$1" ] || offset=${1##*@@}
	shift
	expect "import sys
sys.path.insert(0, '$tests')
from fatread import Volume
v = Volume('$image', $offset)" "$@"
}

fat_get()
{
	local image=${1%%@@*} offset=0
	[ "$image" = "$1" ] || offset=${1##*@@}
	shift
	"$PYTHON" "$tests/fatread.py" -o "$offset" "$image" "$@"
}

# sound IMAGE: nothing lost, shared, differing or wrong in FSInfo.
sound()
{
	local image=${1%%@@*} offset=0
	[ "$image" = "$1" ] || offset=${1##*@@}
	if "$PYTHON" "$tests/fatread.py" -o "$offset" "$image" --check \
	   >sound.out 2>&1; then
		pass
	else
		fail "$1 is not sound:"
		sed 's/^/  | /' sound.out | head -n 20
	fi
}

# expect PRELUDE EXPRESSION VALUE [...]: the python work of json and fat.
expect()
{
	"$PYTHON" - "$@" >expect.out 2>&1 <<-'END'
	import sys
	g, bad = {}, 0
	try:
	    exec(sys.argv[1], g)
	except Exception as why:
	    print("%s: %s" % (type(why).__name__, why))
	    sys.exit(1)
	for e, want in zip(sys.argv[2::2], sys.argv[3::2]):
	    try:
	        got = eval("(%s\n)" % e, g)
	        w = eval("(%s\n)" % want, g)
	    except Exception as why:
	        print("%s: %s: %s" % (e, type(why).__name__, why))
	        bad = 1
	        continue
	    if got != w:
	        print("%s: expected %r, found %r" % (e, w, got))
	        bad = 1
	sys.exit(bad)
	END
	# shellcheck disable=SC2181
	if [ $? -eq 0 ]; then
		pass
	else
		fail "values:"
		cut -c 1-300 expect.out | sed 's/^/  | /' | head -n 20
	fi
}

# Files

sha()
{
	sha256sum <"$1" | cut -d ' ' -f 1
}

# image_sha FILE: of what is not zero, and where; sparse files of any size.
image_sha()
{
	"$PYTHON" -S -E - "$1" <<-'END'
	import hashlib, os, sys
	fd = os.open(sys.argv[1], os.O_RDONLY)
	h = hashlib.sha256(b"%d" % os.fstat(fd).st_size)
	step, zero, at = 65536, bytes(65536), 0
	while True:
	    try:
	        at = os.lseek(fd, at, os.SEEK_DATA) // step * step
	    except OSError:
	        break	# only a hole is left
	    b = os.pread(fd, step, at)
	    if b != zero[:len(b)]:
	        h.update(b"%d:" % at + b)
	    at += step
	print(h.hexdigest())
	END
}

# blocks FILE: allocated on the host, in bytes.
blocks()
{
	echo $(($(stat -c '%b * %B' "$1")))
}

# poke FILE OFFSET HEX...: "poke x.img 0x28 81 00"
poke()
{
	local file=$1 offset=$(($2))
	shift 2
	printf '%b' "$(printf '\\x%s' "$@")" |
		dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
}

# peek FILE OFFSET LENGTH: as "81 00"
peek()
{
	od -An -v -tx1 -j $(($2)) -N $(($3)) "$1" | tr -s ' \n' ' ' |
		sed 's/^ //; s/ $//'
}

# pattern FILE BYTES [SEED]: bytes that repeat nowhere near.
pattern()
{
	"$PYTHON" - "$@" <<-'END'
	import random, sys
	name, size = sys.argv[1], int(sys.argv[2])
	seed = sys.argv[3] if len(sys.argv) > 3 else "0"
	open(name, "wb").write(random.Random(seed).randbytes(size))
	END
}

# Images, all by mkfs.fat

# mkfat IMAGE SIZE MKFS-OPTION...: an empty volume, the same at each run.
mkfat()
{
	local image=$1 size=$2
	shift 2
	rm -f "$image"
	truncate -s "$size" "$image"
	mkfs.fat --invariant "$@" "$image" >mkfs.out 2>&1 || {
		fail "mkfs.fat $*"
		cat mkfs.out
	}
}

# mkkind IMAGE KIND [FILE...]: a small volume of each kind that the tools must
# treat through the same code, with the files in its root, named in upper case.
KINDS="floppy fat16 fat32 sec4096 sec4096fat32 fats1 fats4 nomirror"
mkkind()
{
	local image=$1 kind=$2 f
	shift 2
	case $kind in
	floppy) mkfat "$image" 1440K -F 12 ;;
	fat16) mkfat "$image" 32M -F 16 -s 4 ;;
	fat32 | nomirror) mkfat "$image" 64M -F 32 -s 1 ;;
	sec4096) mkfat "$image" 64M -F 16 -S 4096 -s 1 ;;
	sec4096fat32) mkfat "$image" 300M -F 32 -S 4096 -s 1 ;;
	fats1) mkfat "$image" 64M -F 32 -s 1 -f 1 ;;
	fats4) mkfat "$image" 16M -F 16 -s 2 -f 4 ;;
	*) fail "no such kind: $kind" ;;
	esac
	for f; do
		mt mcopy "$image" "$f" "::${f^^}"
	done
	[ "$kind" != nomirror ] || mirror_off "$image"
}

# mirror_off IMAGE: copy 2 of FAT32 becomes the only one in use, and copy 1
# is spoilt. Afterwards mtools reads the right copy but writes the wrong one.
mirror_off()
{
	poke "$1" 0x28 81 00
	poke "$1" $((32 * 512 + 12)) 00 00 00 00 07 00 00 00 fe ff ff 0f
}

# mtools on IMAGE: "mt mcopy IMAGE [-n] FROM TO". The check that is skipped
# is against FAT32 volumes with few clusters and unusual media bytes.
mt()
{
	local tool=$1 image=$2
	shift 2
	MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null "$tool" -i "$image" "$@"
}
