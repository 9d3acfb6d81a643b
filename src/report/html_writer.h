/* SPDX-License-Identifier: MIT */
/* html_writer.h - the writer of HTML: markup as it stands in the code, everything else escaped.
 *
 * Texts of files can hold anything. They come into a page by directives of a format alone, which escape them; so there is one
 * place where escaping could be forgotten, and it is tested. An allocation that fails is remembered, and reported at the end. */
#ifndef CRD_REPORT_HTML_WRITER_H
#define CRD_REPORT_HTML_WRITER_H

#include "base/buffer.h"

typedef struct crd_i_html {
    crd_i_buffer bytes;
    bool has_failed;
    /* The table that is open. */
    size_t column, column_count;
    uint64_t numeric; /* a bit for each of the first 64 columns: its cells are aligned to the right */
    bool has_rows;
} crd_i_html;

/* Adds a format. Its markup stays as it is, and directives are
 *   %s  const char *  a word, escaped
 *   %t  crd_text      a text, escaped; a long one is shortened, with more of it as its tooltip
 *   %w  crd_text      the same without a tooltip, where markup is not allowed
 *   %u  uint64_t      a count, with commas between thousands
 *   %n  double        a number, to four significant digits
 *   %f  double        the same, to four decimals
 *   %p  double        a probability, in percent
 *   %%                a percent sign */
void crd_i_html_add(crd_i_html *html, const char *format, ...);
/* A text, escaped, however long it is. */
void crd_i_html_add_whole(crd_i_html *html, crd_text text);
/* The bytes of another writer, or of a picture, as they are. */
void crd_i_html_join(crd_i_html *html, const void *markup, size_t length);
void crd_i_html_clear(crd_i_html *html);

/* Begins a table with a caption; columns follow, then rows. The first cell of a row is its heading. */
void crd_i_html_open_table(crd_i_html *html, const char *caption);
void crd_i_html_column(crd_i_html *html, bool is_numeric, const char *format, ...);
/* Of a class of the style sheet; NULL: of none. */
void crd_i_html_row(crd_i_html *html, const char *class_name);
void crd_i_html_cell(crd_i_html *html, const char *format, ...);
/* The same for a cell that is put together by several calls. */
void crd_i_html_open_cell(crd_i_html *html);
void crd_i_html_close_cell(crd_i_html *html);
void crd_i_html_close_table(crd_i_html *html);

/* A picture with a caption, which may be NULL; the picture, which crd_plot_draw_ calls made, is freed. */
void crd_i_html_picture(crd_i_html *html, char *svg, const char *caption);

/* Room for a number as text. */
enum { CRD_I_HTML_NUMBER_ROOM = 48 };
/* To so many significant digits, or decimals; "∞", "–" for NaN. Returns `out`. */
const char *crd_i_html_number(double value, int digits, char out[CRD_I_HTML_NUMBER_ROOM]);
const char *crd_i_html_fixed(double value, int decimals, char out[CRD_I_HTML_NUMBER_ROOM]);
const char *crd_i_html_count(uint64_t count, char out[CRD_I_HTML_NUMBER_ROOM]);

#endif
