/* SPDX-License-Identifier: MIT */
/* credence/export.h - exports models to other formats. Programs that read them compute the same predictions.
 *
 * JSON contains the whole model: its sufficient statistics, and every parameter of the predictions. The other formats
 * are programs or graphs that compute posteriors. Each format represents some kinds of models exactly and rejects the
 * others: see docs/export.md. */
#ifndef CREDENCE_EXPORT_H
#define CREDENCE_EXPORT_H

#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An export format. */
typedef enum crd_export_format {
    CRD_EXPORT_JSON = 0, /* one object: counts, settings, parameters */
    CRD_EXPORT_C = 1,    /* a C99 file that needs only the C library */
    CRD_EXPORT_SQL = 2,  /* a query over a table of rows, for SQLite, DuckDB and PostgreSQL */
    CRD_EXPORT_ONNX = 3, /* an ONNX graph of doubles */
    CRD_EXPORT_PMML = 4, /* a NaiveBayesModel of PMML 4.4 */
    CRD_EXPORT_HMM = 5   /* the text of a hidden Markov model, for sequence models only: docs/hmm-file.md */
} crd_export_format;

/* Options of an export. Initialize it with CRD_EXPORT_OPTIONS_INIT. */
typedef struct crd_export_options {
    size_t size;
    crd_text table; /* SQL: the table that the query reads; bytes NULL: "data" */
} crd_export_options;

#define CRD_EXPORT_OPTIONS_INIT                                                                                        \
    {                                                                                                                  \
        sizeof(crd_export_options), {                                                                                  \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

/* Receives each part of the output in order. If it does not return 0, the export ends with CRD_ERROR_CANCELLED. */
typedef int (*crd_export_sink)(void *user, const char *bytes, size_t length);

/* Exports a model and passes the output to `sink`. `settings` may be NULL (the model's settings). `options` may be NULL
 * (CRD_EXPORT_OPTIONS_INIT). Returns the errors of crd_classifier_create. Returns CRD_ERROR_SETTING if the format
 * cannot represent the model. Then nothing has been passed to `sink`. The error's message describes the reason, and its
 * subject is the setting or the column. */
CRD_API CRD_MUST_USE crd_status crd_model_export(const crd_model *model, const crd_settings *settings,
                                                 crd_export_format format, const crd_export_options *options,
                                                 crd_export_sink sink, void *user, crd_error *error);

/* Exports the web app (web/) as one HTML file that contains a document: a model's bytes, or a network file. The file
 * works in a browser without a network connection. `page` is the HTML of the web app. It must contain exactly one
 * placeholder for the document: <script id="credence-document" type="application/octet-stream"></script>. The
 * placeholder is filled with `name` and the bytes of `document`, both in Base64, separated by a space. Returns
 * CRD_ERROR_SYNTAX if `page` does not contain the placeholder. */
CRD_API CRD_MUST_USE crd_status crd_page_export(crd_text page, crd_text name, crd_text document, crd_export_sink sink,
                                                void *user, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
