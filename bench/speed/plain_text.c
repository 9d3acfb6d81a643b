/* SPDX-License-Identifier: MIT */
/* plain_text.c - what plain loops do with a CSV file: the fastest simple C that gives up exactness and checking. A cell
 * is what stands before the next comma or line feed; no quotes, no missing cells, no more digits than a double holds,
 * no cell that is not what its column should have, and every line as long as the first.
 *
 *   bench_plain_text numbers FILE THREADS    sums and sums of squares of each column under the class, a whole number
 *   bench_plain_text names FILE THREADS      counts of each column's names under the class; names with one hash are one
 *   bench_plain_text lines FILE THREADS      reads the file and counts its lines by memchr
 *   bench_plain_text serve FILE              the same with the file in memory already: turns "scan THREADS"
 *
 * The last number printed shows that it was done, and contenders can be compared by it: the variance of the first
 * column in class 0; the sum of the squares of the counts of the fifth column. */
#include "serve.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK = 1 << 18,   /* read at a time: stays in the second cache */
    LONGEST = 1 << 17, /* longest line */
    SLOTS = 256,       /* of a column's table of names; a power of two, never full */
    CHECKED_COLUMN = 4
};

/* What one thread gathers. */
typedef struct part {
    double *counts, *sums, *squares;   /* of numbers: for each class, and each column of it */
    size_t room;                       /* classes that there is room for */
    uint64_t (*hashes)[SLOTS];         /* of names: each column's own; 0: a slot that is free */
    uint64_t (*tallies)[SLOTS][SLOTS]; /* of each column, for each slot of its table and of the classes' */
    uint64_t lines;
} part;

typedef struct work {
    const char *path;
    size_t header, length, columns; /* columns without the class */
    const char *(*take)(struct work *w, part *gathered, double *numbers, const char *p, const char *end);
    part parts[MOST_THREADS];
} work;

/* ---- Numbers ---- */

/* Divisions are slow, so the digits behind the point choose a factor; that rounds twice. */
static const double units[] = {1,     1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,  1e-8, 1e-9,
                               1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18};

static inline const char *take_number(const char *p, double *number) {
    int negative = *p == '-';
    p += negative;
    uint64_t digits = 0;
    unsigned digit;
    while ((digit = (unsigned)(unsigned char)*p - '0') < 10) {
        digits = digits * 10 + digit;
        p++;
    }
    double unit = 1;
    if (*p == '.') {
        const char *point = p++;
        while ((digit = (unsigned)(unsigned char)*p - '0') < 10) {
            digits = digits * 10 + digit;
            p++;
        }
        unit = units[p - point - 1];
    }
    double size = (double)(int64_t)digits * unit;
    *number = negative ? -size : size;
    return p + 1;
}

static void make_room(part *gathered, size_t classes, size_t columns) {
    if (classes <= gathered->room) return;
    double **fields[] = {&gathered->counts, &gathered->sums, &gathered->squares};
    for (size_t i = 0; i < 3; i++) {
        size_t width = i == 0 ? 1 : columns;
        *fields[i] = realloc(*fields[i], classes * width * sizeof(double));
        if (!*fields[i]) bench_fail("out of memory");
        memset(*fields[i] + gathered->room * width, 0, (classes - gathered->room) * width * sizeof(double));
    }
    gathered->room = classes;
}

static const char *take_numbers(work *w, part *gathered, double *numbers, const char *p, const char *end) {
    size_t columns = w->columns;
    while (p < end) {
        for (size_t column = 0; column < columns; column++) p = take_number(p, &numbers[column]);
        size_t c = 0;
        while (*p != '\n') c = c * 10 + (size_t)(*p++ - '0');
        p++;
        if (c >= gathered->room) make_room(gathered, c + 1, columns);
        double *restrict sums = gathered->sums + c * columns, *restrict squares = gathered->squares + c * columns;
        gathered->counts[c]++;
        for (size_t column = 0; column < columns; column++) {
            sums[column] += numbers[column];
            squares[column] += numbers[column] * numbers[column];
        }
    }
    return p;
}

