#!/bin/sh
# mandoc has nothing to say about the man pages, but for pages of others that
# are not installed here.
command -v mandoc >/dev/null || {
	echo "SKIP: mandoc is not installed"
	exit 77
}
src=${srcdir:-.}
fsck=man/fatfsck.8 # made by the build, or part of a release
[ -e "$fsck" ] || fsck=$src/$fsck
[ -e "$fsck" ] || exit 99
said=$(mandoc -T lint "$src/man/fatprealloc.8" "$fsck" 2>&1 |
	grep -v -e 'referenced manual not found' -e 'outdated mandoc\.db')
[ -z "$said" ] || {
	echo "$said"
	exit 1
}

# The linter does see a fault.
printf '.Dd December 1, 2026\n.Dt X 8\n.Os\n.Sh NAME\n.Nx\n.Zz\n' |
	mandoc -T lint >/dev/null && exit 1
exit 0
