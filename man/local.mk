# manual pages
dist_man_MANS += man/fatprealloc.8 man/fatfsck.8
EXTRA_DIST += man/fatfsck.8.in man/problems.awk
MAINTAINERCLEANFILES = man/fatfsck.8

# With the table of problem.def. A release has it ready-made.
man/fatfsck.8: man/problems.awk src/check/problem.def man/fatfsck.8.in
	$(AM_V_GEN)$(MKDIR_P) man && \
	$(AWK) -f $(srcdir)/man/problems.awk \
		$(srcdir)/src/check/problem.def \
		$(srcdir)/man/fatfsck.8.in >$@.tmp && mv $@.tmp $@
