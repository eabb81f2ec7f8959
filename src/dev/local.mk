libfatcore_a_SOURCES += \
	src/dev/blk.c src/dev/blk.h \
	src/dev/blk_file.c src/dev/blk_file.h \
	src/dev/blk_overlay.c src/dev/blk_overlay.h \
	src/dev/blk_slice.c src/dev/blk_slice.h \
	src/dev/fd.c src/dev/fd.h \
	src/dev/inuse.c src/dev/inuse.h \
	src/dev/ledger.c src/dev/ledger.h \
	src/dev/locate.c src/dev/locate.h
