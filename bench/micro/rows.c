/* SPDX-License-Identifier: MIT */
/* rows.c - from the bytes of rows to columns: what each step of the short way costs, beside the plain ways.
 *
 *   bench_rows [ROWS [REPEATS]]
 *
 * Three tables of 20 columns: numbers of five decimals, numbers of 17 digits, and texts of 2 to 12 bytes with 2 to 50
 * different ones in a column. The contenders take a table that stays in the cache, REPEATS times: memchr's search for
 * line ends, each way to find marks, a plain probe (numbers: digits gathered in one loop, rounded as they come, and
 * summed; texts: a hash of the bytes and an unchecked table of counts), and cutting and filling. They take turns, so
 * that what else the machine does hits all alike; medians of their turns are printed. */
#include "table/parse/fast_parse.h"
#include "table/parse/scan_delimiters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 20, ROUNDS = 11, MOST_WAYS = 12, PROBE_SLOTS = 1024 };

static const crd_i_delimiters DELIMITERS = {',', '"'};

typedef struct table {
    const char *name;
    crd_column_type type;
    size_t rows, length;
    char *bytes;
} table;

typedef struct workload {
    table *at;
    crd_context *context;
    crd_i_fast_parse swift;
    crd_i_fast_parse_rules rules;
    crd_i_fast_parse_column columns[COLUMNS];
    uint32_t *offsets;
    uint32_t counts[COLUMNS][PROBE_SLOTS];
    double sum; /* of whatever was found, so that the search is not left out */
} workload;

typedef struct way {
    const char *name;
    void (*run)(workload *work, const crd_i_marker *marker);
    const crd_i_marker *marker;
    double nanoseconds[ROUNDS]; /* a run */
} way;

static void fail(const char *what) {
    fprintf(stderr, "bench_rows: %s\n", what);
    exit(1);
}

static void scan_lines(workload *work, const crd_i_marker *marker) {
    (void)marker;
    const char *at = work->at->bytes, *end = at + work->at->length;
    size_t lines = 0;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) at++, lines++;
    work->sum += (double)lines;
}

static void find_marks(workload *work, const crd_i_marker *marker) {
    crd_i_marked marked = crd_i_marked_begin();
    work->sum += (double)marker->find(work->at->bytes, work->at->length, DELIMITERS, 0, work->offsets, &marked);
}

/* No checks, no exponents, and the last digits wrong. */
static void probe_numbers(workload *work) {
    static const double TENTHS[20] = {1,     1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8,  1e-9,
                                      1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18, 1e-19};
    double sums[COLUMNS] = {0};
    const char *at = work->at->bytes, *end = at + work->at->length;
    while (at < end)
        for (size_t column = 0; column < COLUMNS; column++) {
            int negative = *at == '-';
            at += negative;
            uint64_t digits = 0;
            for (; *at >= '0'; at++) digits = digits * 10 + (uint64_t)(*at - '0');
            const char *point = at;
            if (*at == '.')
                for (at++; *at >= '0'; at++) digits = digits * 10 + (uint64_t)(*at - '0');
            double value = (double)digits * TENTHS[at > point ? at - point - 1 : 0];
            sums[column] += negative ? -value : value;
            at++;
        }
    for (size_t column = 0; column < COLUMNS; column++) work->sum += sums[column];
}

/* Texts are whatever their hash is. */
static void probe_texts(workload *work) {
    const char *at = work->at->bytes, *end = at + work->at->length;
    while (at < end)
        for (size_t column = 0; column < COLUMNS; column++) {
            uint32_t hash = 2166136261U;
            for (; *at > ','; at++) hash = (hash ^ (unsigned char)*at) * 16777619U;
            work->counts[column][(hash ^ hash >> 15) % PROBE_SLOTS]++;
            at++;
        }
}

static void probe(workload *work, const crd_i_marker *marker) {
    (void)marker;
    if (work->at->type == CRD_TYPE_NUMERIC) probe_numbers(work);
    else probe_texts(work);
}

static void cut(workload *work, const crd_i_marker *marker) {
    (void)marker;
    if (!crd_i_fast_parse_cut(&work->swift, work->at->bytes, work->at->length, DELIMITERS, COLUMNS, SIZE_MAX))
        fail("the rows are not plain");
}

static void cut_and_fill(workload *work, const crd_i_marker *marker) {
    cut(work, marker);
    if (!crd_i_fast_parse_fill(&work->swift, &work->rules, 0, work->swift.rows, work->columns, COLUMNS))
        fail("the cells are not plain");
    work->sum += work->at->type == CRD_TYPE_NUMERIC ? work->columns[0].numbers[0] : work->columns[0].codes[0];
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count, size);
    if (block == NULL) fail("out of memory");
    return block;
}

static double draw(void) {
    return rand() / (RAND_MAX + 1.0);
}

static int write_number(char *to, int digits) {
    double number = (draw() + draw() + draw() - 1.5) * 5;
    return digits == 0 ? sprintf(to, "%.5f", number) : sprintf(to, "%.*g", digits, number);
}

