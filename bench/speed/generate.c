/* SPDX-License-Identifier: MIT */
/* generate.c - makes the tables that bench/speed/run times: the same bytes on every machine, from whole numbers alone.
 *
 *   bench_generate SHAPE ROWS COLUMNS CLASSES FILE
 *
 * SHAPE is
 *   array    rows of COLUMNS doubles in the machine's own form, then the class of each row as a 32-bit number
 *   numbers  the same rows as CSV: decimals with five digits behind the point, the class last
 *   arff     the same rows as ARFF
 *   names    CSV of COLUMNS columns that have from 2 to 50 different names each, the class last
 *   mixed    CSV of numbers and names in turn, one cell in twenty missing, every fourth column in quotes; a name in
 *            quotes may have separators and quotes inside
 *
 * A number is a class's center plus a bell-shaped draw, counted in hundred thousandths, so that array and numbers hold
 * exactly the same doubles. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = 100000, MOST_VALUES = 50, NAME_ROOM = 24, BUFFER = 1 << 20, MOST_CELL = 64 };

typedef struct table {
    const char *shape;
    uint64_t rows, columns, classes;
    uint64_t random; /* state of the generator */
    int64_t *center; /* of each class and column, in hundred thousandths; spread likewise */
    int64_t *spread;
    char (*names)[MOST_VALUES][NAME_ROOM]; /* of each column */
} table;

static FILE *file;

static void fail(const char *what) {
    fprintf(stderr, "bench_generate: %s\n", what);
    exit(1);
}

