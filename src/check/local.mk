libfatcore_a_SOURCES += \
	src/check/check.c src/check/check.h \
	src/check/check_backup.c \
	src/check/check_boot.c \
	src/check/check_clusters.c \
	src/check/check_copies.c \
	src/check/check_cross.c \
	src/check/check_data.c \
	src/check/check_date.c \
	src/check/check_dir.c src/check/check_dir.h \
	src/check/check_dot.c \
	src/check/check_file.c \
	src/check/check_fsinfo.c \
	src/check/check_gate.c \
	src/check/check_label.c \
	src/check/check_layout.c src/check/check_layout.h \
	src/check/check_lfn.c \
	src/check/check_lost.c \
	src/check/check_mirror.c \
	src/check/check_name.c \
	src/check/check_owner.c \
	src/check/check_release.c \
	src/check/check_root.c \
	src/check/check_size.c \
	src/check/check_subdir.c \
	src/check/check_total.c \
	src/check/claim.c \
	src/check/clone.c src/check/clone.h \
	src/check/dirlook.c src/check/dirlook.h \
	src/check/dirread.c src/check/dirread.h \
	src/check/dirstart.c src/check/dirstart.h \
	src/check/finding.c src/check/finding.h \
	src/check/grow.c \
	src/check/layout_look.c src/check/layout_look.h \
	src/check/lost_claims.c src/check/lost_claims.h \
	src/check/lost_in.h src/check/lost_save.c \
	src/check/mend_dots.c \
	src/check/mirror_in.h \
	src/check/mirror_sound.c \
	src/check/mirror_view.c \
	src/check/nameset.c src/check/nameset.h \
	src/check/owner_weigh.c src/check/owner_weigh.h \
	src/check/problem.def \
	src/check/rename.c \
	src/check/repair.c src/check/repair.h \
	src/check/repair_in.h \
	src/check/repair_mark.c \
	src/check/repair_plan.c \
	src/check/rescue.c src/check/rescue.h \
	src/check/rescue_grow.c \
	src/check/settled.c \
	src/check/spare.c src/check/spare.h \
	src/check/walk.c src/check/walk.h \
	src/check/walk_path.c \
	src/check/work.h
