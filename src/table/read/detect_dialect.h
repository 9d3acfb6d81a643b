/* SPDX-License-Identifier: MIT */
/* detect_dialect.h - detects the dialect of delimited text: its separator and its quote character. */
#ifndef CRD_TABLE_READ_DETECT_DIALECT_H
#define CRD_TABLE_READ_DETECT_DIALECT_H

#include "table/missing_values.h"
#include "table/parse/slow_parse.h"

#include <credence/data.h>

/* ======== Dialect detection ========
 *
 * Reads the first rows of a delimited file ahead, to check whether a separator splits them evenly and whether the
 * first row is a header. */

/* Zero-initialize it, except the context of `copy`. */
typedef struct crd_i_first_rows {
    crd_i_slow_parse copy; /* copy of their bytes */
    crd_i_cell *cells;     /* `stride` per row */
    size_t cells_capacity;
    size_t *widths; /* number of fields of each row; at most `stride` of them have cells */
    size_t widths_capacity;
    size_t rows, stride;
} crd_i_first_rows;

/* Sets *length to the number of bytes of the latest record and the next `lines` complete lines. Reads until they are
 * in memory. */
CRD_MUST_USE crd_status crd_i_first_rows_find_lines(crd_i_slow_parse *records, size_t lines, size_t *length,
                                                    crd_error *error);

/* Reads the latest record and the rows on the next `lines` lines, parsed with the settings of `records`. Stops early
 * if the input ends, a record cannot be split, or the lines are very long. The position of `records` does not
 * change. Each call replaces the rows of the previous call. */
CRD_MUST_USE crd_status crd_i_first_rows_read(crd_i_first_rows *rows, crd_i_slow_parse *records, size_t lines,
                                              crd_error *error);
void crd_i_first_rows_clear(crd_i_first_rows *rows);

static inline crd_text crd_i_first_rows_text(const crd_i_first_rows *rows, size_t row, size_t field) {
    return crd_i_slow_parse_text(&rows->copy, rows->cells[row * rows->stride + field]);
}

/* Returns whether there are rows after the first, each with `more` fields more than the first. */
bool crd_i_first_rows_are_even(const crd_i_first_rows *rows, size_t more);

/* Returns whether all rows after the first have a number or a missing cell in a field. */
bool crd_i_first_rows_are_numbers(const crd_i_first_rows *rows, size_t field, const crd_i_missing *missing,
                                  char decimal);

/* Rules for numbers, missing values, and the number of lines to read. */
typedef struct crd_i_dialect_rules {
    const crd_i_missing *missing;
    char decimal;
    size_t lines;    /* maximum number of lines to inspect after the first; lines of a pipe may arrive late */
    bool are_tokens; /* tagged text, one token per line: all lines have the same number of words */
} crd_i_dialect_rules;

/* Detects the separator of the latest record and the records after it, and stores it in `records`:
 *
 *   - a tab, if there is one outside quotes;
 *   - the only one of comma, semicolon and pipe that the line contains. If it contains several: the more frequent of
 *     comma and semicolon if all inspected rows contain equally many of it, otherwise the one that they do;
 *   - spaces, if the line has at least two space-separated fields and one of two conditions holds. Either all fields,
 *     except perhaps the last, are numbers or missing. Or the following rows have as many fields, or one more (row
 *     names), and with only two fields one of them is a number;
 *   - otherwise the comma.
 *
 * For tagged text: a tab if any inspected line has one. Otherwise a comma, semicolon or pipe if there are at least
 * two rows with equally many fields, at least two per row, none empty, and space-separated fields do not satisfy
 * this. Otherwise spaces. A comma is a token. If the comma is the decimal mark, it is not a separator. */
CRD_MUST_USE crd_status crd_i_detect_separator(crd_i_slow_parse *records, const crd_i_dialect_rules *rules,
                                               crd_error *error);

/* Detects whether the first lines of tagged text contain a tab, from the latest record on. If so, lines that begin
 * with # and have no tab are comments. If all inspected lines begin with #, later lines are inspected too. */
CRD_MUST_USE crd_status crd_i_detect_tabs(crd_i_slow_parse *records, const crd_i_dialect_rules *rules, bool *has_tabs,
                                          crd_error *error);

/* Reads the first rows, as many as the functions below need. */
CRD_MUST_USE crd_status crd_i_detect_first_rows(crd_i_slow_parse *records, const crd_i_dialect_rules *rules,
                                                crd_i_first_rows *rows, crd_error *error);

/* Returns whether at least two rows after the header have one field more than it: the first, which is a row name, as
 * R writes it. Rows that only end with a separator do not count. */
bool crd_i_detect_row_names(const crd_i_first_rows *rows);
/* Returns whether the extra first fields look like row names that R writes. They are all different, and are quoted,
 * or numbers from 1 on, or words separated by tabs or spaces. Otherwise a row has a separator too many, as in 3,000. */
bool crd_i_detect_named_rows(const crd_i_first_rows *rows);
/* Returns whether all rows after the header end with a separator that the header does not have. */
bool crd_i_detect_end_separator(const crd_i_first_rows *rows);

/* Returns whether quotes are ordinary characters in tab-separated lines, as in texts. This is so if some field
 * begins with a quote that is not closed at its end, while all lines have equally many tabs, at least one. Quotes
 * that enclose tabs or line ends would leave lines with different counts. are_all: no more bytes follow. */
bool crd_i_detect_literal_quotes(crd_text beginning, bool are_all, char quote);

/* Returns the separator that a line declares as spreadsheets do, sep=; for example. Returns 0 if the line does not
 * declare one. Such a line is not a row. */
char crd_i_detect_stated_separator(crd_text line);

/* Convert a separator to the byte used in crd_i_slow_parse, and back. */
char crd_i_separator_byte(crd_separator separator);
crd_separator crd_i_separator_of_byte(char byte);

/* ======== First bytes ======== */

/* Skips a byte order mark at the beginning of a file and rejects known binary formats. If is_at_hand, it inspects
 * more bytes than for a pipe, whose bytes may arrive late. */
CRD_MUST_USE crd_status crd_i_detect_text(crd_i_slow_parse *records, bool is_at_hand, crd_error *error);

/* Returns whether a byte is a control character that does not occur in text. Cursor movements and the DOS
 * end-of-file character do occur. */
static inline bool crd_i_is_control(char byte) {
    unsigned char value = (unsigned char)byte;
    return value < 0x20 && (value < '\t' || value > '\r') && value != 0x1A;
}

/* ======== Header detection ========
 *
 * Detects whether the first record of delimited rows is a header or a row.
 *
 * The rows below the first record are the evidence. Each column has at most one vote:
 *   for data:   a number above numbers; a date, time, percentage or amount above others of the same format; a text that
 *               occurs again below.
 *   for names:  a text above numbers, dates or other formatted values; a number above texts; an empty first cell above
 *               0, 1, 2, ...; a text that never occurs below, if the column has few values.
 * Numbers above numbers do not count if they look like names. Examples are integers next to a text above numbers,
 * years above other numbers, quoted numbers above plain ones, and ordered numbers such as 1, 2, 3 above rows that
 * are not ordered. Rows that repeat the first record are ignored, because concatenated files may have several
 * headers.
 *
 * Names need no majority. If the votes are equal, or if there are none, the first record is the header, unless all of
 * it is numbers. A record without rows after it is data if it has numbers in all fields, except perhaps the last. */

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

/* ======== Lines before the header ========
 *
 * Lines before the header of a delimited file are skipped: titles and comments. They are recognized by a later line
 * that contains wanted names, or that is clearly the header of the rows below it. */

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
