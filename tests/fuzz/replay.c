/* SPDX-License-Identifier: MIT */
/* replay.c - runs a fuzz target without libFuzzer: on files, on its seeds, and on blind mutations of its seeds.
 *
 *   fuzz_tests                         lists the targets
 *   fuzz_tests NAME SECONDS            the seeds, then mutations of them until the time is over
 *   fuzz_tests NAME FILE...            these inputs
 *   fuzz_tests NAME --write-seeds DIR  the seeds as files, for libFuzzer to start from
 *
 * Mutation number i is a function of i alone, so a run finds what another found. The work is done in a child process
 * that writes i to a shared page; where the child dies, or hangs, the parent makes input i again and keeps it as
 * fuzz_NAME.crash in the working folder. */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUZZ_TARGET(name)                                                                                              \
    int fuzz_##name##_input(const uint8_t *bytes, size_t length);                                                      \
    void fuzz_##name##_seeds(fuzz_emit emit, void *user);
#include "fuzz_entries.h"
#undef FUZZ_TARGET

typedef struct fuzz_target {
    const char *name;
    int (*input)(const uint8_t *bytes, size_t length);
    void (*seeds)(fuzz_emit emit, void *user);
} fuzz_target;

static const fuzz_target targets[] = {
#define FUZZ_TARGET(name) {#name, fuzz_##name##_input, fuzz_##name##_seeds},
#include "fuzz_entries.h"
#undef FUZZ_TARGET
};

/* The target of this run. */
static const fuzz_target *target;

enum { MOST_SEEDS = 2048, MOST_LENGTH = 1 << 16, MOST_SECONDS_AN_INPUT = 60 };

typedef struct replay_input {
    unsigned char *bytes;
    size_t length;
} replay_input;

typedef struct replay_corpus {
    replay_input seeds[MOST_SEEDS];
    size_t count;
} replay_corpus;

static void *need(void *block) {
    if (block == NULL) {
        fprintf(stderr, "replay: out of memory\n");
        exit(1);
    }
    return block;
}

static void collect(void *user, const void *bytes, size_t length) {
    replay_corpus *all = user;
    if (all->count == MOST_SEEDS || length > MOST_LENGTH) {
        fprintf(stderr, "replay: seed %zu of %zu bytes: too many seeds, or too long a one\n", all->count, length);
        exit(1);
    }
    replay_input *seed = &all->seeds[all->count++];
    seed->bytes = need(malloc(length + 1));
    seed->length = length;
    if (length > 0) memcpy(seed->bytes, bytes, length);
}

static void run_exactly(const unsigned char *bytes, size_t length) {
    /* A block of just this size: a sanitizer sees the first byte read past it. */
    unsigned char *copy = need(malloc(length + (length == 0)));
    if (length > 0) memcpy(copy, bytes, length);
    target->input(copy, length);
    free(copy);
}

/* SplitMix64 */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t below(uint64_t *state, size_t bound) {
    return bound == 0 ? 0 : (size_t)(draw(state) % bound);
}

/* Replaces `removed` bytes at `at` by others. */
static void splice(replay_input *it, size_t index, size_t removed, const void *bytes, size_t length) {
    if (it->length - removed + length > MOST_LENGTH) return;
    unsigned char *moved = need(malloc(MOST_LENGTH));
    size_t tail = it->length - index - removed;
    memcpy(moved, it->bytes + index + removed, tail);
    if (length > 0) memmove(it->bytes + index, bytes, length);
    memcpy(it->bytes + index + length, moved, tail);
    it->length = index + length + tail;
    free(moved);
}

static void mutate_once(replay_input *it, const replay_corpus *all, uint64_t *state) {
    static const char *const tokens[] = {",",     "\"", "\"\"", "\n",           "\r\n", ";",  "\t",
                                         " ",     "?",  "NaN",  "inf",          "0",    "-0", "1e9",
                                         "1e999", ".",  "abc",  "\xef\xbb\xbf", "m:1",  "="};
    static const unsigned char bytes[] = {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, '"', ',', '\n'};
    size_t index = below(state, it->length + 1), left = it->length - index;
    switch (below(state, 8)) {
    case 0:
        if (left > 0) it->bytes[index] ^= (unsigned char)(1u << below(state, 8));
        break;
    case 1:
        if (left > 0) it->bytes[index] = bytes[below(state, sizeof bytes)];
        break;
    case 2:
        if (left > 0) it->bytes[index] = (unsigned char)(it->bytes[index] + below(state, 9) - 4);
        break;
    case 3: splice(it, index, below(state, (left < 64 ? left : 64) + 1), "", 0); break;
    case 4: {
        const char *token = tokens[below(state, sizeof tokens / sizeof *tokens)];
        splice(it, index, 0, token, strlen(token));
        break;
    }
    case 5: { /* doubles a stretch */
        unsigned char stretch[256];
        size_t length = below(state, (left < sizeof stretch ? left : sizeof stretch) + 1);
        memcpy(stretch, it->bytes + index, length);
        splice(it, index, 0, stretch, length);
        break;
    }
    case 6: { /* a stretch of another seed */
        const replay_input *other = &all->seeds[below(state, all->count)];
        size_t first = below(state, other->length + 1), length = below(state, other->length - first + 1);
        splice(it, index, below(state, left + 1), other->bytes + first, length);
        break;
    }
    default: it->length = below(state, 16) == 0 ? index : it->length; break;
    }
}

