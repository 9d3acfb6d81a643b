/* SPDX-License-Identifier: MIT */
/* credence/export.h - models written for other programs, which then answer as the classifier does.
 *
 * JSON has the whole model: what was counted, and every parameter that answers are computed from. The other formats are
 * programs or graphs that compute posteriors themselves. Each expresses some kinds of models exactly and refuses the
 * others; docs/export.md lists which. */
#ifndef CREDENCE_EXPORT_H
#define CREDENCE_EXPORT_H

#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum crd_export_format {
    CRD_EXPORT_JSON = 0, /* one object: counts, settings, parameters */
    CRD_EXPORT_C = 1,    /* a C99 file that needs the C library alone */
    CRD_EXPORT_SQL = 2,  /* a query over a table of rows, for SQLite, DuckDB and PostgreSQL */
    CRD_EXPORT_ONNX = 3, /* an ONNX graph of doubles */
    CRD_EXPORT_PMML = 4, /* a NaiveBayesModel of PMML 4.4 */
    CRD_EXPORT_HMM = 5   /* the text of a hidden Markov model, of models of sequences alone: docs/hmm-file.md */
} crd_export_format;

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

/* Called with each next part of what is written. Another result than 0 ends the export with CRD_ERROR_CANCELLED. */
typedef int (*crd_export_sink)(void *user, const char *bytes, size_t length);

/* settings NULL: the model's own; options NULL: as CRD_EXPORT_OPTIONS_INIT. Fails as crd_classifier_create does; and with
 * CRD_ERROR_SETTING, before anything is written, where the format cannot express the model: the error's message names
 * what, and its subject is the setting that chose it, or the column. */
CRD_API CRD_MUST_USE crd_status crd_model_export(const crd_model *model, const crd_settings *settings,
                                                 crd_export_format format, const crd_export_options *options,
                                                 crd_export_sink sink, void *user, crd_error *error);

/* The page (web/) as one file of HTML with a document inside: a model's bytes, or a network's file, under a name. Opened in a browser it answers
 * questions to it, without a network connection. `page` has the place of the document, once, as the page is built:
 * <script id="credence-document" type="application/octet-stream"></script>, which gets the name and the bytes in Base64 with a space between
 * them. CRD_ERROR_SYNTAX: it has no such place. */
CRD_API CRD_MUST_USE crd_status crd_page_export(crd_text page, crd_text name, crd_text document, crd_export_sink sink,
                                                void *user, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
