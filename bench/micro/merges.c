/* SPDX-License-Identifier: MIT */
/* merges.c - what merging a small model costs: 10,000 models of 20 columns (10 of numbers, 9 of categories, 3 classes, 40 rows), as bytes
 * in memory, merged one after the other into the first.
 *
 *   bench_merges
 *
 * Prints microseconds a model and megabytes a second of crd_model_merge_bytes, without ids of parts and with them, and of a copy of
 * the bytes: of processor time, the least of several turns. */
#include <credence/all.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MODELS = 10000, KINDS = 100, TURNS = 5, NUMBERS = 10, CATEGORIES = 9, ROWS = 40, ROOM = 1 << 14 };

typedef struct encoded {
    unsigned char *bytes;
    size_t length;
} encoded;

static crd_context *context;

static void check(crd_status status, const char *what) {
    if (status == CRD_OK) return;
    fprintf(stderr, "bench_merges: %s: %s\n", what, crd_status_name(status));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t below(size_t bound) {
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(state >> 33) % bound;
}

static crd_model *train(void) {
    static const char *const colours[] = {"red", "green", "blue", "grey"};
    static char text[ROOM];
    size_t used = 0;
    for (int i = 0; i < NUMBERS + CATEGORIES; i++) used += (size_t)sprintf(text + used, "column%d,", i);
    used += (size_t)sprintf(text + used, "y\n");
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < NUMBERS; i++) used += (size_t)sprintf(text + used, "%.3f,", (double)below(100000) / 1000);
        for (int i = 0; i < CATEGORIES; i++) used += (size_t)sprintf(text + used, "%s,", colours[below(4)]);
        used += (size_t)sprintf(text + used, "%c\n", (int)('a' + below(3)));
    }
    crd_reader *reader;
    crd_model *model;
    check(crd_reader_open_memory(context, text, used, "rows", NULL, &reader, NULL), "read");
    check(crd_reader_select_target(reader, crd_text_of("y"), NULL), "target");
    check(crd_model_train(context, reader, NULL, &model, NULL, NULL), "train");
    crd_reader_close(reader);
    return model;
}

/* All of them, of `KINDS` kinds of rows; each with an id of its own, or none. */
static encoded *make_models(bool have_ids) {
    encoded *made = malloc(MODELS * sizeof *made);
    if (made == NULL) check(CRD_ERROR_MEMORY, "models");
    for (size_t i = 0; i < MODELS; i++) {
        char id[32];
        crd_model *model;
        if (i < KINDS) model = train();
        else check(crd_model_decode(context, made[i % KINDS].bytes, made[i % KINDS].length, &model, NULL), "decode");
        snprintf(id, sizeof id, "part-%06zu", i * 7919 % MODELS);
        if (have_ids && i >= KINDS) check(crd_model_set_part(model, crd_text_of(id), NULL), "set_part");
        check(crd_model_encode(model, &made[i].bytes, &made[i].length, NULL), "encode");
        crd_model_destroy(model);
    }
    return made;
}

static void report(const char *what, double seconds, double bytes) {
    printf("%-16s%10.2f us a model%10.0f MB/s\n", what, seconds / MODELS * 1e6, bytes / seconds / 1e6);
}

static double copy_all(const encoded *models) {
    static unsigned char to[ROOM];
    const double begun = now();
    for (size_t i = 0; i < MODELS; i++) {
        memcpy(to, models[i].bytes, models[i].length);
        __asm__ volatile("" : : "r"(to) : "memory");
    }
    return now() - begun;
}

static double merge_all(const encoded *models) {
    crd_model *sum;
    const double begun = now();
    check(crd_model_decode(context, models[0].bytes, models[0].length, &sum, NULL), "decode");
    for (size_t i = 1; i < MODELS; i++)
        check(crd_model_merge_bytes(sum, models[i].bytes, models[i].length, NULL), "merge");
    crd_model_destroy(sum);
    return now() - begun;
}

int main(void) {
    check(crd_context_create(NULL, &context), "context");
    for (int have_ids = 0; have_ids < 2; have_ids++) {
        encoded *models = make_models(have_ids != 0);
        double bytes = 0, merged = 1e9, copied = 1e9;
        for (size_t i = 0; i < MODELS; i++) bytes += (double)models[i].length;
        for (int turn = 0; turn < TURNS; turn++) {
            const double merge = merge_all(models), copy = copy_all(models);
            if (merge < merged) merged = merge;
            if (copy < copied) copied = copy;
        }
        report(have_ids ? "merge, with ids" : "merge", merged, bytes);
        if (have_ids) report("copy", copied, bytes);
        for (size_t i = 0; i < MODELS; i++) crd_free(context, models[i].bytes);
        free(models);
    }
    crd_context_destroy(context);
    return 0;
}