static double numbers_check(work *w, unsigned threads) {
    double count = 0, sum = 0, squares = 0;
    for (unsigned t = 0; t < threads; t++) {
        if (w->parts[t].room == 0) continue;
        count += w->parts[t].counts[0];
        sum += w->parts[t].sums[0];
        squares += w->parts[t].squares[0];
    }
    return squares / count - sum / count * (sum / count);
}

/* ---- Names ---- */

static inline const char *take_name(const char *p, uint64_t *hash) {
    uint64_t h = 0;
    unsigned char byte;
    while ((byte = (unsigned char)*p++) != ',' && byte != '\n') h = (h + byte) * UINT64_C(0x9e3779b97f4a7c15);
    *hash = h | 1;
    return p;
}

static inline size_t slot_of(uint64_t *table, uint64_t hash) {
    size_t slot = (size_t)(hash >> 56);
    while (table[slot] != hash) {
        if (table[slot] == 0) table[slot] = hash;
        else slot = (slot + 1) % SLOTS;
    }
    return slot;
}

static const char *take_names(work *w, part *gathered, double *numbers, const char *p, const char *end) {
    size_t columns = w->columns;
    unsigned char *slots = (unsigned char *)numbers; /* the class comes last, so the row is kept until then */
    uint64_t hash;
    while (p < end) {
        for (size_t column = 0; column < columns; column++) {
            p = take_name(p, &hash);
            slots[column] = (unsigned char)slot_of(gathered->hashes[column], hash);
        }
        p = take_name(p, &hash);
        size_t c = slot_of(gathered->hashes[columns], hash);
        for (size_t column = 0; column < columns; column++) gathered->tallies[column][slots[column]][c]++;
    }
    return p;
}

static double names_check(work *w, unsigned threads) {
    double total = 0;
    part *all = &w->parts[0];
    for (unsigned t = 1; t < threads; t++) {
        part *one = &w->parts[t];
        for (size_t column = 0; column < w->columns; column++) {
            for (size_t slot = 0; slot < SLOTS; slot++) {
                if (one->hashes[column][slot] == 0) continue;
                size_t to = slot_of(all->hashes[column], one->hashes[column][slot]);
                for (size_t c = 0; c < SLOTS; c++) {
                    if (one->hashes[w->columns][c] == 0) continue;
                    size_t to_class = slot_of(all->hashes[w->columns], one->hashes[w->columns][c]);
                    all->tallies[column][to][to_class] += one->tallies[column][slot][c];
                }
            }
        }
    }
    for (size_t slot = 0; slot < SLOTS; slot++) {
        for (size_t c = 0; c < SLOTS; c++) {
            double count = (double)all->tallies[CHECKED_COLUMN % w->columns][slot][c];
            total += count * count;
        }
    }
    return total;
}

/* ---- Lines ---- */

static const char *take_lines(work *w, part *gathered, double *numbers, const char *p, const char *end) {
    (void)w, (void)numbers;
    while ((p = memchr(p, '\n', (size_t)(end - p)))) {
        p++;
        gathered->lines++;
    }
    return end;
}

static double lines_check(work *w, unsigned threads) {
    uint64_t lines = 0;
    for (unsigned t = 0; t < threads; t++) lines += w->parts[t].lines;
    return (double)lines;
}

/* ---- The file, in parts ---- */

/* Where the first line that begins at `from` or behind it begins. */
static size_t line_at(int file, const work *w, size_t from) {
    char block[4096];
    if (from <= w->header) return w->header;
    for (size_t at = from - 1; at < w->length;) {
        ssize_t got = pread(file, block, sizeof block, (off_t)at);
        if (got <= 0) break;
        char *feed = memchr(block, '\n', (size_t)got);
        if (feed) return at + (size_t)(feed - block) + 1;
        at += (size_t)got;
    }
    return w->length;
}

