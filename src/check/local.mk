libfatcore_a_SOURCES += \
	src/check/check.c src/check/check.h \
	src/check/check_boot.c \
	src/check/check_copies.c \
	src/check/check_cross.c \
	src/check/check_file.c \
	src/check/check_fsinfo.c \
	src/check/check_gate.c \
	src/check/check_lost.c \
	src/check/claim.c \
	src/check/dirread.c src/check/dirread.h \
	src/check/finding.c src/check/finding.h \
	src/check/problem.def \
	src/check/walk.c src/check/walk.h \
	src/check/walk_path.c \
	src/check/work.h
