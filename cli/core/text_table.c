/* SPDX-License-Identifier: MIT */
/* text_table.c - see text_table.h. */
#include "core/text_table.h"

#include "core/markdown.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 2, LEAST_RULE = 3 };

struct table {
    size_t columns;
    bool markdown, heading;
    bool begun; /* the heading has been written */
    bool *left;
    size_t *widths;
    char **cells; /* row by row */
    size_t count, capacity;
};

table *table_create(size_t columns) {
    table *t = memory_resize(NULL, 1, sizeof *t);
    *t = (table){.columns = columns, .heading = true};
    t->left = memory_resize(NULL, columns, sizeof *t->left);
    t->widths = memory_resize(NULL, columns, sizeof *t->widths);
    for (size_t i = 0; i < columns; i++) t->left[i] = i == 0, t->widths[i] = 0;
    return t;
}

table *table_create_for(const output *out, size_t columns) {
    table *t = table_create(columns);
    t->markdown = out->format == FORMAT_MARKDOWN;
    /* The rule below the header needs a minimum width. */
    for (size_t i = 0; t->markdown && i < columns; i++) t->widths[i] = LEAST_RULE;
    return t;
}

void table_omit_heading(table *t) {
    t->heading = false;
}

static void drop_cells(table *t) {
    for (size_t i = 0; i < t->count; i++) free(t->cells[i]);
    t->count = 0;
}

void table_destroy(table *t) {
    if (t == NULL) return;
    drop_cells(t);
    free(t->cells);
    free(t->left);
    free(t->widths);
    free(t);
}

void table_align_left(table *t, size_t column) {
    t->left[column] = true;
}

/* Adds a cell that is already escaped. Takes ownership of the string's bytes. */
static void add_written(table *t, string *cell) {
    if (t->count == t->capacity) {
        t->capacity = t->capacity == 0 ? 64 : t->capacity * 2;
        t->cells = memory_resize(t->cells, t->capacity, sizeof *t->cells);
    }
    size_t width = text_width(cell->bytes, cell->length), *widest = &t->widths[t->count % t->columns];
    if (width > *widest) *widest = width;
    t->cells[t->count++] = cell->bytes;
}

/* Escapes a cell for the format and adds it. Takes ownership of the string's bytes. */
static void add_owned(table *t, string *cell) {
    string_add(cell, "", 0);
    if (t->markdown) {
        string escaped = {0};
        markdown_add(&escaped, (crd_text){cell->bytes, cell->length});
        string_add(&escaped, "", 0);
        string_free(cell);
        *cell = escaped;
    }
    add_written(t, cell);
}

bool table_add_written(table *t, const char *cell) {
    string copy = {0};
    string_add(&copy, cell, strlen(cell));
    add_written(t, &copy);
    return t->count % t->columns == 0;
}

void table_forget(table *t) {
    drop_cells(t);
}

void table_write_cells(table *t, FILE *stream) {
    for (size_t i = 0; i < t->count; i++) fwrite(t->cells[i], 1, strlen(t->cells[i]) + 1, stream);
    drop_cells(t);
}

void table_add(table *t, const char *cell) {
    string copy = {0};
    string_add(&copy, cell, strlen(cell));
    add_owned(t, &copy);
}

void table_add_name(table *t, crd_text name) {
    string shown = {0};
    string_add_shown(&shown, name);
    add_owned(t, &shown);
}

void table_format(table *t, const char *format, ...) {
    string cell = {0};
    va_list values;
    va_start(values, format);
    string_format_list(&cell, format, values);
    va_end(values);
    add_owned(t, &cell);
}

size_t table_width(const table *t) {
    size_t width = 0;
    for (size_t i = 0; i < t->columns; i++) width += t->widths[i] + (i > 0 ? GAP : 0);
    return width;
}

static void text_table_pad(FILE *stream, size_t blanks) {
    while (blanks-- > 0) fputc(' ', stream);
}

/* Prints the first column of a row and the columns from `first` up to `limit`. Writes no spaces at the end of the
 * line. */
static void print_row(const table *t, FILE *stream, const char *const *row, size_t indent, size_t first, size_t limit) {
    size_t owed = indent;
    for (size_t i = 0; i < limit; i = i == 0 && first > 0 ? first : i + 1) {
        size_t length = strlen(row[i]), slack = t->widths[i] - text_width(row[i], length);
        if (i > 0) owed += GAP;
        if (!t->left[i]) owed += slack;
        if (length > 0) {
            text_table_pad(stream, owed);
            fwrite(row[i], 1, length, stream);
            owed = 0;
        }
        if (t->left[i]) owed += slack;
    }
    fputc('\n', stream);
}

/* Prints a row. NULL is a row of empty cells. */
static void print_markdown_row(const table *t, FILE *stream, const char *const *row) {
    for (size_t i = 0; i < t->columns; i++) {
        const char *cell = row == NULL ? "" : row[i];
        size_t slack = t->widths[i] - text_width(cell, strlen(cell));
        fputs(i == 0 ? "| " : " | ", stream);
        if (!t->left[i]) text_table_pad(stream, slack);
        fputs(cell, stream);
        if (t->left[i]) text_table_pad(stream, slack);
    }
    fputs(" |\n", stream);
}

static void print_markdown_rule(const table *t, FILE *stream) {
    for (size_t i = 0; i < t->columns; i++) {
        fputs(i == 0 ? "| " : " | ", stream);
        for (size_t dash = 1; dash < t->widths[i]; dash++) fputc('-', stream);
        fputc(t->left[i] ? '-' : ':', stream);
    }
    fputs(" |\n", stream);
}

static void print_markdown(const table *t, FILE *stream) {
    size_t row = 0;
    if (!t->begun) {
        print_markdown_row(t, stream, t->heading ? (const char *const *)t->cells : NULL);
        print_markdown_rule(t, stream);
        if (t->heading) row = t->columns;
    }
    for (; row + t->columns <= t->count; row += t->columns) {
        print_markdown_row(t, stream, (const char *const *)(t->cells + row));
    }
}

void table_print(const table *t, FILE *stream, size_t indent, size_t width) {
    size_t first = 1;
    if (t->markdown) {
        if (t->count >= t->columns) print_markdown(t, stream);
        return;
    }
    do {
        size_t used = indent + t->widths[0], limit = first;
        while (limit < t->columns && (limit == first || width == 0 || used + GAP + t->widths[limit] <= width)) {
            used += GAP + t->widths[limit++];
        }
        if (first > 1) fputc('\n', stream);
        for (size_t row = 0; row + t->columns <= t->count; row += t->columns) {
            print_row(t, stream, (const char *const *)(t->cells + row), indent, first, limit);
        }
        first = limit;
    } while (first < t->columns);
}

void table_flush(table *t, FILE *stream) {
    table_print(t, stream, 0, 0);
    if (t->count > 0) t->begun = true;
    drop_cells(t);
}
