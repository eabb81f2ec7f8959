libfatcore_a_SOURCES += \
	src/change/commit.c src/change/commit.h \
	src/change/commit_bytes.c \
	src/change/commit_data.c \
	src/change/commit_fat.c \
	src/change/commit_in.h \
	src/change/edit.c src/change/edit.h \
	src/change/fatstream.c src/change/fatstream.h \
	src/change/mirror.c src/change/mirror.h \
	src/change/rollback.c src/change/rollback.h \
	src/change/straddle.c src/change/straddle.h \
	src/change/undo.c src/change/undo.h \
	src/change/undo_in.h \
	src/change/undo_read.c
