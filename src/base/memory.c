/* SPDX-License-Identifier: MIT */
/* memory.c - see memory.h.
 *
 * Contents:
 *   1. Allocation
 *   2. Available memory */
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ======== 1. Allocation ======== */

void *crd_i_alloc(crd_context *context, size_t count, size_t item_size) {
    if (item_size != 0 && count > SIZE_MAX / item_size) return NULL;
    size_t bytes = count * item_size;
    void *block = context->resize(context->resize_user, NULL, bytes == 0 ? 1 : bytes);
    if (block != NULL) crd_i_context_hold(context);
    return block;
}

void *crd_i_alloc_zeroed(crd_context *context, size_t count, size_t item_size) {
    void *block = crd_i_alloc(context, count, item_size);
    if (block != NULL) memset(block, 0, count * item_size);
    return block;
}

bool crd_i_reserve(crd_context *context, void *block_pointer, size_t *capacity, size_t count, size_t item_size) {
    if (count <= *capacity) return true;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < count) {
        if (wanted > SIZE_MAX / 2) return false;
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / item_size) return false;
    void *before, *block;
    memcpy(&before, block_pointer, sizeof before);
    block = context->resize(context->resize_user, before, wanted * item_size);
    if (block == NULL) return false;
    if (before == NULL) crd_i_context_hold(context);
    memcpy(block_pointer, &block, sizeof block);
    *capacity = wanted;
    return true;
}

/* ======== 2. Available memory ======== */

/* The result if the system reports nothing. */
static const double LEAST = 64.0 * 1024 * 1024;

/* Returns the system's own estimate of available memory, which includes reclaimable caches. The number of free pages
 * does not. */
static double read_available_memory(void) {
    double kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && kilobytes == 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) != 1) kilobytes = 0;
    if (file != NULL) fclose(file);
    if (kilobytes > 0) return kilobytes * 1024;
#if defined(_SC_AVPHYS_PAGES) && defined(_SC_PAGESIZE)
    return (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    return 0;
#endif
}

/* Reads a number from a file. Returns 0 if there is none. */
static double available_memory_read_number(const char *path) {
    double number = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%lf", &number) != 1) number = 0;
    fclose(file);
    return number;
}

double crd_i_free_memory(void) {
    double bytes = read_available_memory();
    double most = available_memory_read_number("/sys/fs/cgroup/memory.max"),
           used = available_memory_read_number("/sys/fs/cgroup/memory.current");
    if (most > used && most - used < bytes) bytes = most - used;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur < bytes)
        bytes = (double)limit.rlim_cur;
    return bytes > LEAST ? bytes : LEAST;
}