static int write_text(char *to, size_t column) {
    static const int VALUES[] = {2, 3, 5, 8, 12, 20, 30, 50};
    int value = (int)(draw() * VALUES[column % 8]);
    /* A length between 2 and 12 that belongs to the value. */
    return sprintf(to, "%c%c%.*s", 'a' + value % 26, 'a' + value / 26, (int)((size_t)value * 7 % 11 + column) % 11,
                   "neighborhood");
}

static void fill_table(table *into, size_t rows, int digits) {
    into->rows = rows;
    into->bytes = allocate(rows * COLUMNS * 24 + CRD_I_FAST_PARSE_PADDING, 1);
    char *to = into->bytes;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < COLUMNS; column++) {
            if (into->type == CRD_TYPE_NUMERIC) to += write_number(to, digits);
            else to += write_text(to, column);
            *to++ = column + 1 < COLUMNS ? ',' : '\n';
        }
    into->length = (size_t)(to - into->bytes);
}

static void prepare(workload *work, crd_i_missing *missing, size_t rows) {
    if (crd_context_create(NULL, &work->context) != CRD_OK) fail("out of memory");
    static const crd_text USUAL[] = {{"", 0}, {"?", 1}, {"NA", 2}, {"NaN", 3}, {"null", 4}};
    if (!crd_i_missing_set(missing, work->context, USUAL, sizeof USUAL / sizeof *USUAL, false)) fail("out of memory");
    work->rules = (crd_i_fast_parse_rules){missing, '.', 1000000, false, SIZE_MAX};
    work->swift.context = work->context;
    work->offsets = allocate(rows * COLUMNS * 24 + CRD_I_MARKS_SPARE, sizeof *work->offsets);
    for (size_t i = 0; i < COLUMNS; i++) {
        work->columns[i].field = i;
        work->columns[i].numbers = allocate(rows, sizeof(double));
        work->columns[i].codes = allocate(rows, sizeof(int32_t));
        work->columns[i].dictionary = crd_i_dictionary_create(work->context);
        if (work->columns[i].dictionary == NULL) fail("out of memory");
    }
}

static void measure(workload *work, way *ways, size_t way_count, size_t repeats) {
    for (size_t i = 0; i < COLUMNS; i++) work->columns[i].type = work->at->type;
    for (size_t i = 0; i < way_count; i++) ways[i].run(work, ways[i].marker);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < way_count; i++) {
            double start = now();
            for (size_t repeat = 0; repeat < repeats; repeat++) ways[i].run(work, ways[i].marker);
            ways[i].nanoseconds[round] = (now() - start) / (double)repeats;
        }
    printf("%s, %.1f bytes a cell\n", work->at->name, (double)work->at->length / (double)(work->at->rows * COLUMNS));
    for (size_t i = 0; i < way_count; i++) {
        qsort(ways[i].nanoseconds, ROUNDS, sizeof *ways[i].nanoseconds, by_size);
        double time = ways[i].nanoseconds[ROUNDS / 2];
        printf("  %-20s %8.2f GB/s %8.2f ns a cell\n", ways[i].name, (double)work->at->length / time,
               time / (double)(work->at->rows * COLUMNS));
    }
}

int main(int count, char **arguments) {
    size_t rows = count > 1 ? strtoul(arguments[1], NULL, 10) : 1500;
    size_t repeats = count > 2 ? strtoul(arguments[2], NULL, 10) : 40;
    if (rows == 0 || repeats == 0) fail("rows and repeats are numbers from 1 on");
    static workload work;
    crd_i_missing missing = {0};
    prepare(&work, &missing, rows);
    table tables[] = {{.name = "numbers of 5 decimals", .type = CRD_TYPE_NUMERIC},
                      {.name = "numbers of 17 digits", .type = CRD_TYPE_NUMERIC},
                      {.name = "texts", .type = CRD_TYPE_CATEGORICAL}};
    way ways[MOST_WAYS] = {{.name = "memchr line ends", .run = scan_lines},
                           {.name = "plain probe", .run = probe},
                           {.name = "cut", .run = cut},
                           {.name = "cut and fill", .run = cut_and_fill}};
    static char names[MOST_WAYS][32];
    size_t way_count = 4;
    for (size_t i = 0; crd_i_markers[i] != NULL && way_count < MOST_WAYS; i++) {
        if (!crd_i_markers[i]->is_supported()) continue;
        snprintf(names[way_count], sizeof names[way_count], "marks, %s", crd_i_markers[i]->name);
        ways[way_count].name = names[way_count];
        ways[way_count].run = find_marks;
        ways[way_count++].marker = crd_i_markers[i];
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        fill_table(&tables[i], rows, i == 0 ? 0 : 17);
        work.at = &tables[i];
        measure(&work, ways, way_count, repeats);
        free(tables[i].bytes);
    }
    if (work.sum == 0.5) printf("\n");
    for (size_t i = 0; i < COLUMNS; i++) {
        free(work.columns[i].numbers);
        free(work.columns[i].codes);
        crd_i_dictionary_destroy(work.columns[i].dictionary);
    }
    free(work.offsets);
    crd_i_fast_parse_clear(&work.swift);
    crd_i_missing_clear(&missing);
    crd_context_destroy(work.context);
    return 0;
}
