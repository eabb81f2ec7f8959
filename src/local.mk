fatprealloc_SOURCES = \
	src/arg.c src/arg.h \
	src/fatprealloc.c \
	src/fatprealloc_options.c src/fatprealloc_options.h \
	src/fatprealloc_requests.c
fatfsck_SOURCES = \
	src/arg.c src/arg.h \
	src/fatfsck.c \
	src/fatfsck_options.c src/fatfsck_options.h
