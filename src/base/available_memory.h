/* SPDX-License-Identifier: MIT */
/* available_memory.h - how much memory this process can still use. */
#ifndef CRD_BASE_AVAILABLE_MEMORY_H
#define CRD_BASE_AVAILABLE_MEMORY_H

/* Returns the number of bytes that can be allocated without swapping: the system's estimate of available memory,
 * limited by the resource limits of this process. Returns a small fixed amount if neither can be determined. */
double crd_i_free_memory(void);

#endif
