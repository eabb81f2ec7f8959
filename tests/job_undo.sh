#!/bin/bash
# job_undo.sh - --undo keeps what a job overwrites, fatfsck --rollback it back

. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy flock

pattern old.bin 5000 1
: >empty.bin

# What is written is the same with and without; --undo reads more, and has a
# buffer of its own.
written='{k: v for k, v in s.items()
	if k not in ("bytes_read", "peak_buffer_bytes")}'

differ()
{
	if cmp -s "$1" "$2"; then
		fail "the job changes nothing"
	else
		pass
	fi
}

# before KIND: v.img, before.img the same, with stale bytes in free space.
before()
{
	mkkind v.img "$1" old.bin empty.bin
	"$PYTHON" - "$tests" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	from fatread import Volume
	v = Volume("v.img")
	f = open("v.img", "r+b")
	for c in [c for c, e in enumerate(v.entries()) if c > 1 and e == 0][:200]:
	    f.seek(v.clus_off(c))
	    f.write(b"\xee" * v.clus_bytes)
	END
	cp --sparse=always v.img before.img
}

# job ARGUMENT...: on v.img, with --undo u.undo; after.img is what it leaves.
job()
{
	local counts
	cp --sparse=always v.img after.img
	prealloc 0 --json "$@" after.img
	counts=$(json_get "$written")
	differ v.img after.img
	rm -f u.undo
	prealloc 0 --json --undo u.undo "$@" v.img
	json "$written" "$counts"
	true_that "the same image with --undo" cmp v.img after.img
}

# back: the bytes before the job, and again.
back()
{
	fatfsck 0 --rollback u.undo v.img
	true_that "rolled back" cmp v.img before.img
	fatfsck 0 --rollback u.undo v.img
	true_that "rolled back twice" cmp v.img before.img
}

# cuts: any sectors of v.img are those of after.img, and the header that the
# end of a job writes is not there yet. torn: another byte of it is wrong.
cuts()
{
	local seed
	cp u.undo open.undo
	dd if=/dev/zero of=open.undo bs=128 count=1 conv=notrunc status=none
	for seed in 1 2 3; do
		"$PYTHON" - $seed <<-'END'
		import random, sys
		seed = int(sys.argv[1])
		chance = random.Random(seed)
		old, new = open("before.img", "rb"), open("after.img", "rb")
		out = open("v.img", "r+b")
		at = 0
		while block := old.read(65536):
		    other = new.read(65536)
		    for k in range(0, len(block) if block != other else 0, 512):
		        if block[k:k + 512] != other[k:k + 512]:
		            out.seek(at + k)
		            out.write(chance.choice((block, other))[k:k + 512])
		    at += len(block)
		undo = bytearray(open("open.undo", "rb").read())
		if seed == 3:
		    undo[:128] = open("u.undo", "rb").read()[:64] + bytes(64)
		open("cut.undo", "wb").write(undo)
		END
		fatfsck 0 --rollback cut.undo v.img
		true_that "cut $seed is rolled back" cmp v.img before.img
	done
}

for kind in floppy fat16 fat32 nomirror sec4096; do
	t "$kind: keep-size"
	before $kind
	printf '%s\n' '64K OLD.BIN' '32K EMPTY.BIN' '16K NEW.BIN' >list
	job -f list
	back
	job -f list
	cuts

	t "$kind: extend"
	before $kind
	printf '%s\n' '64K OLD.BIN' '32K NEW.BIN' >list
	job --extend -f list
	at_most "old bytes that are kept" "$(stat -c %s u.undo)" \
		$((64 * 1024 - 5000 + 32 * 1024))
	back
	case $kind in nomirror | sec4096) continue ;; esac

	t "$kind: directories"
	before $kind
	printf '%s\n' '16K A/long name of a directory/C/D.BIN' >list
	job --parents -f list
	back

	t "$kind: release"
	before $kind
	prealloc 0 -l 64K v.img OLD.BIN
	cp --sparse=always v.img before.img
	rm -f u.undo
	prealloc 0 --undo u.undo --release v.img OLD.BIN
	differ v.img before.img
	cp --sparse=always v.img after.img
	back
	cp --sparse=always after.img v.img
	cuts
done

t "nothing to do, nothing done: no file"
before floppy
prealloc 0 --undo u0.undo -l 5000 v.img OLD.BIN
[ ! -e u0.undo ] || fail "a file is left where there was nothing to do"
refuses 1 'free' v.img --undo u0.undo -l 100M v.img BIG.BIN
refuses 1 'no such|missing|not exist' v.img --undo u0.undo --no-create \
	-l 1K v.img NONE.BIN
