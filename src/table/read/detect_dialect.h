/* SPDX-License-Identifier: MIT */
/* detect_dialect.h - detects the dialect of delimited text: its separator and its quote character. */
#ifndef CRD_TABLE_READ_DETECT_DIALECT_H
#define CRD_TABLE_READ_DETECT_DIALECT_H

#include "table/parse/slow_parse.h"
#include "table/read/first_rows.h"

#include <credence/data.h>

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

/* ---- inspects the first bytes of a file. */

/* Skips a byte order mark at the beginning of a file and rejects known binary formats. If is_at_hand, it inspects
 * more bytes than for a pipe, whose bytes may arrive late. */
CRD_MUST_USE crd_status crd_i_detect_text(crd_i_slow_parse *records, bool is_at_hand, crd_error *error);

/* Returns whether a byte is a control character that does not occur in text. Cursor movements and the DOS
 * end-of-file character do occur. */
static inline bool crd_i_is_control(char byte) {
    unsigned char value = (unsigned char)byte;
    return value < 0x20 && (value < '\t' || value > '\r') && value != 0x1A;
}

#endif
