/* SPDX-License-Identifier: MIT */
/* fast_parse.h - the fast path from the bytes of whole rows to columns, for rows that have nothing irregular.
 *
 * Nearly every row of nearly every table is plain: as many fields as the first, numbers where numbers are expected, and
 * quotes, if any, right around a field or doubled between those. Such rows are taken many at a time: first the places
 * of all separators and line ends are found, then each column is converted by a loop of its own. Whatever is out of the
 * ordinary is left to the slow path (slow_parse.c, cell_conversion.c), which says what the rules are and names what is wrong;
 * the fast path gives what that one gives, or gives up.
 *
 * The bytes are those of whole rows: they begin behind a line end (or the heading), and end with one or with the input.
 * Behind them at least CRD_I_FAST_PARSE_PADDING more bytes can be read, whatever their values. */
#ifndef CRD_TABLE_PARSE_FAST_PARSE_H
#define CRD_TABLE_PARSE_FAST_PARSE_H

#include "table/forms/form.h"
#include "table/forms/truth_words.h"
#include "table/missing_values.h"
#include "table/parse/scan_delimiters.h"

#include <credence/data.h>

enum { CRD_I_FAST_PARSE_PADDING = 64 };

/* Rows cut into fields. Zero-initialise but for the context; keeps its memory from one cut to the next. */
typedef struct crd_i_fast_parse {
    crd_context *context;
    char *bytes; /* borrowed from the caller of the latest cut */
    size_t length;
    crd_i_delimiters delimiters;
    size_t width; /* fields in a row */
    size_t rows;
    bool has_quotes;
    bool has_inner; /* line ends between quotes: there are `lines` */
    /* Offsets of the byte behind each field of each row, a separator, a line end, or the end of the bytes: that of
     * field f of row r is at r * width + f + 1, and at 0 is UINT32_MAX, one before the first field. */
    uint32_t *marks;
    size_t capacity;
    /* Offsets of the second of two quotes that stand for one, until they are made one. */
    uint32_t *doubled;
    size_t doubled_count, doubled_capacity;
    uint32_t *lines; /* has_inner: how many are before each row, and in all */
    size_t lines_capacity;
    bool ran_out; /* the latest cut gave up because memory ran out */
} crd_i_fast_parse;

void crd_i_fast_parse_clear(crd_i_fast_parse *swift);

/* Finds the rows and their fields. false: something is irregular (a quote but right at the ends of a field or
 * doubled between those, a NUL byte, a row of another width or longer than `longest` bytes, a row of blanks only, more
 * bytes than 32 bits count) or memory ran out; then there are 0 rows. No bytes are 0 rows too, and true.
 *
 * Where quotes are doubled, the text of a cell is written over them, followed by a NUL byte for each that is gone:
 * crd_i_fast_parse_restore makes the bytes from a row on what they were. */
CRD_MUST_USE bool crd_i_fast_parse_cut(crd_i_fast_parse *swift, char *bytes, size_t length, crd_i_delimiters delimiters,
                                       size_t width, size_t longest);
void crd_i_fast_parse_restore(crd_i_fast_parse *swift, size_t row);

/* The lines before a row, or, for as many rows as there are, all of them. */
static inline size_t crd_i_fast_parse_lines_before(const crd_i_fast_parse *swift, size_t row) {
    return swift->has_inner ? swift->lines[row] : row;
}

/* The text of a cell, without the blanks or the quotes around it. */
crd_text crd_i_fast_parse_text(const crd_i_fast_parse *swift, size_t row, size_t field);

/* The same, and whether it stood between quotes. */
crd_text crd_i_fast_parse_cell(const crd_i_fast_parse *swift, size_t row, size_t field, bool *quoted);

/* Of a dictionary: how many of its texts have been looked at, and whether one of these means missing where it stands
 * without quotes. */
typedef struct crd_i_fast_parse_checked {
    size_t count;
    bool has_missing;
} crd_i_fast_parse_checked;

/* A column that is wanted: one of the fields, and where its cells go. */
typedef struct crd_i_fast_parse_column {
    size_t field;
    crd_kind kind;                  /* NONE: every cell is expected to be missing, and nothing is stored */
    crd_i_form form;                /* that of a column with the kind of its form; or plain */
    const crd_i_truth_words *truth; /* CATEGORY: words that cells are to match; NULL: none */
    bool takes_codes;               /* NUMBER: digits that are a code (crd_i_is_code) are a number too */
    double *numbers;                /* NUMBER: NaN where missing */
    int32_t *codes;                 /* CATEGORY: -1 where missing */
    crd_text *texts;                /* TEXT: borrowed from the bytes; bytes NULL where missing: the empty text alone */
    crd_i_dictionary *dictionary;   /* CATEGORY: gets what it does not have yet, in the order of rows */
    crd_i_fast_parse_checked *checked; /* CATEGORY: of that dictionary, kept from one filling to the next; NULL: none */
    size_t missing;                    /* filled in: how many cells are */
    /* For filling alone. */
    bool known_are_present; /* no text of the dictionary means missing */
    const struct crd_i_number_parser_way *way;
    bool ran_out; /* filled in: memory ran out */
} crd_i_fast_parse_column;

typedef struct crd_i_fast_parse_rules {
    const crd_i_missing *missing;
    char decimal;           /* begins the fraction of a number */
    size_t most_categories; /* codes stay below */
    bool takes_any_bytes;   /* categories need not be UTF-8 */
    /* The number of the target among the columns. The values of a row in which it is missing decide nothing: a number is NaN
     * if its text is not one, a code is -1. SIZE_MAX: all rows count. */
    size_t target;
} crd_i_fast_parse_rules;

/* Converts rows first .. first + count - 1 of the latest cut, row first to element 0; the columns are best in the order
 * of their fields. false: a present cell of a number is not a finite one, one has not the form of its column, one of a
 * column of kind NONE is present, a column has too many categories or one that is no UTF-8, or memory ran out. Then the
 * columns' contents are undefined, and dictionaries may
 * have got more values: those of these rows, in the order and with the codes that the slow path gives them. */
CRD_MUST_USE bool crd_i_fast_parse_fill(const crd_i_fast_parse *swift, const crd_i_fast_parse_rules *rules,
                                        size_t first, size_t count, crd_i_fast_parse_column *columns,
                                        size_t column_count);

#endif
