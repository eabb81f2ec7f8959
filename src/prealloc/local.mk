libfatcore_a_SOURCES += \
	src/prealloc/admit.c \
	src/prealloc/align.c src/prealloc/align.h \
	src/prealloc/build.c \
	src/prealloc/job.c src/prealloc/job.h \
	src/prealloc/list.c src/prealloc/list.h \
	src/prealloc/mark.c src/prealloc/mark.h \
	src/prealloc/needs.c \
	src/prealloc/owners.c \
	src/prealloc/place.c src/prealloc/place.h \
	src/prealloc/plan.c src/prealloc/plan.h \
	src/prealloc/pool.c src/prealloc/pool.h \
	src/prealloc/release.c \
	src/prealloc/resolve.c src/prealloc/resolve.h \
	src/prealloc/scan.c src/prealloc/scan.h \
	src/prealloc/slots.c src/prealloc/slots.h \
	src/prealloc/slots_emit.c \
	src/prealloc/slots_in.h \
	src/prealloc/slots_read.c \
	src/prealloc/space.c src/prealloc/space.h \
	src/prealloc/spot.c src/prealloc/spot.h \
	src/prealloc/tree.c src/prealloc/tree.h \
	src/prealloc/work.h
