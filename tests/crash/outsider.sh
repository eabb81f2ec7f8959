#!/bin/sh
# The images that the crash tests begin with are sound in somebody else's
# eyes, too: fsck.fat has nothing to report but the reservations, which it
# takes for damage (16 clusters in all), and the label. Only volumes with
# nothing stale behind the end marks: fsck.fat reads on there.
PATH=$PATH:/sbin:/usr/sbin
if ! command -v fsck.fat >/dev/null; then
	echo "SKIP: fsck.fat is missing"
	exit 77
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
failed=0
for volume in fat12-one-copy-no-mark fat16-one-copy fat32-clusters-of-4; do
	./tests/crash/crash --dump "$dir/image" "$volume/new" || exit 99
	LC_ALL=C fsck.fat -n "$dir/image" >"$dir/out" 2>&1
	if ! grep -q '/4200 clusters$\|/1450 clusters$' "$dir/out"; then
		echo "FAIL: $volume: fsck.fat did not come to its end"
		failed=1
	fi
	grep -v -e '^fsck.fat 4' -e '^/\(RES\|CUT\).*BIN$' \
		-e '^/Deep directory/BELOW/OLD.BIN$' \
		-e '^  File size is [0-9]* bytes, cluster chain length is >' \
		-e '^  Truncating file to' \
		-e '^There is no label in boot sector' \
		-e '^  Auto-copying volume label' \
		-e "^Volume label 'CRASH TEST' stored in root directory and" \
		-e '^Free cluster summary wrong (797 vs. really 813)$' \
		-e '^  Auto-correcting.$' \
		-e '^Warning: Filesystem is FAT32 according' \
		-e '^  but has only 1450 clusters' \
		-e '^  This may lead to problems' \
		-e '^$' -e '^Leaving filesystem unchanged' \
		-e ' files, [0-9]*/[0-9]* clusters$' "$dir/out" >"$dir/left"
	if [ -s "$dir/left" ]; then
		echo "FAIL: $volume: fsck.fat also says:"
		cat "$dir/left"
		failed=1
	fi
done
exit $failed
