#!/bin/bash
# job_names.sh - files and directories that fatprealloc creates

. "$(dirname "$0")/lib.sh"
need mkfs.fat mcopy mmd mdir

LEGAL="all(c not in '\"*+,/:;<=>?[]| ' and not c.islower() for e in v.list()
	for c in e.short)"

for kind in floppy fat32; do
	t "$kind: short and long names"
	mkkind v.img $kind
	prealloc 0 v.img 1K:PLAIN.BIN 1K:lower.txt 1K:Mixed.txt \
		"1K:Recording number one.wav" "1K:Recording number two.wav" \
		1K:two.dots.bin 1K:.hidden 1K:noext "1K:plus+comma,.bin" \
		1K:Übung.wav 1K:日本語.bin "1K:a b.c d"
	fat v.img 'v.ls()' '["PLAIN.BIN", "lower.txt", "Mixed.txt",
		"Recording number one.wav", "Recording number two.wav",
		"two.dots.bin", ".hidden", "noext", "plus+comma,.bin",
		"Übung.wav", "日本語.bin", "a b.c d"]' \
		'v.find("PLAIN.BIN").slots' 1 \
		'v.find("lower.txt").short' '"LOWER.TXT"' \
		'v.find("Recording number one.wav").short' '"RECORD~1.WAV"' \
		'v.find("Recording number two.wav").short' '"RECORD~2.WAV"' \
		"$LEGAL" True \
		'len({e.short for e in v.list()})' 12 \
		'any(e.attr & 0x18 or e.size for e in v.list())' False
	sound v.img
	run 0 mt mdir v.img -b ::
	says out '::/Recording number two\.wav'
	says out '::/Übung\.wav'
	says out '::/日本語\.bin'

	t "$kind: names are matched without regard to case"
	before=$(image_sha v.img)
	prealloc 0 --json v.img 1K:plain.bin "1K:RECORDING NUMBER ONE.WAV" \
		1K:übung.WAV 1K:record~2.wav 1K:/LOWER.TXT
	json 'any(x["created"] for x in d["files"])' False 's["syncs"]' 0
	same "image" "$before" "$(image_sha v.img)"
done

t "a short name that is taken"
mkkind v.img fat32
prealloc 0 v.img 1K:RECORD~1.WAV
prealloc 0 v.img $(printf '1K:record_number_%02d.wav ' $(seq 12))
fat v.img 'len(v.ls())' 13 'len({e.short for e in v.list()})' 13 \
	'v.find("RECORD~1.WAV").slots' 1 "$LEGAL" True
sound v.img

t "long names up to 255 units"
long=$(printf 'x%.0s' $(seq 251)).bin
prealloc 0 v.img "1K:$long"
fat v.img "v.find('$long').slots" 21
refuses 16 '.' v.img v.img "1K:x$long"
sound v.img

t "what a new entry says"
mkkind v.img fat32
prealloc 0 v.img 4K:A.BIN
fat v.img 'v.stamp("A.BIN")' '((0x576e, 0xb1aa), (0x576e,), (0x576e, 0xb1aa))' \
	'v.find("A.BIN").attr' 0x20

t "directories with -p"
refuses 1 'director' v.img v.img "1M:dcim/100CANON/IMG.JPG"
prealloc 0 -p v.img "1M:dcim/100CANON/IMG.JPG" "1M:dcim/100CANON/IMG2.JPG" \
	"64K:dcim/a longer directory name/b/c/d.bin"
fat v.img 'v.ls("/dcim")' '["100CANON", "a longer directory name"]' \
	'v.ls("/dcim/100canon")' '["IMG.JPG", "IMG2.JPG"]' \
	'v.dots("dcim")' '(v.find("dcim").first, 0)' \
	'v.dots("dcim/100CANON")' \
	'(v.find("dcim/100canon").first, v.find("dcim").first)' \
	'v.nclus("dcim/a longer directory name/b/c/d.bin")' 128 \
	'v.size("dcim")' 0 'v.stamp("dcim")[2]' '(0x576e, 0xb1aa)' \
	'v.data("dcim/100CANON", 128, 512)' 'bytes(384)'
sound v.img
run 0 mt mdir v.img -b "::dcim/100CANON"
says out '::/dcim/100CANON/IMG2\.JPG'
prealloc 0 --json -p v.img "1M:DCIM/100canon/img.jpg"
json 's["syncs"]' 0

