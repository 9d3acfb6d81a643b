/* SPDX-License-Identifier: MIT */
/* sequences.c - answers about sequences in arrays, and the seconds they take, by public calls alone. Started by
 * bench/sequences/compare.py and speed.py.
 *
 *   bench_sequences MODEL SEQUENCES
 *
 * SEQUENCES has 64-bit integers: how many sequences, how many columns; of each column the number of its values, 0 for numbers; of
 * each sequence its length; then doubles, column by column, NaN for missing, those of categories being the numbers of values, whose
 * texts are "0", "1", ... . Lines of standard input are questions:
 *
 *   likelihood THREADS [FILE]            log P(x) of each sequence
 *   posteriors THREADS [FILE]            P(state | x) of each step
 *   path THREADS [FILE]                  the most likely states of each step, then its log probability for each sequence
 *   find ITERATIONS THREADS              Baum and Welch's algorithm from the model
 *   fit ITERATIONS THREADS [FILE]        the same, and a tallied model of the expected counts; the file is its text
 *
 * and each is answered by a line with the seconds that it took; the answers, as doubles, are written to FILE. */
#include <credence/all.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static void fail(const char *what) {
    fprintf(stderr, "bench_sequences: %s\n", what);
    exit(1);
}

static void check(crd_status status, const crd_error *error) {
    if (status != CRD_OK) fail(error->message);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *room(size_t count, size_t size) {
    void *made = calloc(count == 0 ? 1 : count, size);
    if (made == NULL) fail("out of memory");
    return made;
}

/* ---- Sequences ---- */

typedef struct table {
    size_t count, columns, rows;
    size_t *lengths;
    crd_frame *frame;
    crd_sequences *sequences;
} table;

static void read_numbers(FILE *file, void *to, size_t count) {
    if (fread(to, 8, count, file) != count) fail("the sequences end too early");
}

static void add_column(crd_frame *frame, FILE *file, size_t rows, size_t column, size_t values) {
    char name[32];
    crd_error error;
    double *numbers = room(rows, sizeof *numbers);
    read_numbers(file, numbers, rows);
    snprintf(name, sizeof name, "x%zu", column);
    if (values == 0) {
        check(crd_frame_add_numbers(frame, crd_text_of(name), numbers, NULL, &error), &error);
        return;
    }
    int32_t *codes = room(rows, sizeof *codes);
    char(*texts)[24] = room(values, sizeof *texts);
    crd_text *dictionary = room(values, sizeof *dictionary);
    for (size_t v = 0; v < values; v++) {
        snprintf(texts[v], sizeof texts[v], "%zu", v);
        dictionary[v] = crd_text_of(texts[v]);
    }
    for (size_t r = 0; r < rows; r++) codes[r] = isnan(numbers[r]) ? -1 : (int32_t)numbers[r];
    check(crd_frame_add_codes(frame, crd_text_of(name), codes, NULL, dictionary, values, &error), &error);
    free(numbers);
    free(texts);
    free(dictionary);
}

static table read_table(crd_context *context, const char *path) {
    FILE *file = fopen(path, "rb");
    uint64_t head[2];
    crd_error error;
    table made = {0};
    if (file == NULL) fail("the sequences cannot be read");
    read_numbers(file, head, 2);
    made.count = head[0];
    made.columns = head[1];
    uint64_t *values = room(made.columns, sizeof *values);
    read_numbers(file, values, made.columns);
    made.lengths = room(made.count, sizeof *made.lengths);
    for (size_t i = 0; i < made.count; i++) {
        uint64_t length;
        read_numbers(file, &length, 1);
        made.lengths[i] = length;
        made.rows += length;
    }
    check(crd_frame_create(context, made.rows, &made.frame, &error), &error);
    for (size_t i = 0; i < made.columns; i++) add_column(made.frame, file, made.rows, i, values[i]);
    const crd_text none = {NULL, 0};
    check(crd_sequences_from_frame(context, made.frame, none, made.lengths, made.count, &made.sequences, &error),
          &error);
    free(values);
    fclose(file);
    return made;
}

/* ---- Questions ---- */

static void write_numbers(const char *path, const double *first, size_t first_count, const double *second,
                          size_t second_count) {
    if (path == NULL) return;
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(first, 8, first_count, file) != first_count ||
        (second_count > 0 && fwrite(second, 8, second_count, file) != second_count) || fclose(file) != 0)
        fail("the answers cannot be written");
}

