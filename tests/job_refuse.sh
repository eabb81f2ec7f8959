#!/bin/bash
# job_refuse.sh - bad input: the status, the reason, the image untouched

. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy mmd

t "no such image"
prealloc 8 no-such.img 1M:A.BIN
says err 'no-such\.img'
[ -e no-such.img ] && fail "the image was created"
prealloc 8 --list no-such.img
prealloc 8 . 1M:A.BIN

t "not FAT"
truncate -s 16M zero.img
refuses 8 'not a FAT volume' zero.img zero.img 1M:A.BIN
pattern random.img 1048576 5
refuses 8 'not a FAT volume' random.img random.img 1M:A.BIN
: >empty.img
refuses 8 'not a FAT volume|empty|short|small' empty.img empty.img 1M:A.BIN
head -c 100 /dev/zero >short.img
refuses 8 '.' short.img short.img 1M:A.BIN
# foreign PATTERN OFFSET HEX...: x.img, which also has what is given, is
# refused by its name.
foreign()
{
	local pattern=$1
	shift
	poke x.img 510 55 aa
	poke x.img "$@"
	refuses 8 "not a FAT volume.*$pattern" x.img x.img 1M:A.BIN
	cp zero.img x.img
}
cp zero.img x.img
foreign exfat 0 eb 76 90 45 58 46 41 54 20 20 20
foreign luks 0 4c 55 4b 53 ba be 00 01
foreign ext 0x438 53 ef
foreign 'partition table' \
	446 00 01 01 00 83 0f 10 1f 00 08 00 00 00 40 00 00
# NTFS needs sectors, the place of the MFT, and two of its records.
poke x.img 0x0b 00 02 08
poke x.img 0x28 ff 7f 00 00 00 00 00 00 04 00 00 00 00 00 00 00 \
	02 00 00 00 00 00 00 00 f6 00 00 00 01
poke x.img 16384 46 49 4c 45
poke x.img 19456 46 49 4c 45
poke x.img $((19456 + 0x14)) 38 00
poke x.img $((19456 + 0x38)) ff ff ff ff
foreign ntfs 0 eb 52 90 4e 54 46 53 20 20 20 20

t "truncated image"
mkkind v.img fat32
truncate -s -512 v.img
refuses 1 'truncated|short|ends' v.img v.img 64K:A.BIN
truncate -s 1M v.img
refuses 1 'truncated|short|ends' v.img v.img 64K:A.BIN

t "absurd boot sectors"
# absurd OFFSET HEX...: one field of a good FAT16 boot sector is spoilt.
absurd()
{
	mkkind v.img fat16
	poke v.img "$@"
	refuses 8 'not a FAT volume' v.img v.img 64K:A.BIN
}
absurd 0x0b 00 00	# sector size 0
absurd 0x0b 01 02	# no power of two
absurd 0x0d 00		# 0 sectors per cluster
absurd 0x0d 03		# no power of two
absurd 0x0e 00 00	# no reserved sector
absurd 0x10 00		# no FAT
absurd 0x16 ff ff	# two FATs of 65,535 sectors
mkkind v.img fat16
poke v.img 0x13 00 00	# no sectors at all
poke v.img 0x20 00 00 00 00
refuses 8 'not a FAT volume' v.img v.img 64K:A.BIN
mkkind v.img fat32
poke v.img 0x2a 01 00	# a version that nobody knows
refuses 1 'version' v.img v.img 64K:A.BIN
mkkind v.img fat32
poke v.img 0x2c ff ff ff 0f	# root cluster out of range
refuses 1 'root' v.img v.img 64K:A.BIN
mkkind v.img fat32
poke v.img 0x28 85 00	# active copy 5 of 2
refuses 1 'active|copy|mirror' v.img v.img 64K:A.BIN

t "dirty"
mkkind v.img fat32
poke v.img 0x41 01
refuses 1 'dirty' v.img v.img 64K:A.BIN
says err 'fatfsck'
mkkind v.img fat32
for k in 0 1; do
	poke v.img $(($(fat_get v.img "v.fat_off($k)") + 7)) 07
done
refuses 1 'dirty' v.img v.img 64K:A.BIN
mkkind v.img floppy
poke v.img 0x25 01
refuses 1 'dirty' v.img v.img 64K:A.BIN

t "FAT copies differ"
mkkind v.img fat32
poke v.img $(($(fat_get v.img "v.fat_off(1)") + 4000)) 01
refuses 1 'fatfsck' v.img v.img 64K:A.BIN
for entry in 0 1; do
	mkkind v.img fat16
	poke v.img $(($(fat_get v.img "v.fat_off(1)") + entry * 2)) 00 00
	refuses 1 'fatfsck' v.img v.img 64K:A.BIN
done
mkkind v.img fats4
poke v.img $(($(fat_get v.img "v.fat_off(3)") + 4000)) 01
refuses 1 'fatfsck' v.img v.img 64K:A.BIN
mkkind v.img floppy
poke v.img $(($(fat_get v.img "v.fat_off(1)") + 1500)) 01
refuses 1 'fatfsck' v.img v.img 64K:A.BIN

