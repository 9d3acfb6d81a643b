/* SPDX-License-Identifier: MIT */
/* page.h - a report on its way: a summary, what to watch out for, sections, and the document around them.
 *
 * Sections add to the body; while they do, they may add sentences to the summary and warnings, which stand before it. */
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

/* CRD_ERROR_ARGUMENT where the options have no size. */
CRD_MUST_USE crd_status crd_i_page_begin(crd_i_page *page, crd_context *context, const crd_report_options *options,
                                         crd_error *error);
/* The document; `title` where the options have none, and `subject`, what it is about, below it: both are markup. The page is empty afterwards. */
CRD_MUST_USE crd_status crd_i_page_finish(crd_i_page *page, const crd_i_html *title, const char *subject, char **html,
                                          crd_error *error);
void crd_i_page_clear(crd_i_page *page);

/* A section of the body, with a heading and a place in the contents. */
void crd_i_page_open_section(crd_i_page *page, const char *id, const char *title);
void crd_i_page_close_section(crd_i_page *page);
/* Where a warning goes: up to crd_i_page_end_warning. */
crd_i_html *crd_i_page_begin_warning(crd_i_page *page);
void crd_i_page_end_warning(crd_i_page *page);

/* What a table or a model does not allow is stated in the body, and CRD_OK: its subject is `what`. Memory, cancelling, the system and
 * malformed input are failures of the whole, which is returned. */
CRD_MUST_USE crd_status crd_i_page_excuse(crd_i_page *page, const char *description, crd_status status,
                                          const crd_error *error);

/* Adds the picture that a crd_plot_draw_ call made, with a caption, which may be NULL; one that has too many items is stated to be
 * left out. */
CRD_MUST_USE crd_status crd_i_page_picture(crd_i_page *page, crd_status status, char *svg, const char *caption,
                                           const crd_error *error);
/* Options of a picture of this width. */
crd_plot_options crd_i_page_plot(const char *title, double width);

/* Widths of pictures: of the page, and of two beside each other. */
enum { CRD_I_PAGE_WIDE = 820, CRD_I_PAGE_HALF = 400 };

#endif
