/* SPDX-License-Identifier: MIT */
/* detect_header.h - detects whether the first record of delimited rows is a header or a row.
 *
 * The rows below the first record are the evidence. Each column has at most one vote:
 *   for data:   a number above numbers; a date, time, percentage or amount above others of the same form; a text that
 *               occurs again below.
 *   for names:  a text above numbers, dates or other formatted values; a number above texts; an empty first cell above
 *               0, 1, 2, ...; a text that never occurs below, if the column has few values.
 * Numbers above numbers do not count if they look like names. Examples are integers next to a text above numbers,
 * years above other numbers, quoted numbers above plain ones, and ordered numbers such as 1, 2, 3 above rows that
 * are not ordered. Rows that repeat the first record are ignored, because concatenated files may have several
 * headers.
 *
 * Names need no majority. If the votes are equal, or if there are none, the first record is the header, unless all
 * of it is numbers. A record without rows after it is data if it has numbers in all fields, except perhaps the last. */
#ifndef CRD_TABLE_READ_DETECT_HEADER_H
#define CRD_TABLE_READ_DETECT_HEADER_H

#include "table/read/detect_dialect.h"

enum { CRD_I_HEADER_LINES = 100 }; /* number of lines below the first record to inspect */

typedef struct crd_i_header_votes {
    size_t names, data; /* number of columns that vote for each */
} crd_i_header_votes;

crd_i_header_votes crd_i_detect_header(const crd_i_first_rows *rows, const crd_i_dialect_rules *rules);

/* Returns whether all cells of the first record are numbers. */
bool crd_i_detect_all_numbers(const crd_i_first_rows *rows, const crd_i_dialect_rules *rules);

/* The information in a column selector if the first record is `cells`: a name that only a header can contain, a name
 * such as c2 that only a file without a header has, or nothing. */
typedef enum crd_i_selector_clue { CRD_I_CLUE_NONE, CRD_I_CLUE_NAME, CRD_I_CLUE_NO_NAMES } crd_i_selector_clue;

typedef struct crd_i_header_cells {
    const void *owner;
    size_t count;
    crd_text (*text)(const void *owner, size_t field);
} crd_i_header_cells;

crd_i_selector_clue crd_i_detect_clue(const crd_i_header_cells *cells, crd_text selector);

/* ---- skips lines before the header of a delimited file: titles and comments. They are recognized by a
 * later line that contains wanted names, or that is clearly the header of the rows below it. */

/* Names to search for. */
typedef struct crd_i_wanted_names {
    const void *owner;
    size_t count;
    crd_text (*name)(const void *owner, size_t i); /* empty: none */
} crd_i_wanted_names;

typedef struct crd_i_title_search {
    char separator; /* '\0': any separator that can be detected */
    char quote;     /* '\0': none */
    bool is_prompt; /* wait for lines only while the lines before them look like titles */
} crd_i_title_search;

/* The line with the most wanted names among the 20 lines after the latest record. */
typedef struct crd_i_title_find {
    uint64_t line;      /* line number in the file; 0: no line has a name */
    size_t bytes;       /* distance from the latest record to the line */
    bool follows_title; /* the lines before it are comments or have fewer cells, so they can be skipped */
    crd_text name;      /* the first wanted name in the line; lives as long as the names */
} crd_i_title_find;

CRD_MUST_USE crd_status crd_i_title_find_header(crd_i_slow_parse *records, const crd_i_title_search *search,
                                                const crd_i_wanted_names *names, crd_i_title_find *out,
                                                crd_error *error);

/* Finds the line after titles if the rows below it vote for a header. Each title must be one text with fewer cells
 * than that line. Finds nothing for a caller that cannot wait for lines. */
CRD_MUST_USE crd_status crd_i_title_find_table(crd_i_slow_parse *records, const crd_i_title_search *search,
                                               const crd_i_dialect_rules *rules, crd_i_title_find *out,
                                               crd_error *error);

#endif
