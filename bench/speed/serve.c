/* SPDX-License-Identifier: MIT */
#include "serve.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void bench_fail(const char *what) {
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

void *bench_allocate(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) bench_fail("out of memory");
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, bytes, MADV_HUGEPAGE); /* only a wish */
#endif
    return memory;
}

static size_t size_of(int file) {
    struct stat facts;
    if (fstat(file, &facts) != 0) bench_fail("cannot look at the file");
    return (size_t)facts.st_size;
}

static void read_whole(int file, void *memory, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(file, (char *)memory + done, bytes - done);
        if (got <= 0) bench_fail("cannot read the file");
        done += (size_t)got;
    }
}

void bench_array_load(bench_array *array, const char *path, size_t columns) {
    int file = open(path, O_RDONLY);
    if (file < 0) bench_fail("cannot open the array");
    array->columns = columns;
    array->rows = size_of(file) / (columns * sizeof(double) + sizeof(int32_t));
    array->numbers = bench_allocate(array->rows * columns * sizeof(double));
    array->of_class = bench_allocate(array->rows * sizeof(int32_t));
    read_whole(file, array->numbers, array->rows * columns * sizeof(double));
    read_whole(file, array->of_class, array->rows * sizeof(int32_t));
    close(file);
    array->classes = 0;
    for (size_t row = 0; row < array->rows; row++) {
        if ((size_t)array->of_class[row] >= array->classes) array->classes = (size_t)array->of_class[row] + 1;
    }
}

char *bench_text_load(const char *path, size_t *length) {
    int file = open(path, O_RDONLY);
    if (file < 0) bench_fail("cannot open the file");
    *length = size_of(file);
    char *text = bench_allocate(*length);
    read_whole(file, text, *length);
    close(file);
    return text;
}

typedef struct member {
    pthread_t thread;
    void (*part)(void *data, unsigned t, unsigned threads);
    void *data;
    unsigned t, threads;
} member;

static void *run_member(void *argument) {
    member *m = argument;
    m->part(m->data, m->t, m->threads);
    return NULL;
}

void bench_side_by_side(unsigned threads, void (*part)(void *data, unsigned t, unsigned threads), void *data) {
    member members[MOST_THREADS];
    if (threads < 1 || threads > MOST_THREADS) bench_fail("too few threads, or too many");
    for (unsigned t = 0; t < threads; t++) {
        members[t] = (member){.part = part, .data = data, .t = t, .threads = threads};
        if (t > 0 && pthread_create(&members[t].thread, NULL, run_member, &members[t]) != 0) bench_fail("no thread");
    }
    run_member(&members[0]);
    for (unsigned t = 1; t < threads; t++) pthread_join(members[t].thread, NULL);
}

double bench_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int bench_serve(const bench_turn *turns, size_t count, void *data) {
    char name[32];
    unsigned threads;
    printf("ready\n");
    fflush(stdout);
    while (scanf("%31s %u", name, &threads) == 2) {
        size_t i = 0;
        while (i < count && strcmp(turns[i].name, name) != 0) i++;
        if (i == count) bench_fail("no such turn");
        double before = bench_now();
        double check = turns[i].run(data, threads);
        printf("%.9f %.17g\n", bench_now() - before, check);
        fflush(stdout);
    }
    return 0;
}
