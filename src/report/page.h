/* SPDX-License-Identifier: MIT */
/* page.h - a report while it is written: summary, warnings, sections, and the HTML document around them.
 *
 * Sections append to the body. They may also add sentences to the summary, and warnings, which both come before the
 * body in the document. */
#ifndef CRD_REPORT_PAGE_H
#define CRD_REPORT_PAGE_H

#include "report/html_writer.h"

#include <credence/classifier.h>
#include <credence/html_report.h>
#include <credence/plot.h>

typedef struct crd_i_page {
    crd_context *context;
    crd_report_options options;
    crd_i_html summary, warnings, contents, body;
    size_t warning_count;
} crd_i_page;

/* Begins a page. Fails with CRD_ERROR_ARGUMENT if the options' size member is not set. */
CRD_MUST_USE crd_status crd_i_page_begin(crd_i_page *page, crd_context *context, const crd_report_options *options,
                                         crd_error *error);
/* Sets *html to the complete document; the caller frees it. `title` is used if the options have none, and `subject` is
 * printed below it. Both are markup. The page is empty afterwards. */
CRD_MUST_USE crd_status crd_i_page_finish(crd_i_page *page, const crd_i_html *title, const char *subject, char **html,
                                          crd_error *error);
void crd_i_page_clear(crd_i_page *page);

/* Begins a section of the body, with a heading and an entry in the contents. */
void crd_i_page_open_section(crd_i_page *page, const char *id, const char *title);
void crd_i_page_close_section(crd_i_page *page);
/* Begins a warning and returns the writer for its text. Call crd_i_page_end_warning after the text. */
crd_i_html *crd_i_page_begin_warning(crd_i_page *page);
void crd_i_page_end_warning(crd_i_page *page);

/* Handles the failure of a part of the report. If the table or the model does not support the part, writes to the body
 * that `description` is omitted and why, and returns CRD_OK. Other failures, such as lack of memory, cancellation,
 * system errors and malformed input, fail the whole report and are returned. */
CRD_MUST_USE crd_status crd_i_page_excuse(crd_i_page *page, const char *description, crd_status status,
                                          const crd_error *error);

/* Appends the picture from a crd_plot_draw_ function, with a caption, which may be NULL. If the picture has too many
 * items, writes that it is omitted. */
CRD_MUST_USE crd_status crd_i_page_picture(crd_i_page *page, crd_status status, char *svg, const char *caption,
                                           const crd_error *error);
/* Returns plot options with a title, which may be NULL, and a width. */
crd_plot_options crd_i_page_plot(const char *title, double width);

/* Widths of pictures: the full page, and one of two next to each other. */
enum { CRD_I_PAGE_WIDE = 820, CRD_I_PAGE_HALF = 400 };

#endif
