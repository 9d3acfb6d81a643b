/* SPDX-License-Identifier: MIT */
/* credence/html_report.h - a report about rows, a model or a network: one HTML file that is complete in itself.
 *
 *   rows with a target   what the columns are like, methods compared by cross-validation, and of the chosen one scores and curves, what
 *                        each attribute contributes, dependent pairs of attributes, and three rows explained
 *   a model              what it has learned; with rows also their profile, its scores on them, and three of them explained
 *   a network            graph, beliefs, conditional probability tables, independences; with rows also how well they fit it
 *
 * A report opens with a summary in sentences and what to watch out for, and ends with what it takes to repeat it. It has no script,
 * loads nothing, follows light and dark, and prints. Its bytes are a function of the input, the options and the version of the
 * library: there is no date in it unless the options have one, and nothing depends on time or on the number of threads. All names are escaped.
 *
 * The work is bounded: of large tables, methods are compared and judged on every k-th row, which the report states. */
#ifndef CREDENCE_HTML_REPORT_H
#define CREDENCE_HTML_REPORT_H

#include <credence/model.h>
#include <credence/network.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_report_options {
    size_t size;
    crd_text title;               /* none: what was predicted from what */
    crd_text name;                /* of the rows, the model or the network, such as that of the file; or none */
    crd_text command;             /* that makes the report again, shown as it is; or none */
    crd_text date;                /* shown as it is; or none */
    const crd_settings *settings; /* NULL: the defaults; of a model: its own */
    int is_stated; /* of rows: the settings have the method to take; 0: methods are compared, and the recommended one is taken */
    uint64_t seed;
    uint32_t folds; /* from 2; 0: 10, or 5 where more than 5,000 rows are judged */
    size_t
        most_rows; /* that methods are judged on, every k-th of more; 0: 10,000, and fewer of wide tables and of texts */
    unsigned threads; /* 0: one for each processor */
} crd_report_options;

#define CRD_REPORT_OPTIONS_INIT                                                                                        \
    { sizeof(crd_report_options), {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 1, 0, 0, 0 }

/* *html ends in NUL and is freed with crd_free. options may be NULL. */

/* Rows of a fresh reader whose target is set. Input that cannot be read again is kept in memory. What a table does not allow, such as
 * cross-validation of a single class, is stated in the report and no failure. CRD_ERROR_EMPTY: there are no rows. */
CRD_API CRD_MUST_USE crd_status crd_report_rows(crd_context *context, crd_reader *reader,
                                                const crd_report_options *options, char **html, crd_error *error);
/* A model that has a target, or one of sequences, and rows of a fresh reader that it is judged on; reader NULL: none. */
CRD_API CRD_MUST_USE crd_status crd_report_model(const crd_model *model, crd_reader *reader,
                                                 const crd_report_options *options, char **html, crd_error *error);
/* A network, and rows of a fresh reader; reader NULL: none. */
CRD_API CRD_MUST_USE crd_status crd_report_network(const crd_network *network, crd_reader *reader,
                                                   const crd_report_options *options, char **html, crd_error *error);

/* Writes a report: beside the path, flushed, renamed, so that the path holds the old file or the new one at every moment. */
CRD_API CRD_MUST_USE crd_status crd_report_save(crd_context *context, const char *html, const char *path,
                                                crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
