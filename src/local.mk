fatprealloc_SOURCES = \
	src/fatprealloc.c
fatfsck_SOURCES = \
	src/arg.c src/arg.h \
	src/fatfsck.c \
	src/fatfsck_options.c src/fatfsck_options.h