t "a damaged file"
pattern old.bin 9000 1		# 5 clusters
mkkind v.img fat16 old.bin
first=$(fat_get v.img 'v.find("OLD.BIN").first')
# link VALUE: the file's third cluster, in both copies.
link()
{
	for k in 0 1; do
		poke v.img $(($(fat_get v.img "v.fat_off($k)") +
			(first + 2) * 2)) "$@"
	done
}
for value in "$(printf '%02x 00' "$first")" "00 00" "01 00" "f7 ff" "f0 fe"; do
	# shellcheck disable=SC2086
	link $value
	refuses 1 '.' v.img v.img 64K:OLD.BIN
done
link ff ff	# shorter than its size
refuses 1 '.' v.img v.img 64K:OLD.BIN

t "no space"
mkkind v.img floppy
refuses 1 'largest' v.img v.img 1G:A.BIN
refuses 1 'largest' v.img v.img 1M:A.BIN 1M:B.BIN
prealloc 0 v.img max:A.BIN
refuses 1 '.' v.img v.img 1:B.BIN
refuses 1 '.' v.img v.img max:B.BIN
refuses 1 '.' v.img -p v.img 1:sub/B.BIN

t "lengths"
mkkind v.img fat32
for length in 0 -1 1X 99999999999999999999 "" K 1-M 0x; do
	refuses 16 '.' v.img v.img -- "$length:A.BIN"
done
refuses 16 '.' v.img v.img -1:A.BIN
refuses 16 '.' v.img -l 0 v.img A.BIN
refuses 1 'too long' v.img v.img 5G:A.BIN
refuses 1 'too long' v.img v.img 4G:A.BIN
refuses 1 'too long' v.img -x v.img 4294967296:A.BIN

t "names"
pattern old.bin 5000 1
mt mcopy v.img old.bin ::OLD.BIN
mt mmd v.img ::sub
refuses 1 'directory' v.img v.img 64K:sub
refuses 1 'directory' v.img v.img 64K:OLD.BIN/A.BIN
refuses 1 'director' v.img v.img 64K:nowhere/A.BIN
refuses 1 'directory' v.img -p v.img 64K:OLD.BIN/deeper/A.BIN
for name in 'a:b' 'a*b' 'a?b' 'a"b' 'a<b' 'a>b' 'a|b' 'a\b' "$(printf 'a\tb')" \
	"$(printf 'a\377b')"; do
	refuses 16 '.' v.img v.img "64K:$name"
done
refuses 16 '.' v.img v.img 64K:
refuses 16 '.' v.img v.img 64K
refuses 16 '.' v.img -p v.img '64K:new*dir/A.BIN'
refuses 1 '.' v.img --list v.img sub/MISSING.BIN
refuses 1 '.' v.img --release v.img sub

t "all or nothing"
refuses 1 '.' v.img v.img 64K:A.BIN 64K:nowhere/B.BIN
refuses 16 '.' v.img v.img 64K:A.BIN '64K:b*'
refuses 16 'twice' v.img v.img 64K:A.BIN 1M:a.bin
refuses 1 'too long' v.img v.img 64K:A.BIN 5G:B.BIN

t "usage"
refuses 16 '.' v.img v.img
prealloc 16
prealloc 16 --no-such-option v.img 64K:A.BIN
refuses 16 'no-zero' v.img --no-zero v.img 64K:A.BIN
refuses 16 '.' v.img -n -x v.img 64K:A.BIN
refuses 16 '.' v.img --list --release v.img A.BIN
refuses 16 '.' v.img --list -x v.img OLD.BIN
refuses 16 '.' v.img --release --align 1M v.img OLD.BIN
refuses 16 '.' v.img --release v.img
refuses 16 '.' v.img -f /dev/null -l 1M v.img A.BIN
refuses 16 '.' v.img -f /dev/null v.img 64K:A.BIN
refuses 16 '.' v.img --image-offset 1X v.img 64K:A.BIN
refuses 16 '.' v.img --image-offset 0 v.img@@0 64K:A.BIN

t "read-only file"
chmod 444 v.img
drop=
if [ -w v.img ]; then
	# root may write everything; the program that nobody runs must be
	# where nobody can read it.
	drop="setpriv --reuid=65534 --regid=65534 --clear-groups"
	chmod 755 . && cp "$FATPREALLOC" program 2>/dev/null &&
		$drop true 2>/dev/null && FATPREALLOC=$T/program || drop=none
fi
if [ "$drop" = none ]; then
	echo "note: a read-only file can't be had here"
else
	FATPREALLOC="$drop $FATPREALLOC"
	refuses 8 'permission|read-only' v.img v.img 64K:A.BIN
	prealloc 0 --list v.img OLD.BIN
	prealloc 0 --dry-run v.img 64K:A.BIN
fi

finish
