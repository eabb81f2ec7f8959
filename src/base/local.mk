libfatcore_a_SOURCES += \
	src/base/array.c src/base/array.h \
	src/base/bitmap.c src/base/bitmap.h \
	src/base/bytes.h \
	src/base/ckd.h \
	src/base/manifest.c src/base/manifest.h \
	src/base/run.c src/base/run.h \
	src/base/status.c src/base/status.h \
	src/base/text.c src/base/text.h
