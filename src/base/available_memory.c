/* SPDX-License-Identifier: MIT */
/* available_memory.c - see available_memory.h. */
#include "base/available_memory.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The result if the system reports nothing. */
static const double LEAST = 64.0 * 1024 * 1024;

/* Returns the system's own estimate of available memory, which includes reclaimable caches. The number of free pages
 * does not. */
static double available_memory_available(void) {
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
    double bytes = available_memory_available();
    double most = available_memory_read_number("/sys/fs/cgroup/memory.max"),
           used = available_memory_read_number("/sys/fs/cgroup/memory.current");
    if (most > used && most - used < bytes) bytes = most - used;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur < bytes)
        bytes = (double)limit.rlim_cur;
    return bytes > LEAST ? bytes : LEAST;
}
