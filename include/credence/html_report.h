/* SPDX-License-Identifier: MIT */
/* credence/html_report.h - reports about rows, a model or a network, each as one self-contained HTML file.
 *
 *   rows with a target   column profiles, and a comparison of methods by cross-validation; for the chosen method also
 *                        scores and curves, attribute importance, dependent pairs of attributes, three explained rows
 *   a model              its parameters; with rows also their profile, the model's scores, and three explained rows
 *   a network            graph, beliefs, conditional probability tables, independences; with rows also how well the
 *                        network fits them
 *
 * A report begins with a summary and with warnings. It ends with the commands that repeat it. It contains no script,
 * loads nothing, follows the light or dark mode of the browser, and can be printed. All names are escaped. Its bytes
 * depend only on the input, the options and the library version. The number of threads has no effect, and a date
 * appears only if the options contain one.
 *
 * The amount of work is bounded: for large tables, methods are compared and evaluated on every k-th row. The report
 * states k. */
#ifndef CREDENCE_HTML_REPORT_H
#define CREDENCE_HTML_REPORT_H

#ifndef CRD_EXPERIMENTAL
#error "credence/html_report.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/model.h>
#include <credence/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a report. Initialize it with CRD_REPORT_OPTIONS_INIT. */
typedef struct crd_report_options {
    size_t size;
    crd_text title;               /* empty: a default title, such as "Predicting TARGET" */
    crd_text name;                /* name of the rows, the model or the network, such as a file name; may be empty */
    crd_text command;             /* command that repeats the report, shown unchanged; may be empty */
    crd_text date;                /* shown unchanged; may be empty */
    const crd_settings *settings; /* NULL: the defaults, or the settings of the model */
    /* Reports about rows only. 1: use the method in the settings. 0: compare methods and use the recommended one. */
    int is_stated;
    uint64_t seed;
    uint32_t folds; /* number of folds, at least 2; 0: 10, or 5 for more than 5,000 rows */
    /* maximum number of rows on which methods are evaluated: every k-th row of larger tables. 0: 10,000, or fewer for
     * wide tables and for text columns. */
    size_t most_rows;
    unsigned threads; /* 0: one per CPU core */
} crd_report_options;

#define CRD_REPORT_OPTIONS_INIT                                                                                        \
    { sizeof(crd_report_options), {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 1, 0, 0, 0 }

/* Creates a report about the rows of a reader in *html, which ends with NUL. Free it with crd_free. The reader must
 * have a target, and no row of it may have been read. Input that cannot be read twice is kept in memory. `options` may
 * be NULL. If the table does not allow an analysis, such as cross-validation of a single class, the report states that,
 * and the call succeeds. Returns CRD_ERROR_EMPTY if there are no rows. */
CRD_API CRD_MUST_USE crd_status crd_report_rows(crd_context *context, crd_reader *reader,
                                                const crd_report_options *options, char **html, crd_error *error);
/* Creates a report about a model in *html, which ends with NUL. Free it with crd_free. The model must have a target, or
 * be a sequence model. If `reader` is not NULL, the model is evaluated on its rows. None of them may have been read.
 * `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_report_model(const crd_model *model, crd_reader *reader,
                                                 const crd_report_options *options, char **html, crd_error *error);
/* Creates a report about a network in *html, which ends with NUL. Free it with crd_free. If `reader` is not NULL, the
 * report describes how well the network fits its rows. None of them may have been read. `options` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_report_network(const crd_network *network, crd_reader *reader,
                                                   const crd_report_options *options, char **html, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
