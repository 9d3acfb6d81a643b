/* SPDX-License-Identifier: MIT */
/* launch.c - runs a command and says what it took: the bench's own interpreter would add to the time and to the memory
 * of a child that it starts itself.
 *
 *   bench_launch TURNS FILE COMMAND ARGUMENT...
 *
 * Runs the command TURNS times. For each, FILE gets a line "SECONDS PEAK STATUS": seconds from before the fork until
 * the end was known, the greatest resident memory in bytes, the exit status. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **arguments) {
    FILE *file = count > 3 ? fopen(arguments[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "usage: bench_launch TURNS FILE COMMAND ARGUMENT...\n");
        return 2;
    }
    for (long turns = strtol(arguments[1], NULL, 10); turns > 0; turns--) {
        struct rusage usage;
        int state;
        pid_t child;
        double before = now();
        if (posix_spawnp(&child, arguments[3], NULL, NULL, arguments + 3, environ) != 0) {
            fprintf(stderr, "bench_launch: cannot run %s\n", arguments[3]);
            return 2;
        }
        if (wait4(child, &state, 0, &usage) != child) return 2;
        double seconds = now() - before;
        int status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
        fprintf(file, "%.9f %ld %d\n", seconds, 1024 * usage.ru_maxrss, status);
    }
    return fclose(file) != 0;
}
