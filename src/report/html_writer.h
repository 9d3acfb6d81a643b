/* SPDX-License-Identifier: MIT */
/* html_writer.h - writes HTML. Markup from the code is copied; all other text is escaped.
 *
 * Texts from files may contain anything. They are only added through the directives of a format, which escape them.
 * Escaping therefore happens in a single place, which is tested. A failed allocation is remembered and reported at the
 * end. */
#ifndef CRD_REPORT_HTML_WRITER_H
#define CRD_REPORT_HTML_WRITER_H

#include "base/buffer.h"

typedef struct crd_i_html {
    crd_i_buffer bytes;
    bool has_failed;
    /* State of the open table. */
    size_t column, column_count;
    uint64_t numeric; /* one bit for each of the first 64 columns; its cells are right-aligned */
    bool has_rows;
} crd_i_html;

/* Appends a format. Its markup is copied, and these directives are replaced:
 *   %s  const char *  a word, escaped
 *   %t  crd_text      a text, escaped; a long text is shortened and has a longer part as its tooltip
 *   %w  crd_text      like %t without a tooltip, for places where markup is not allowed
 *   %u  uint64_t      a count, with commas between thousands
 *   %n  double        a number, to four significant digits
 *   %f  double        a number, to four decimals
 *   %p  double        a probability, in percent
 *   %%                a percent sign */
void crd_i_html_add(crd_i_html *html, const char *format, ...);
/* Appends a text, escaped and without a length limit. */
void crd_i_html_add_whole(crd_i_html *html, crd_text text);
/* Appends the bytes of another writer or of a picture without escaping them. */
void crd_i_html_join(crd_i_html *html, const void *markup, size_t length);
void crd_i_html_clear(crd_i_html *html);

/* Begins a table with a caption. First add its columns, then its rows. The first cell of each row is a row heading. */
void crd_i_html_open_table(crd_i_html *html, const char *caption);
void crd_i_html_column(crd_i_html *html, bool is_numeric, const char *format, ...);
/* Begins a row with a class of the style sheet; NULL: no class. */
void crd_i_html_row(crd_i_html *html, const char *class_name);
void crd_i_html_cell(crd_i_html *html, const char *format, ...);
/* Begins and ends a cell whose content is added by several calls. */
void crd_i_html_open_cell(crd_i_html *html);
void crd_i_html_close_cell(crd_i_html *html);
void crd_i_html_close_table(crd_i_html *html);

/* Appends a picture with a caption, which may be NULL. Frees the picture, which must come from a crd_plot_draw_
 * function. */
void crd_i_html_picture(crd_i_html *html, char *svg, const char *caption);

/* Size of a buffer for a formatted number. */
enum { CRD_I_HTML_NUMBER_ROOM = 48 };
/* Format a number to the given significant digits or decimals: "∞" for infinity, "–" for NaN. Return `out`. */
const char *crd_i_html_number(double value, int digits, char out[CRD_I_HTML_NUMBER_ROOM]);
const char *crd_i_html_fixed(double value, int decimals, char out[CRD_I_HTML_NUMBER_ROOM]);
const char *crd_i_html_count(uint64_t count, char out[CRD_I_HTML_NUMBER_ROOM]);

#endif
