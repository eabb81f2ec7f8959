/* align.h - clusters that begin on a multiple of bytes of the device */
#ifndef PREALLOC_ALIGN_H
#define PREALLOC_ALIGN_H

#include <stdbool.h>

#include "base/run.h"

/* Clusters with (c - remainder) divisible by step are aligned. */
struct align {
	uint64_t step;	    /* 1 = every cluster */
	uint64_t remainder; /* < step */
};

/*
 * Which clusters start on a multiple of align_bytes, where cluster 2 starts
 * at data_bytes of the device. False if none does.
 */
bool align_init(struct align *a, uint64_t align_bytes, uint64_t data_bytes,
		uint32_t cluster_bytes);
bool align_has(const struct align *a, clus_t c);
/* What lies before the first aligned cluster of r, and the rest. */
void align_split(const struct align *a, struct run r, struct run *before,
		 struct run *rest);

#endif
