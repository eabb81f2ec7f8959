libfatcore_a_SOURCES += \
	src/report/file_json.c \
	src/report/file_text.c \
	src/report/fsck.h \
	src/report/fsck_json.c \
	src/report/fsck_text.c \
	src/report/progress.c src/report/progress.h \
	src/report/report.c src/report/report.h
