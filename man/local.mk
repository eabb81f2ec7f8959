# manual pages
dist_man_MANS += man/fatprealloc.8 man/fatfsck.8