refuses 16 'exclude' v.img --undo u0.undo --dry-run -l 1K v.img A.BIN
refuses 16 'exclude' v.img --undo u0.undo --list v.img
refuses 16 'once' v.img --undo u0.undo --undo u1.undo -l 1K v.img A.BIN
refuses 8 'cannot create' v.img --undo no/u0.undo -l 1K v.img A.BIN
[ ! -e u0.undo ] || fail "a file is left after a refusal"
echo mine >mine
ln -s nowhere link
refuses 8 'exists' v.img --undo mine -l 1K v.img A.BIN
refuses 8 'exists' v.img --undo v.img -l 1K v.img A.BIN
refuses 8 'exists' v.img --undo link -l 1K v.img A.BIN
same "an existing file" mine "$(cat mine)"

t "no space for the undo file"
# limited BLOCKS: of 1024 bytes are what a file may have.
limited()
{
	(
		trap '' XFSZ
		ulimit -f "$1"
		# shellcheck disable=SC2086
		exec $FATPREALLOC --undo u0.undo -l 64K v.img OLD.BIN
	) >out 2>err
}
for blocks in 1 8 9; do
	limited $blocks
	same "exit status with $blocks KiB" 8 $?
	says err 'cannot write the undo file'
	true_that "nothing is written" cmp v.img before.img
	[ ! -e u0.undo ] || fail "a file is left with $blocks KiB"
done

t "a volume that is another one, or has changed"
rm -f u.undo
prealloc 0 --undo u.undo -l 64K v.img OLD.BIN
cp v.img after.img
cp u.undo open.undo
dd if=/dev/zero of=open.undo bs=128 count=1 conv=notrunc status=none
# no FILE UNDO PATTERN: no rollback, and FILE as it was.
no()
{
	local sum
	sum=$(sha "$1")
	fatfsck 8 --rollback "$2" "$1"
	says err "$3"
	same "image after the refusal" "$sum" "$(sha "$1")"
}
for undo in u.undo open.undo; do
	# A sector that the job did not touch, as if somebody had used it.
	cp after.img v.img
	poke v.img 300000 55
	no v.img $undo 'has changed'
	cp after.img other.img
	truncate -s +512 other.img
	no other.img $undo 'another volume'
	mkfat other.img 1440K -F 12 -i 12345678
	no other.img $undo 'another volume'
	# The same serial number: mkfs.fat --invariant.
	mkfat other.img 1440K -F 12
	no other.img $undo 'has changed'
	head -c 1M /dev/zero | cat - after.img >moved.img
	no moved.img@@1M $undo 'another volume' 2>/dev/null
done
# Where the job wrote, a finished one knows what is there.
cp after.img v.img
poke v.img 512 f1
no v.img u.undo 'has changed'
cp before.img v.img
no v.img u.undo 'has changed'

t "a volume at an offset"
head -c 1M /dev/zero | cat - before.img >moved.img
cp moved.img moved.old
prealloc 0 --undo m.undo -l 64K moved.img@@1M OLD.BIN
cp before.img v.img
no v.img m.undo 'another volume'
fatfsck 0 --rollback m.undo moved.img@@1M
true_that "rolled back" cmp moved.img moved.old

t "an image that is in use"
cp after.img v.img
# shellcheck disable=SC2086
run 8 flock -x v.img $FATFSCK --rollback u.undo v.img
says err 'locked'
true_that "nothing is written" cmp v.img after.img

t "a damaged undo file"
no v.img mine 'no undo file'
no v.img none.undo 'cannot open'
size=$(stat -c %s u.undo)
for n in 0 100 128 4096 8192 8200 $((size / 2)) $((size - 1)); do
	cp u.undo bad.undo
	truncate -s "$n" bad.undo
	no v.img bad.undo 'damaged|no undo file'
done
# A log with a bit that is wrong is refused; without a header that is
# wrong, the other one, and what is in the log, do.
for at in 0 50 127 4100 4224 8192 8200 8205 8300 $((size - 30)) \
	$((size - 1)); do
	cp u.undo bad.undo
	byte=$(peek u.undo "$at" 1)
	poke bad.undo "$at" "$(printf %02x $((0x$byte ^ 0x10)))"
	if [ "$at" -ge 8192 ]; then
		no v.img bad.undo 'damaged'
		continue
	fi
	fatfsck 0 --rollback bad.undo v.img
	true_that "rolled back with byte $at spoilt" cmp v.img before.img
	cp after.img v.img
done

t "a cut in the middle of a block"
# The header does not count it, so nothing was written after it.
head -c 100 before.img | cat open.undo - >bad.undo
fatfsck 0 --rollback bad.undo v.img
true_that "rolled back" cmp v.img before.img
fatfsck 0 --rollback bad.undo v.img
true_that "rolled back twice" cmp v.img before.img
cp after.img v.img
# With a torn header as well there is no telling.
head -c 100 before.img | cat u.undo - >bad.undo
poke bad.undo 0 00
no v.img bad.undo 'damaged'
# No header is whole.
cp open.undo bad.undo
poke bad.undo 4096 00
no v.img bad.undo 'no undo file'

finish