static double likelihood(const crd_hmm *hmm, const table *of, unsigned threads, const char *path) {
    double *out = room(of->count, sizeof *out);
    crd_error error;
    const double begun = now();
    check(crd_hmm_log_likelihoods(hmm, of->sequences, threads, out, &error), &error);
    const double ended = now();
    write_numbers(path, out, of->count, out, 0);
    free(out);
    return ended - begun;
}

static double posteriors(const crd_hmm *hmm, const table *of, unsigned threads, const char *path) {
    const size_t cells = of->rows * crd_hmm_state_count(hmm);
    double *out = room(cells, sizeof *out);
    crd_error error;
    const double begun = now();
    check(crd_hmm_posteriors(hmm, of->sequences, threads, out, NULL, &error), &error);
    const double ended = now();
    write_numbers(path, out, cells, out, 0);
    free(out);
    return ended - begun;
}

static double best_path(const crd_hmm *hmm, const table *of, unsigned threads, const char *path) {
    int32_t *states = room(of->rows, sizeof *states);
    double *numbers = room(of->rows, sizeof *numbers), *logs = room(of->count, sizeof *logs);
    crd_error error;
    const double begun = now();
    check(crd_hmm_paths(hmm, of->sequences, threads, states, logs, &error), &error);
    const double ended = now();
    for (size_t i = 0; i < of->rows; i++) numbers[i] = states[i];
    write_numbers(path, numbers, of->rows, logs, of->count);
    free(states);
    free(numbers);
    free(logs);
    return ended - begun;
}

static int write_part(void *user, const char *bytes, size_t length) {
    return fwrite(bytes, 1, length, user) != length;
}

static void write_model(const crd_model *model, const char *path) {
    FILE *file = fopen(path, "wb");
    crd_error error;
    if (file == NULL) fail("the model cannot be written");
    check(crd_model_export(model, NULL, CRD_EXPORT_HMM, NULL, write_part, file, &error), &error);
    if (fclose(file) != 0) fail("the model cannot be written");
}

/* As many steps of EM as are asked for, from the model itself, whose variances nothing smooths. */
static double fit(const crd_model *model, const table *of, unsigned steps, unsigned threads, bool with_model,
                  const char *path) {
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_model *fitted = NULL;
    crd_fit *how = NULL;
    crd_error error;
    options.start = model;
    options.most_steps = steps;
    options.tolerance = 0;
    options.threads = threads;
    const double begun = now();
    check(crd_hmm_find(of->sequences, crd_text_of("state"), crd_model_settings(model), &options, &how, &error), &error);
    if (with_model) check(crd_fit_model(how, &fitted, &error), &error);
    const double ended = now();
    if (path != NULL && fitted != NULL) write_model(fitted, path);
    crd_model_destroy(fitted);
    crd_fit_destroy(how);
    return ended - begun;
}

int main(int count, char **words) {
    if (count != 3) fail("usage: bench_sequences MODEL SEQUENCES");
    crd_context *context = NULL;
    crd_model *model = NULL;
    crd_hmm *hmm = NULL;
    crd_error error;
    char line[4096], work[32], file[3072];
    if (crd_context_create(NULL, &context) != CRD_OK) fail("out of memory");
    check(crd_model_load(context, words[1], &model, &error), &error);
    check(crd_hmm_create(model, NULL, &hmm, &error), &error);
    table of = read_table(context, words[2]);
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned threads = 1, steps = 1;
        double seconds = 0;
        int found = sscanf(line, "%31s %u %3071s", work, &threads, file);
        const bool with_model = strcmp(work, "fit") == 0, is_fit = with_model || strcmp(work, "find") == 0;
        if (is_fit) found = sscanf(line, "%31s %u %u %3071s", work, &steps, &threads, file) - 1;
        const char *path = found == 3 ? file : NULL;
        if (found < 2) fail("a question that is none");
        if (strcmp(work, "likelihood") == 0) seconds = likelihood(hmm, &of, threads, path);
        else if (strcmp(work, "posteriors") == 0) seconds = posteriors(hmm, &of, threads, path);
        else if (strcmp(work, "path") == 0) seconds = best_path(hmm, &of, threads, path);
        else if (is_fit) seconds = fit(model, &of, steps, threads, with_model, path);
        else fail("a question that is none");
        struct rusage used;
        getrusage(RUSAGE_SELF, &used);
        printf("%.9f %ld\n", seconds, used.ru_maxrss);
        fflush(stdout);
    }
    crd_sequences_destroy(of.sequences);
    crd_frame_destroy(of.frame);
    crd_hmm_destroy(hmm);
    crd_model_destroy(model);
    crd_context_destroy(context);
    free(of.lengths);
    return 0;
}
