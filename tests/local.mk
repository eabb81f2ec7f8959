# tests

# The laws: layers, who writes, README's layer table, options, style.
law_tests = \
	tests/laws/can_fail.py \
	tests/laws/coverage.py \
	tests/laws/includes.py \
	tests/laws/layer_table.py \
	tests/laws/man_lint.sh \
	tests/laws/man_table.py \
	tests/laws/options.py \
	tests/laws/style.py \
	tests/laws/symbols.py \
	tests/laws/writers.py
TESTS += $(law_tests)
EXTRA_DIST += $(law_tests) tests/laws/law.py README.md

# What a newcomer runs, and speed against peers.
EXTRA_DIST += tests/demo.sh tests/bench/bench.py
.PHONY: demo bench
demo: $(sbin_PROGRAMS)
	@$(srcdir)/tests/demo.sh
bench: $(sbin_PROGRAMS)
	@$(srcdir)/tests/bench/bench.py
clean-local:
	rm -rf demo fatbench.*

# names and directories
if HAVE_CHECK
name_tests = tests/unit_codepage tests/unit_dirent tests/unit_lfn \
	tests/unit_names tests/unit_dir tests/unit_path
check_PROGRAMS += $(name_tests)
TESTS += $(name_tests)
tests_unit_codepage_SOURCES = tests/unit_codepage.c
tests_unit_codepage_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_codepage_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_dirent_SOURCES = tests/unit_dirent.c tests/slots.h
tests_unit_dirent_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_dirent_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_lfn_SOURCES = tests/unit_lfn.c tests/slots.h
tests_unit_lfn_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_lfn_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_names_SOURCES = tests/unit_names.c tests/slots.h
tests_unit_names_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_names_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_dir_SOURCES = tests/unit_dir.c tests/img.c tests/img.h \
	tests/slots.h
tests_unit_dir_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_dir_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_path_SOURCES = tests/unit_path.c tests/img.c tests/img.h
tests_unit_path_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_path_LDADD = $(LDADD) $(CHECK_LIBS)
endif

# crash states and faults
crash_sources = \
	tests/crash/explore.c tests/crash/explore.h tests/crash/explore_in.h \
	tests/crash/image.c tests/crash/image.h tests/crash/image_bytes.h \
	tests/crash/image_dir.c \
	tests/crash/jobs.c tests/crash/jobs.h tests/crash/jobs_image.c \
	tests/crash/jobs_random.c \
	tests/crash/judge.c tests/crash/judge.h tests/crash/judge_in.h \
	tests/crash/judge_final.c tests/crash/judge_mark.c \
	tests/crash/reader.c tests/crash/reader.h tests/crash/reader_in.h \
	tests/crash/reader_dir.c \
	tests/crash/recorder.c tests/crash/recorder.h \
	tests/crash/states.c
crash_programs = tests/crash/crash tests/crash/selftest tests/fault/fault
check_LIBRARIES = tests/crash/libcrash.a
check_PROGRAMS += $(crash_programs)
TESTS += $(crash_programs) tests/crash/outsider.sh
EXTRA_DIST += tests/crash/outsider.sh
tests_crash_libcrash_a_SOURCES = $(crash_sources)
tests_crash_crash_SOURCES = tests/crash/crash.c
tests_crash_crash_LDADD = tests/crash/libcrash.a $(LDADD)
tests_crash_selftest_SOURCES = tests/crash/selftest.c tests/crash/spoil.c \
	tests/crash/spoil.h
tests_crash_selftest_LDADD = tests/crash/libcrash.a $(LDADD)
tests_fault_fault_SOURCES = tests/fault/fault.c
tests_fault_fault_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/crash
tests_fault_fault_LDADD = tests/crash/libcrash.a $(LDADD)

# All of it: make check takes samples.
.PHONY: crash crash-jobs crash-repairs
crash: crash-jobs crash-repairs
crash-jobs: $(crash_programs)
	tests/crash/selftest
	tests/fault/fault --all
	tests/crash/crash --full
crash-repairs: tests/fsck/cut
	$(srcdir)/tests/fsck/cuts.py --full
	$(srcdir)/tests/fsck/bootflips.py --full

# base and dev
if HAVE_CHECK
dev_tests = tests/unit_base tests/unit_text tests/unit_dev tests/unit_file \
	tests/unit_overlay tests/unit_locate tests/unit_inuse tests/unit_loop
check_PROGRAMS += $(dev_tests)
TESTS += $(dev_tests)
tests_unit_base_SOURCES = tests/unit_base.c
tests_unit_base_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_base_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_text_SOURCES = tests/unit_text.c
tests_unit_text_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_text_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_dev_SOURCES = tests/unit_dev.c
tests_unit_dev_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_dev_LDADD = tests/crash/libcrash.a $(LDADD) $(CHECK_LIBS)
tests_unit_file_SOURCES = tests/unit_file.c
tests_unit_file_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_file_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_overlay_SOURCES = tests/unit_overlay.c
tests_unit_overlay_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_overlay_LDADD = tests/crash/libcrash.a $(LDADD) $(CHECK_LIBS)
tests_unit_locate_SOURCES = tests/unit_locate.c
tests_unit_locate_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_locate_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_inuse_SOURCES = tests/unit_inuse.c
tests_unit_inuse_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_inuse_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_loop_SOURCES = tests/unit_loop.c
tests_unit_loop_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_loop_LDADD = $(LDADD) $(CHECK_LIBS)
endif


