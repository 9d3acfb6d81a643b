/* SPDX-License-Identifier: MIT */
/* detect_dialect.h - how a file of delimited text is written: what separates and encloses its fields. */
#ifndef CRD_TABLE_READ_DETECT_DIALECT_H
#define CRD_TABLE_READ_DETECT_DIALECT_H

#include "table/read/first_rows.h"

#include <credence/data.h>

/* What is read as a number, and what as missing. */
typedef struct crd_i_dialect_rules {
    const crd_i_missing *missing;
    char decimal;
    size_t lines;    /* behind the first that may be looked at: those of a pipe may be long in coming */
    bool are_tokens; /* with their tags, one a line: as many words on each are fields */
} crd_i_dialect_rules;

/* Makes what separates the fields of the record found last, and of those behind it, the records' separator:
 *
 *   a tab, if there is one outside quotes;
 *   the one of comma, semicolon and pipe that the line has. Of several, the more frequent of comma and semicolon, if
 *   all rows looked at have as many of them, or else whichever they have as many of;
 *   blanks, if the line has two fields or more between them, and either these are all numbers or missing but perhaps
 *   the last; or the rows behind it have as many, or one more (the names of rows), and, where there are two only, a
 *   number in one of them;
 *   else the comma.
 *
 * Of tokens with their tags: a tab, if a line looked at has one; a comma, semicolon or pipe, if all rows looked at, two at least,
 * have as many fields between them, two at least and none empty, and not so between blanks; else blanks. A comma is a token.
 * Where the comma begins the fraction of numbers, it separates nothing. */
CRD_MUST_USE crd_status crd_i_detect_separator(crd_i_slow_parse *records, const crd_i_dialect_rules *rules,
                                               crd_error *error);

/* Whether there is a tab in the first lines of tokens with their tags, from the record found last on: if there is, lines that begin
 * with # and have none are comments. Where all lines looked at begin with #, those behind them are looked at, too. */
CRD_MUST_USE crd_status crd_i_detect_tabs(crd_i_slow_parse *records, const crd_i_dialect_rules *rules, bool *has_tabs,
                                          crd_error *error);

/* The first rows, as many as it takes to answer what follows. */
CRD_MUST_USE crd_status crd_i_detect_first_rows(crd_i_slow_parse *records, const crd_i_dialect_rules *rules,
                                                crd_i_first_rows *rows, crd_error *error);

/* Whether two or more rows behind a header have one field more, the first, which then is the name of a row, as R writes
 * it. Rows that merely end with a separator do not. */
bool crd_i_detect_row_names(const crd_i_first_rows *rows);
/* Of such rows: whether their first fields look like the row names that R writes. They are all different, and are quoted, or
 * numbers from 1 on, or, between tabs or blanks, words. Otherwise a row has a separator too many, as in 3,000. */
bool crd_i_detect_named_rows(const crd_i_first_rows *rows);
/* Whether all rows behind a header end with a separator that the header does not have. */
bool crd_i_detect_end_separator(const crd_i_first_rows *rows);

/* Whether quotes are bytes like others in lines of fields between tabs, as texts have them: some field begins with one that is not closed at its end, while
 * all lines have as many tabs, one at least. Quotes that enclose tabs or line ends leave lines with more or fewer. are_all: no more bytes follow. */
bool crd_i_detect_literal_quotes(crd_text beginning, bool are_all, char quote);

/* The separator that a line states as spreadsheets do, which is no row: sep=; 0 where it states none. */
char crd_i_detect_stated_separator(crd_text line);

/* The byte that crd_i_slow_parse has for a separator, and the reverse. */
char crd_i_separator_byte(crd_separator separator);
crd_separator crd_i_separator_of_byte(char byte);

#endif
