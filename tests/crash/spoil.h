/* spoil.h - ways to spoil the log of a good job */
#ifndef TESTS_CRASH_SPOIL_H
#define TESTS_CRASH_SPOIL_H

#include "jobs.h"

typedef void spoil_fn(struct log *log, const struct job *job);

/* Barriers and order. */
spoil_fn spoil_no_barriers;
spoil_fn spoil_no_last_barrier;
spoil_fn spoil_early_entry;
spoil_fn spoil_early_clean;
spoil_fn spoil_links_with_entries;
spoil_fn spoil_links_in_entries;
spoil_fn spoil_steps_with_links;

/* Writes that are missing. */
spoil_fn spoil_no_first_copy;
spoil_fn spoil_no_second_copy;
spoil_fn spoil_no_mark;
spoil_fn spoil_no_zeros;
spoil_fn spoil_no_first_dir_write;
spoil_fn spoil_no_fsinfo;
spoil_fn spoil_no_clean;
spoil_fn spoil_nothing;

/* Writes of what must not be. */
spoil_fn spoil_free_early;
spoil_fn spoil_cross_link;
spoil_fn spoil_loop;
spoil_fn spoil_out_of_range;
spoil_fn spoil_into_bad;
spoil_fn spoil_cut_short;
spoil_fn spoil_part_of_chain;
spoil_fn spoil_lost;
spoil_fn spoil_lost_into_used;
spoil_fn spoil_upper_bits;
spoil_fn spoil_wild_file;
spoil_fn spoil_wild_free;
spoil_fn spoil_wild_boot;
spoil_fn spoil_wild_slack;
spoil_fn spoil_delete_file;
spoil_fn spoil_same_name;
spoil_fn spoil_touch;
spoil_fn spoil_too_large;
spoil_fn spoil_wrong_dot;
spoil_fn spoil_rename_long;

#endif