/* splitmix64: one step and a finisher, good enough for tables and quick. */
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t draw(table *t) {
    return mix(t->random += UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t draw_below(table *t, uint64_t bound) {
    return (draw(t) >> 32) * bound >> 32;
}

/* Four uniform draws of 16 bits added: bell-shaped, with a deviation of 37837. */
static int64_t draw_bell(table *t) {
    uint64_t bits = draw(t);
    return (int64_t)((bits & 65535) + (bits >> 16 & 65535) + (bits >> 32 & 65535) + (bits >> 48)) - 131070;
}

static int64_t draw_number(table *t, uint64_t class_index, uint64_t column) {
    size_t at = (size_t)(class_index * t->columns + column);
    return t->center[at] + t->spread[at] * draw_bell(t) / 37837;
}

/* Low values are frequent, and the class moves which they are. */
static uint64_t draw_value(table *t, uint64_t class_index, uint64_t column, uint64_t values) {
    uint64_t a = draw_below(t, values), b = draw_below(t, values);
    return ((a < b ? a : b) + class_index * (column % 3)) % values;
}

static uint64_t values_of(const table *t, uint64_t column) {
    return 2 + (t->columns > 1 ? column * (MOST_VALUES - 2) / (t->columns - 1) : 0);
}

/* Names of three to eight letters that differ within the column, as syllables and a letter that counts. */
static void make_names(table *t) {
    static const char consonants[] = "bdfgklmprstv", vowels[] = "aeiou";
    for (uint64_t column = 0; column < t->columns; column++) {
        for (uint64_t value = 0; value < values_of(t, column); value++) {
            char *name = t->names[column][value];
            uint64_t syllables = 1 + (draw_below(t, 4) * 5 + 2) / 6; /* one, two, or three in half of all */
            for (uint64_t i = 0; i < syllables; i++) {
                *name++ = consonants[draw_below(t, 12)];
                *name++ = vowels[draw_below(t, 5)];
            }
            if (value >= 26) *name++ = 'z';
            *name++ = (char)('a' + value % 26);
            *name = '\0';
        }
    }
}

static char *write_text(char *out, const char *text) {
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

static char *write_whole(char *out, uint64_t whole) {
    char digits[24], *end = digits + sizeof digits, *p = end;
    do *--p = (char)('0' + whole % 10);
    while (whole /= 10);
    memcpy(out, p, (size_t)(end - p));
    return out + (end - p);
}

/* `number` of SCALE, with `digits` digits behind the point. */
static char *write_decimal(char *out, int64_t number, int digits) {
    uint64_t size = (uint64_t)(number < 0 ? -number : number), fraction = size % SCALE;
    if (number < 0) *out++ = '-';
    out = write_whole(out, size / SCALE);
    if (digits == 0) return out;
    *out++ = '.';
    for (uint64_t unit = SCALE / 10; digits > 0; digits--, unit /= 10) *out++ = (char)('0' + fraction / unit % 10);
    return out;
}

static char *write_class(char *out, const table *t, uint64_t class_index) {
    static const char *const words[] = {"low", "medium", "high", "extreme"};
    if (strcmp(t->shape, "names") == 0 || strcmp(t->shape, "mixed") == 0)
        return write_text(out, words[class_index % 4]);
    return write_whole(out, class_index);
}

/* One cell of a mixed table: even columns are numbers of several kinds, odd ones names. */
static char *write_mixed(char *out, table *t, uint64_t class_index, uint64_t column) {
    if (draw_below(t, 20) == 0) return out;
    if (column % 2 == 0) {
        int64_t number = draw_number(t, class_index, column);
        switch (column / 2 % 4) {
        case 0: return write_decimal(out, number, 5);
        case 1: return write_decimal(out, number, 2);
        case 2: return write_decimal(out, number * 1000, 0);
        default: return write_text(write_decimal(out, number, 4), "e-07");
        }
    }
    uint64_t value = draw_value(t, class_index, column, values_of(t, column));
    const char *name = t->names[column][value];
    if (column % 4 == 1) return write_text(out, name);
    *out++ = '"';
    out = write_text(out, name);
    if (value % 4 == 1) out = write_text(out, ", or so");
    if (value % 8 == 2) out = write_text(out, " \"\"as it were\"\"");
    *out++ = '"';
    return out;
}

static char *write_cell(char *out, table *t, uint64_t class_index, uint64_t column) {
    if (strcmp(t->shape, "names") == 0) {
        return write_text(out, t->names[column][draw_value(t, class_index, column, values_of(t, column))]);
    }
    if (strcmp(t->shape, "mixed") == 0) return write_mixed(out, t, class_index, column);
    return write_decimal(out, draw_number(t, class_index, column), 5);
}

static void put(const void *bytes, size_t length) {
    if (fwrite(bytes, 1, length, file) != length) fail("cannot write");
}

static void write_heading(const table *t) {
    int arff = strcmp(t->shape, "arff") == 0;
    if (arff) fprintf(file, "@relation numbers\n");
    for (uint64_t column = 1; column <= t->columns; column++) {
        fprintf(file, arff ? "@attribute x%" PRIu64 " numeric\n" : "x%" PRIu64 ",", column);
    }
    fprintf(file, arff ? "@attribute class {0" : "class\n");
    for (uint64_t c = 1; arff && c < t->classes; c++) fprintf(file, ",%" PRIu64, c);
    if (arff) fprintf(file, "}\n@data\n");
}

static void write_rows(table *t) {
    char *line = malloc((size_t)t->columns * MOST_CELL + MOST_CELL);
    if (!line) fail("out of memory");
    write_heading(t);
    for (uint64_t row = 0; row < t->rows; row++) {
        uint64_t class_index = draw_below(t, t->classes);
        char *out = line;
        for (uint64_t column = 0; column < t->columns; column++) {
            out = write_cell(out, t, class_index, column);
            *out++ = ',';
        }
        out = write_class(out, t, class_index);
        *out++ = '\n';
        put(line, (size_t)(out - line));
    }
    free(line);
}

/* The draws come in the same order as those of write_rows, so the numbers are the same. */
static void write_array(table *t) {
    double *numbers = malloc((size_t)t->columns * sizeof *numbers);
    int32_t *classes = malloc((size_t)t->rows * sizeof *classes);
    if (!numbers || !classes) fail("out of memory");
    for (uint64_t row = 0; row < t->rows; row++) {
        uint64_t class_index = draw_below(t, t->classes);
        classes[row] = (int32_t)class_index;
        for (uint64_t column = 0; column < t->columns; column++) {
            numbers[column] = (double)draw_number(t, class_index, column) / SCALE;
        }
        put(numbers, (size_t)t->columns * sizeof *numbers);
    }
    put(classes, (size_t)t->rows * sizeof *classes);
    free(numbers);
    free(classes);
}

int main(int count, char **arguments) {
    if (count != 6) fail("usage: bench_generate array|numbers|arff|names|mixed ROWS COLUMNS CLASSES FILE");
    table t = {.shape = arguments[1], .random = 20};
    t.rows = strtoull(arguments[2], NULL, 10);
    t.columns = strtoull(arguments[3], NULL, 10);
    t.classes = strtoull(arguments[4], NULL, 10);
    size_t cells = (size_t)(t.columns * t.classes);
    t.center = malloc(cells * sizeof *t.center);
    t.spread = malloc(cells * sizeof *t.spread);
    t.names = calloc((size_t)t.columns, sizeof *t.names);
    file = fopen(arguments[5], "wb");
    if (cells == 0 || !t.center || !t.spread || !t.names) fail("out of memory");
    if (!file || setvbuf(file, NULL, _IOFBF, BUFFER) != 0) fail("cannot write the file");
    for (size_t i = 0; i < cells; i++) {
        t.center[i] = (int64_t)draw_below(&t, 4 * SCALE) - 2 * SCALE;
        t.spread[i] = SCALE / 2 + (int64_t)draw_below(&t, 2 * SCALE);
    }
    make_names(&t);
    if (strcmp(t.shape, "array") == 0) {
        write_array(&t);
    } else {
        write_rows(&t);
    }
    if (fclose(file) != 0) fail("cannot write");
    free(t.center);
    free(t.spread);
    free(t.names);
    return 0;
}