t "a directory's cluster is zeroed before it is linked"
mkkind v.img fat32
"$PYTHON" - "$(fat_get v.img 'v.clus_off(3)')" <<-'END'
	import sys
	f = open("v.img", "r+b")
	f.seek(int(sys.argv[1]))
	f.write(b"\xaa" * (1 << 20))
END
prealloc 0 -p v.img 4K:sub/deep/A.BIN
fat v.img 'v.ls("sub/deep")' '["A.BIN"]' \
	'v.data("sub/deep", 96, 512)' 'bytes(416)'
sound v.img

t "a full directory grows"
mkkind v.img fat32
# shellcheck disable=SC2046
prealloc 0 v.img $(printf '1K:F%02d.BIN ' $(seq 16))
fat v.img 'v.nclus("/")' 1
prealloc 0 v.img 1K:F17.BIN
fat v.img 'v.nclus("/")' 2 'len(v.ls())' 17
prealloc 0 v.img "1K:$long"
fat v.img 'v.nclus("/")' 3 "v.has('$long')" True
sound v.img
mt mmd v.img ::sub
# shellcheck disable=SC2046
prealloc 0 v.img $(printf '1K:sub/name-%02d.binary ' $(seq 30))
fat v.img 'v.nclus("sub") > 4' True 'len(v.ls("sub"))' 30
sound v.img

t "entries behind the end of a directory stay dead"
mkkind v.img fat32
root=$(fat_get v.img 'v.clus_off(2)')
stale='53 54 41 4c 45 20 20 20 42 49 4e 20'	# STALE.BIN
# shellcheck disable=SC2086
poke v.img $((root + 32)) $stale
# shellcheck disable=SC2086
poke v.img $((root + 64)) $stale
prealloc 0 v.img 1K:A.BIN
fat v.img 'v.ls()' '["A.BIN"]'
prealloc 0 v.img 1K:B.BIN
fat v.img 'v.ls()' '["A.BIN", "B.BIN"]'
sound v.img

t "a full FAT16 root is a refusal"
mkfat v.img 16M -F 16 -s 2 -r 32
slots=$(fat_get v.img v.rootents)
# shellcheck disable=SC2046
prealloc 0 v.img $(printf '1K:F%03d.BIN ' $(seq "$slots"))
refuses 1 'root' v.img v.img 1K:ONEMORE.BIN
prealloc 0 v.img 4K:F016.BIN
fat v.img 'v.nclus("F016.BIN")' 4 'len(v.ls())' "$slots"
refuses 1 'root' v.img -p v.img 1K:sub/ONEMORE.BIN

t "a directory of 65,536 entries is a refusal"
mkkind v.img fat32
prealloc 0 -x v.img 2M:D
"$PYTHON" - "$(fat_get v.img 'v.clus_off(v.find("D").first)')" \
	"$(fat_get v.img 'v.find("D").first')" \
	"$(fat_get v.img 'v.find("D").where')" <<-'END'
	import struct, sys
	at, first, where = map(int, sys.argv[1:])
	def entry(name, attr, clus):
	    return name + bytes([attr]) + bytes(8) + struct.pack(
	        "<HIHI", clus >> 16, 0, clus & 0xFFFF, 0)
	f = open("v.img", "r+b")
	f.seek(at)
	f.write(entry(b".          ", 0x10, first))
	f.write(entry(b"..         ", 0x10, 0))
	for i in range(65534):
	    f.write(entry(b"F%07d   " % i, 0x20, 0))
	f.seek(where)
	f.write(entry(b"D          ", 0x10, first))
END
fat v.img 'len(v.ls("D"))' 65534
refuses 1 '.' v.img v.img 1K:D/ONEMORE.BIN
prealloc 0 v.img 1K:D/F0065533

t "missing files and --no-create"
mkkind v.img fat32
refuses 1 '.' v.img --no-create v.img 1K:A.BIN
prealloc 0 v.img 1K:A.BIN
prealloc 0 --no-create v.img 4K:A.BIN
fat v.img 'v.nclus("A.BIN")' 8

t "--codepage"
mkkind v.img fat32
prealloc 0 --codepage 850 v.img 1K:Ø.BIN
fat v.img 'v.find("Ø.BIN").name' "'Ø.BIN'"
sound v.img
refuses 16 '.' v.img --codepage 99999 v.img 1K:B.BIN

finish
