#!/bin/sh
# The demonstration of "make demo": reserves space on an SD card image, shows
# that it is there, and that the image is sound. Works in ./demo, which stays.
set -eu
PATH=$PATH:/usr/sbin:/sbin
image=demo/sdcard.img

say()
{
	printf '\n# %s\n' "$*"
}

# Shows a command line as typed, then runs it.
run()
{
	printf '$ %s\n' "$*"
	sh -c "$*" 2>&1
}

command -v mkfs.fat >/dev/null || {
	echo "demo: mkfs.fat is missing (Debian: dosfstools)" >&2
	exit 1
}
rm -rf demo
mkdir demo
cat >demo/card.txt <<END
# LENGTH PATH
64MiB  /VIDEO/CLIP0001.MP4
64MiB  /VIDEO/CLIP0002.MP4
16MiB  /LOG/engine events.log
END

say "An empty SD card of 1 GiB, as an image (it takes no space: it is sparse)."
run truncate -s 1G $image
run mkfs.fat -F 32 -n CAMERA $image

say "What a recorder will need."
run cat demo/card.txt

say "Reserve it: each file in one piece, all or nothing. Sizes stay 0."
run ./fatprealloc -p -f demo/card.txt $image

say "Again: the space is there, so nothing is written."
run ./fatprealloc -p -f demo/card.txt $image

say "Linux wants a real size. This file reads as zeros; write inside it."
run ./fatprealloc --extend $image 8MiB:/DATA.BIN

say "Verify the volume, and that each line of the list holds."
run ./fatfsck -n --expect demo/card.txt $image

say "Where everything lies."
run ./fatprealloc --list $image

say "The image is still sparse: its size, and what it takes on this disk."
run du -h --apparent-size $image
run du -h $image

say "Done. It is all in demo/. Try: ./fatprealloc --help"
