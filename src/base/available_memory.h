/* SPDX-License-Identifier: MIT */
/* available_memory.h - how much memory there is for the taking. */
#ifndef CRD_BASE_AVAILABLE_MEMORY_H
#define CRD_BASE_AVAILABLE_MEMORY_H

/* Bytes that can be had without anything being written out to disk: what the system says is available, and no more than
 * the limits that were set for this process leave. Never below a small amount, where nothing can be found out. */
double crd_i_free_memory(void);

#endif
