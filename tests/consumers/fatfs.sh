#!/bin/bash
# fatfs.sh - the real ChaN FatFs appends into what fatprealloc reserved
#
# Up to the last reserved byte it must find every cluster in the chain: the
# bytes are right, the chain stays, and no FAT sector is written.
# JS_FATFS_DIR names a directory whose node_modules has js-fatfs, where the
# registry can't be reached.

. "$(dirname "$0")/../lib.sh"
need mkfs.fat mcopy
NODE=${NODE:-node}
need "$NODE"
module=${JS_FATFS_DIR:-$T/npm}
if [ -z "${JS_FATFS_DIR:-}" ]; then
	need npm
	mkdir npm
	cp "$tests/consumers/package.json" \
		"$tests/consumers/package-lock.json" npm/
	chmod u+w npm/*
	(cd npm && npm ci --ignore-scripts --no-audit --no-fund) \
		>npm.out 2>&1 || {
		if grep -q EINTEGRITY npm.out; then
			fail "js-fatfs is not the one that is locked"
			finish
		fi
		skip "npm can't fetch js-fatfs:" \
			"$(grep -i err npm.out | head -n 1)"
	}
fi

# fatfs ARGUMENT...: its JSON line is in out.
fatfs()
{
	run 0 "$NODE" "$tests/consumers/fatfs.mjs" "$module" "$@"
}

pattern old.bin 700 1
for kind in floppy fat16 fat32 fats1 sec4096; do
	t "$kind: append up to the last byte"
	mkkind v.img $kind old.bin
	prealloc 0 v.img 100K:OLD.BIN 64K:NEW.BIN
	bytes=$(fat_get v.img 'v.allocated("OLD.BIN")')
	pattern more.bin $((bytes - 700)) 2
	cat old.bin more.bin >all.bin
	pattern new.bin "$(fat_get v.img 'v.allocated("NEW.BIN")')" 3
	fats=$(fat_get v.img '[v.fat_sha(k) for k in v.copies]')
	old_runs=$(fat_get v.img 'v.runs("OLD.BIN")')
	new_runs=$(fat_get v.img 'v.runs("NEW.BIN")')

	fatfs v.img append /OLD.BIN more.bin 1000
	json 'd["result"]' 0 'd["written"]["fat"]' 0 \
		'd["written"]["data"] > 0' True
	fatfs v.img append /NEW.BIN new.bin 4096
	json 'd["result"]' 0 'd["written"]["fat"]' 0
	same "FAT bytes" "$fats" \
		"$(fat_get v.img '[v.fat_sha(k) for k in v.copies]')"
	fat v.img 'v.runs("OLD.BIN")' "$old_runs" \
		'v.runs("NEW.BIN")' "$new_runs" \
		'v.size("OLD.BIN")' "$bytes" \
		'v.sha("OLD.BIN")' "'$(sha all.bin)'" \
		'v.sha("NEW.BIN")' "'$(sha new.bin)'"
	sound v.img
	fatfs v.img read /OLD.BIN
	json 'd["sha256"]' "'$(sha all.bin)'" 'd["size"]' "$bytes"

	t "$kind: one byte more needs the FAT"
	printf x >one
	fatfs v.img append /OLD.BIN one 1
	json 'd["result"]' 0 'd["written"]["fat"] > 0' True
done

t "an extended file is read as zeros"
mkkind v.img fat32
prealloc 0 -x v.img 1M:EXT.BIN
fatfs v.img read /EXT.BIN
json 'd["size"]' 1048576 'd["sha256"]' \
	"'$(head -c 1048576 /dev/zero | sha256sum | cut -d ' ' -f 1)'"

finish