# fatfsck
# The numbers of a volume of 2^28 clusters.
.PHONY: big
big: $(sbin_PROGRAMS)
	FSCK_BIG=1 $(srcdir)/tests/fsck/memory.py

fsck_tests = tests/fsck/findings.py tests/fsck/cli.py tests/fsck/corpus.py \
	tests/fsck/dirs.py tests/fsck/scale.py tests/fsck/repairs.py \
	tests/fsck/cuts.py tests/fsck/corpus_repair.py \
	tests/fsck/memory.py \
	tests/fsck/more_cases.py \
	tests/fsck/preen.py \
	tests/fsck/sizes.py \
	tests/fsck/fuzz.py \
	tests/fsck/ask.py \
	tests/fsck/linear.py \
	tests/fsck/copies.py \
	tests/fsck/mirrors.py \
	tests/fsck/shared.py \
	tests/fsck/rescue.py \
	tests/fsck/layout.py \
	tests/fsck/bootflips.py
check_PROGRAMS += tests/fsck/cut
TESTS += $(fsck_tests)
EXTRA_DIST += $(fsck_tests) tests/fsck/images.py tests/fsck/program.py \
	tests/fsck/damage.py tests/fsck/damage_beyond.py \
	tests/fsck/damage_boot.py \
	tests/fsck/damage_dots.py tests/fsck/damage_layout.py \
	tests/fsck/damage_mirror.py \
	tests/fsck/damage_traps.py \
	tests/fsck/reader.py tests/fsck/corpus.tsv
tests_fsck_cut_SOURCES = tests/fsck/cut.c
tests_fsck_cut_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests/crash
tests_fsck_cut_LDADD = tests/crash/libcrash.a $(LDADD)

# jobs and consumers
job_tests = \
	tests/job_seed.sh \
	tests/job_kinds.sh \
	tests/job_names.sh \
	tests/job_modes.sh \
	tests/job_owner.sh \
	tests/job_place.sh \
	tests/job_straddle.sh \
	tests/job_report.sh \
	tests/job_refuse.sh \
	tests/job_undo.sh \
	tests/job_big.sh \
	tests/consumers/linux_vfat.sh \
	tests/consumers/fatfs.sh \
	tests/consumers/mtools_fsck.sh
TESTS += $(job_tests)
EXTRA_DIST += $(job_tests) tests/lib.sh tests/fatread.py \
	tests/consumers/uml.sh tests/consumers/uml_init.sh \
	tests/consumers/fatfs.mjs tests/consumers/package.json \
	tests/consumers/package-lock.json

# planning
if HAVE_CHECK
plan_tests = tests/unit_straddle tests/unit_pool tests/unit_plan
check_PROGRAMS += $(plan_tests)
TESTS += $(plan_tests)
tests_unit_straddle_SOURCES = tests/unit_straddle.c
tests_unit_straddle_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_straddle_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_pool_SOURCES = tests/unit_pool.c
tests_unit_pool_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_pool_LDADD = $(LDADD) $(CHECK_LIBS)
tests_unit_plan_SOURCES = tests/unit_plan.c
tests_unit_plan_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_plan_LDADD = $(LDADD) $(CHECK_LIBS)
endif

# fat, change and scan
if HAVE_CHECK
fat_tests = tests/unit_bpb tests/unit_fat tests/unit_chain \
	tests/unit_commit tests/unit_scan
check_PROGRAMS += $(fat_tests)
TESTS += $(fat_tests)
tests_unit_bpb_SOURCES = tests/unit_bpb.c
tests_unit_bpb_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_bpb_LDADD = tests/crash/libcrash.a $(LDADD) $(CHECK_LIBS)
tests_unit_fat_SOURCES = tests/unit_fat.c tests/fatdisk.h
tests_unit_fat_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_fat_LDADD = tests/crash/libcrash.a $(LDADD) $(CHECK_LIBS)
tests_unit_chain_SOURCES = tests/unit_chain.c tests/fatdisk.h
tests_unit_chain_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_chain_LDADD = tests/crash/libcrash.a $(LDADD) $(CHECK_LIBS)
tests_unit_commit_SOURCES = tests/unit_commit.c tests/fatdisk.h
tests_unit_commit_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_commit_LDADD = tests/crash/libcrash.a $(LDADD) $(CHECK_LIBS)
tests_unit_scan_SOURCES = tests/unit_scan.c tests/fatdisk.h
tests_unit_scan_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_unit_scan_LDADD = tests/crash/libcrash.a $(LDADD) $(CHECK_LIBS)
endif