/* Input number i: the seeds first, then mutations of them. `it` has room for MOST_LENGTH bytes. */
static void make_input(const replay_corpus *all, uint64_t i, replay_input *it) {
    uint64_t state = i;
    const replay_input *seed = &all->seeds[i < all->count ? i : below(&state, all->count)];
    memcpy(it->bytes, seed->bytes, seed->length);
    it->length = seed->length;
    if (i < all->count) return;
    for (size_t rounds = 1 + below(&state, 6); rounds > 0; rounds--) mutate_once(it, all, &state);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t *shared_counter(void) {
    FILE *file = tmpfile();
    if (file == NULL || ftruncate(fileno(file), (off_t)sizeof(uint64_t)) != 0) return NULL;
    void *page = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    fclose(file);
    return page == MAP_FAILED ? NULL : page;
}

static void keep(const char *name, const replay_input *it) {
    FILE *file = fopen(name, "wb");
    if (file == NULL || fwrite(it->bytes, 1, it->length, file) != it->length || fclose(file) != 0)
        fprintf(stderr, "replay: cannot write %s: %s\n", name, strerror(errno));
}

static int run_for(const replay_corpus *all, double seconds) {
    volatile uint64_t *number = need(shared_counter());
    replay_input it = {need(malloc(MOST_LENGTH)), 0};
    pid_t child = fork();
    if (child == 0) {
        double end = now() + seconds;
        for (uint64_t i = 0; i < all->count || now() < end; i++) {
            *number = i;
            alarm(MOST_SECONDS_AN_INPUT);
            make_input(all, i, &it);
            run_exactly(it.bytes, it.length);
        }
        exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        fprintf(stderr, "replay: %s\n", strerror(errno));
        return 1;
    }
    printf("%llu inputs\n", (unsigned long long)*number + 1);
    if (status != 0) {
        char name[256];
        snprintf(name, sizeof name, "fuzz_%s.crash", target->name);
        make_input(all, *number, &it);
        keep(name, &it);
        printf("input %llu failed; it is kept as %s\n", (unsigned long long)*number, name);
    }
    free(it.bytes);
    return status != 0;
}

static int write_seeds(const replay_corpus *all, const char *folder) {
    for (size_t i = 0; i < all->count; i++) {
        char name[1024];
        snprintf(name, sizeof name, "%s/seed-%02zu", folder, i);
        keep(name, &all->seeds[i]);
    }
    return 0;
}

static int run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
        return 1;
    }
    enum { MOST_FILE = 1 << 24 };
    unsigned char *bytes = need(malloc(MOST_FILE));
    size_t length = fread(bytes, 1, MOST_FILE, file);
    fclose(file);
    run_exactly(bytes, length);
    free(bytes);
    return 0;
}

int main(int argc, char **argv) {
    static replay_corpus all;
    const size_t count = sizeof targets / sizeof *targets;
    for (size_t i = 0; i < count; i++) {
        if (argc == 1) puts(targets[i].name);
        else if (strcmp(targets[i].name, argv[1]) == 0) target = &targets[i];
    }
    if (argc == 1) return 0;
    if (target == NULL || argc == 2) {
        fprintf(stderr, "usage: %s [NAME SECONDS | NAME FILE... | NAME --write-seeds DIR]\n", argv[0]);
        return 2;
    }
    int failed = 0;
    target->seeds(collect, &all);
    if (argc == 4 && strcmp(argv[2], "--write-seeds") == 0) failed = write_seeds(&all, argv[3]);
    else if (argc == 3 && strspn(argv[2], "0123456789") == strlen(argv[2])) failed = run_for(&all, atof(argv[2]));
    else
        for (int i = 2; i < argc; i++) failed |= run_file(argv[i]);
    for (size_t i = 0; i < all.count; i++) free(all.seeds[i].bytes);
    return failed;
}