static void read_part(void *data, unsigned t, unsigned threads) {
    work *w = data;
    part *gathered = &w->parts[t];
    size_t columns = w->columns, size = w->length - w->header;
    int file = open(w->path, O_RDONLY);
    char *block = malloc(LONGEST + BLOCK);
    double *numbers = malloc((columns + 1) * sizeof *numbers);
    gathered->hashes = calloc(columns + 1, sizeof *gathered->hashes);
    if (w->take == take_names) gathered->tallies = calloc(columns, sizeof *gathered->tallies);
    if (file < 0 || !block || !numbers || !gathered->hashes) bench_fail("cannot read the file");
    size_t at = line_at(file, w, w->header + size * t / threads);
    size_t end = line_at(file, w, w->header + size * (t + 1) / threads);
    char *text = block + LONGEST; /* what was left of the block before goes in front of it */
    while (at < end) {
        ssize_t got = pread(file, block + LONGEST, end - at < BLOCK ? end - at : BLOCK, (off_t)at);
        if (got <= 0) bench_fail("cannot read the file");
        at += (size_t)got;
        char *stop = block + LONGEST + got, *last = stop;
        while (last > text && last[-1] != '\n') last--;
        w->take(w, gathered, numbers, text, last);
        size_t left = (size_t)(stop - last);
        if (left > LONGEST) bench_fail("a line is too long");
        text = block + LONGEST - left;
        memmove(text, last, left);
    }
    free(block);
    free(numbers);
    close(file);
}

/* The header's length and its columns, without the class. */
static void look_at_header(work *w) {
    char block[LONGEST];
    struct stat facts;
    int file = open(w->path, O_RDONLY);
    if (file < 0 || fstat(file, &facts) != 0) bench_fail("cannot open the file");
    ssize_t got = read(file, block, sizeof block);
    char *feed = got > 0 ? memchr(block, '\n', (size_t)got) : NULL;
    if (!feed) bench_fail("no header");
    w->header = (size_t)(feed - block) + 1;
    for (char *p = block; p < feed; p++) w->columns += *p == ',';
    w->length = (size_t)facts.st_size;
    close(file);
}

/* ---- A file in memory ---- */

typedef struct held {
    char *text;
    size_t length;
    uint64_t lines[MOST_THREADS];
} held;

static void scan_part(void *data, unsigned t, unsigned threads) {
    held *h = data;
    part gathered = {0};
    take_lines(NULL, &gathered, NULL, h->text + h->length * t / threads, h->text + h->length * (t + 1) / threads);
    h->lines[t] = gathered.lines;
}

static double scan(void *data, unsigned threads) {
    held *h = data;
    uint64_t lines = 0;
    bench_side_by_side(threads, scan_part, h);
    for (unsigned t = 0; t < threads; t++) lines += h->lines[t];
    return (double)lines;
}

static int serve(const char *path) {
    static const bench_turn turns[] = {{"scan", scan}};
    held h = {0};
    h.text = bench_text_load(path, &h.length);
    return bench_serve(turns, 1, &h);
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        const char *(*take)(work *w, part *gathered, double *numbers, const char *p, const char *end);
        double (*check)(work *w, unsigned threads);
    } ways[] = {{"numbers", take_numbers, numbers_check},
                {"names", take_names, names_check},
                {"lines", take_lines, lines_check}};
    static work w;
    if (count == 3 && strcmp(arguments[1], "serve") == 0) return serve(arguments[2]);
    for (size_t i = 0; count == 4 && i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(arguments[1], ways[i].name) != 0) continue;
        unsigned threads = (unsigned)strtoul(arguments[3], NULL, 10);
        w.path = arguments[2];
        w.take = ways[i].take;
        look_at_header(&w);
        bench_side_by_side(threads, read_part, &w);
        printf("%.17g\n", ways[i].check(&w, threads));
        return 0;
    }
    bench_fail("usage: bench_plain_text numbers|names|lines FILE THREADS | serve FILE");
}
