libfatcore_a_SOURCES += \
	src/fat/bpb.c src/fat/bpb.h \
	src/fat/chain.c src/fat/chain.h \
	src/fat/codepage.c src/fat/codepage.h \
	src/fat/dir.c src/fat/dir.h \
	src/fat/dirent.c src/fat/dirent.h \
	src/fat/fatent.c src/fat/fatent.h \
	src/fat/fatwin.c src/fat/fatwin.h \
	src/fat/fsinfo.c src/fat/fsinfo.h \
	src/fat/lfn.c src/fat/lfn_make.c src/fat/lfn.h \
	src/fat/path.c src/fat/path.h \
	src/fat/volume.c src/fat/volume.h
