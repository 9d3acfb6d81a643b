/* SPDX-License-Identifier: MIT */
/* study.h - the report about rows and what was learned from them: data shared by its sections, and the sections. */
#ifndef CRD_REPORT_STUDY_H
#define CRD_REPORT_STUDY_H

#include "base/buffer.h"

#include <credence/assess.h>
#include <credence/classifier.h>
#include <credence/compare.h>
#include <credence/html_report.h>
#include <credence/network.h>
#include <credence/plot.h>
#include <credence/profile.h>

/* ======== HTML ========
 *
 * Markup from the code is copied; all other text is escaped. Texts from files may contain anything. They are only added
 * through the directives of a format, which escape them. Escaping therefore happens in a single place, which is tested.
 * A failed allocation is remembered and reported at the end. */

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

/* ======== Page ========
 *
 * A page is a report while it is written: summary, warnings, sections, and the HTML document around them.
 *
 * Sections append to the body. They may also add sentences to the summary, and warnings, which both come before the
 * body in the document. */

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

/* A row that is explained, either by the model trained without its fold or by the given model. */
typedef struct crd_i_study_row {
    uint64_t row; /* number among the rows that are predicted, from 1; 0: none */
    double probability;
} crd_i_study_row;

enum { CRD_I_STUDY_SURE, CRD_I_STUDY_UNSURE, CRD_I_STUDY_WRONG, CRD_I_STUDY_ROWS };

typedef struct crd_i_study {
    crd_i_page page;
    crd_reader *reader;     /* reads all rows; NULL: only a model is given */
    crd_profile *profile;   /* profile of all rows; NULL: only a model is given */
    uint64_t rows;          /* number of rows read */
    crd_row_source *source; /* the rows that are predicted, in memory; NULL: a model was given */
    size_t stride;          /* one in `stride` rows is predicted */
    crd_split_options split;
    crd_settings *settings;
    crd_comparison *comparison; /* NULL: methods were not compared */
    size_t chosen;              /* chosen candidate of the comparison; CRD_NONE: the settings were specified */
    crd_recommendation recommendation;
    crd_assessment *assessment;       /* NULL: no row could be predicted */
    const crd_evaluation *evaluation; /* predictions for these rows */
    const crd_text *classes;          /* classes in the order of the evaluation */
    size_t class_count;
    crd_scores *scores; /* scores of the evaluation; NULL: none */
    crd_totals totals;
    crd_i_study_row picked[CRD_I_STUDY_ROWS];
    const crd_model *model; /* trained on all rows, or given */
    crd_model *trained;     /* the same model if the study owns it; otherwise NULL */
    crd_summary *summary;
    crd_classifier *classifier;
    crd_text telling[3]; /* the most informative attributes */
    size_t telling_count;
} crd_i_study;

/* ---- Steps, in this order ---- */

/* Adds the section about the data, from a profile of the reader's columns. */
CRD_MUST_USE crd_status crd_i_study_profile(crd_i_study *study, crd_error *error);
/* Compares methods on the folds of the source. Sets the settings to the best method unless they were specified. */
CRD_MUST_USE crd_status crd_i_study_compare(crd_i_study *study, crd_error *error);
/* Runs study->assessment, which must exist, and adds scores and curves. */
CRD_MUST_USE crd_status crd_i_study_assess(crd_i_study *study, crd_error *error);
/* Adds only the scores and curves. */
CRD_MUST_USE crd_status crd_i_study_scores(crd_i_study *study, crd_error *error);
/* Adds the section about attributes: their importance, and their distributions in each class. */
CRD_MUST_USE crd_status crd_i_study_attributes(crd_i_study *study, crd_error *error);
/* Adds the section about pairs of attributes that depend on each other within classes. */
CRD_MUST_USE crd_status crd_i_study_pairs(crd_i_study *study, crd_error *error);
/* Adds the section that explains three rows. */
CRD_MUST_USE crd_status crd_i_study_explain(crd_i_study *study, crd_error *error);
/* Adds the section with everything needed to reproduce the report. */
CRD_MUST_USE crd_status crd_i_study_repeat(crd_i_study *study, crd_error *error);
/* Adds the sentences of the summary. */
void crd_i_study_summarize(crd_i_study *study);

/* ---- Shared by sections ---- */

/* Returns the row number in the table of a row that was predicted. */
uint64_t crd_i_study_row_number(const crd_i_study *study, uint64_t judged);
/* Append a list of names to a warning or sentence: "a, b and 3 more". `count` is the number of names so far. Only the
 * first CRD_I_STUDY_LISTED names are written. */
void crd_i_study_list_name(crd_i_html *out, crd_text name, size_t count);
void crd_i_study_end_list(crd_i_html *out, size_t count);
enum { CRD_I_STUDY_LISTED = 8 };

/* ======== Predicted rows ========
 *
 * The rows that a study predicts are read frame by frame. */

/* Processes a frame. `before` is the number of rows in earlier frames. */
typedef crd_status crd_i_study_take(void *user, const crd_frame *frame, uint64_t before, crd_error *error);
/* Calls `take` for every frame, from the first row on. Fails if the rows have changed since the last pass. */
CRD_MUST_USE crd_status crd_i_study_each_frame(crd_i_study *study, crd_i_study_take *take, void *user,
                                               crd_error *error);

/* ======== Distributions of attributes ======== */

/* Draws the distributions of the given attributes in each class: densities with decision regions for numbers, relative
 * frequencies for categories, and the most informative words for texts. The classifier must belong to the study's
 * model. */
CRD_MUST_USE crd_status crd_i_study_distributions(crd_i_study *study, const crd_classifier *classifier,
                                                  const size_t *attributes, size_t count, crd_error *error);
/* Lists or draws the words of a text attribute that distinguish each class from the others. */
CRD_MUST_USE crd_status crd_i_study_words(crd_i_study *study, const crd_classifier *classifier, size_t attribute,
                                          crd_error *error);

/* ======== Network report ======== */

typedef struct crd_i_network_study {
    crd_i_page page;
    const crd_network *network;
    crd_reader *reader; /* at its first row; NULL: the report is about the network only */
    size_t nodes, arcs;
    double *beliefs; /* prior probabilities of all discrete nodes' states, one node after the other; NULL: unknown */
    size_t *first;   /* for each node, the index of its first belief; CRD_NONE: none */
    double parameters;
    crd_text strongest[2]; /* the arc with the largest mutual information; bytes NULL: none */
    double strongest_bits;
    crd_i_html fit; /* the summary's part about the fit of the rows */
} crd_i_network_study;

/* ======== HMM report ======== */

/* Adds sections about the states of the study's model, their transitions and their observations. If there is a reader,
 * also adds scores for its sequences, and the path of one of them. Sets the study's settings and summary. */
CRD_MUST_USE crd_status crd_i_sequence_study(crd_i_study *study, crd_error *error);

#endif
