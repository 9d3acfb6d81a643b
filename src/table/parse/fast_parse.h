/* SPDX-License-Identifier: MIT */
/* fast_parse.h - the fast path from the bytes of whole rows to columns, for regular rows.
 *
 * Nearly every row of nearly every table is regular: it has as many fields as the first row, numbers where numbers
 * are expected, and any quotes either enclose a field or are doubled inside it. Such rows are processed many at a
 * time. First all separators and line ends are found, then a loop per column converts the cells. Irregular rows are
 * left to the slow path (slow_parse.c, cell_conversion.c), which defines the rules and reports errors. The fast path
 * gives the same result as the slow path, or gives up.
 *
 * The bytes must contain whole rows: they begin after a line end (or the header), and end with a line end or at the
 * end of the input. At least CRD_I_FAST_PARSE_PADDING more bytes must be readable after them, with any values. */
#ifndef CRD_TABLE_PARSE_FAST_PARSE_H
#define CRD_TABLE_PARSE_FAST_PARSE_H

#include "table/missing_values.h"
#include "table/parse/scan_delimiters.h"
#include "table/values/column_format.h"

#include <credence/data.h>

enum { CRD_I_FAST_PARSE_PADDING = 64 };

/* Rows split into fields. Zero-initialize it, except the context. It reuses its memory for the next cut. */
typedef struct crd_i_fast_parse {
    crd_context *context;
    char *bytes; /* borrowed from the caller of the latest cut */
    size_t length;
    crd_i_delimiters delimiters;
    size_t width; /* fields in a row */
    size_t rows;
    bool has_quotes;
    bool has_inner; /* there are line ends inside quotes: `lines` is valid */
    /* Offset of the byte after each field: a separator, a line end, or the end of the bytes. Field f of row r is at
     * index r * width + f + 1. Index 0 is UINT32_MAX, one before the first field. */
    uint32_t *marks;
    size_t capacity;
    /* Offsets of the second quote of each doubled pair, until the pairs are replaced. */
    uint32_t *doubled;
    size_t doubled_count, doubled_capacity;
    uint32_t *lines; /* has_inner: number of lines before each row, and the total */
    size_t lines_capacity;
    bool ran_out; /* the latest cut failed because memory ran out */
} crd_i_fast_parse;

void crd_i_fast_parse_clear(crd_i_fast_parse *fast);

/* Finds the rows and their fields. Returns false with 0 rows if memory ran out or the bytes are irregular: a quote
 * that neither encloses a field nor is doubled, a NUL byte, a row of another width or longer than `longest` bytes, a
 * row of spaces only, or more bytes than 32 bits can count. Empty input gives 0 rows and true.
 *
 * If quotes are doubled, the unescaped text overwrites the cell, followed by a NUL byte for each removed quote.
 * crd_i_fast_parse_restore undoes this from a row on. */
CRD_MUST_USE bool crd_i_fast_parse_cut(crd_i_fast_parse *fast, char *bytes, size_t length, crd_i_delimiters delimiters,
                                       size_t width, size_t longest);
void crd_i_fast_parse_restore(crd_i_fast_parse *fast, size_t row);

/* Returns the number of lines before a row; for row == rows, the total. */
static inline size_t crd_i_fast_parse_lines_before(const crd_i_fast_parse *fast, size_t row) {
    return fast->has_inner ? fast->lines[row] : row;
}

/* Returns the text of a cell, without surrounding spaces or quotes. */
crd_text crd_i_fast_parse_text(const crd_i_fast_parse *fast, size_t row, size_t field);

/* Returns the text of a cell, without surrounding spaces or quotes, and whether it was quoted. */
crd_text crd_i_fast_parse_cell(const crd_i_fast_parse *fast, size_t row, size_t field, bool *quoted);

/* For a dictionary: how many of its texts were checked, and whether one of these means missing if it is not quoted. */
typedef struct crd_i_fast_parse_checked {
    size_t count;
    bool has_missing;
} crd_i_fast_parse_checked;

/* A column to fill: its field, and where its cells are stored. */
typedef struct crd_i_fast_parse_column {
    size_t field;
    crd_column_type type;              /* NONE: every cell must be missing, and nothing is stored */
    crd_i_column_format format;        /* a format whose type is `type`, or plain */
    const crd_i_truth_words *truth;    /* CATEGORY: spellings of truth values that cells are matched with; NULL: none */
    bool takes_codes;                  /* NUMBER: digits that form a code (crd_i_is_code) are numbers too */
    double *numbers;                   /* NUMBER: NaN if missing */
    int32_t *codes;                    /* CATEGORY: -1 if missing */
    crd_text *texts;                   /* TEXT: borrowed from the bytes; bytes NULL if missing, that is, empty */
    crd_i_dictionary *dictionary;      /* CATEGORY: new values are added in row order */
    crd_i_fast_parse_checked *checked; /* CATEGORY: checks of that dictionary, kept between calls; NULL: none */
    size_t missing;                    /* out: number of missing cells */
    /* Internal to crd_i_fast_parse_fill. */
    bool known_are_present; /* no text of the dictionary means missing */
    const struct crd_i_number_parser_way *way;
    bool ran_out; /* out: memory ran out */
} crd_i_fast_parse_column;

typedef struct crd_i_fast_parse_rules {
    const crd_i_missing *missing;
    char decimal;           /* decimal mark */
    size_t most_categories; /* codes stay below this limit */
    bool takes_any_bytes;   /* categories need not be UTF-8 */
    /* Index of the target in the columns. In a row without a target, values decide nothing: a number is NaN if its
     * text is not a number, a code is -1. SIZE_MAX: all rows count. */
    size_t target;
} crd_i_fast_parse_rules;

/* Converts rows first .. first + count - 1 of the latest cut; row `first` becomes element 0. It is fastest if the
 * columns are in field order. Returns false if a present number is not finite, a cell does not have the format of its
 * column, a cell of a column of type NONE is present, a column has too many categories, a category is not UTF-8, or
 * memory ran out. Then the contents of the columns are undefined. Dictionaries may have received values of these
 * rows, in the same order and with the same codes as on the slow path. */
CRD_MUST_USE bool crd_i_fast_parse_fill(const crd_i_fast_parse *fast, const crd_i_fast_parse_rules *rules, size_t first,
                                        size_t count, crd_i_fast_parse_column *columns, size_t column_count);

#endif
