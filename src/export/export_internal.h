/* SPDX-License-Identifier: MIT */
/* export_internal.h - the writer of exported files, and the table of export formats.
 *
 * The writer buffers output for a sink in parts of 4 KiB. After the sink has rejected a part, all output is discarded.
 * */
#ifndef CRD_EXPORT_EXPORT_INTERNAL_H
#define CRD_EXPORT_EXPORT_INTERNAL_H

#include "base/context.h"
#include "classify/classifier_internal.h"

#include <credence/export.h>
#include <credence/hmm.h>
#include <credence/json_writer.h>

enum { CRD_I_EXPORT_PART = 4096 };

/* Initialize to zero, except for the sink and its argument. */
typedef struct crd_i_export_writer {
    crd_export_sink sink;
    void *user;
    /* the sink has rejected a part */
    bool is_refused;
    size_t length;
    char part[CRD_I_EXPORT_PART];
} crd_i_export_writer;

void crd_i_export_bytes(crd_i_export_writer *writer, const char *bytes, size_t length);
void crd_i_export_text(crd_i_export_writer *writer, const char *text);
/* Calls crd_i_export_bytes, for a crd_json_writer whose `user` is the writer. */
void crd_i_export_json_bytes(void *writer, const char *bytes, size_t length);
/* Writes formatted text. Longer results are truncated to 499 bytes. */
void crd_i_export_format(crd_i_export_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the shortest decimal that reads back as the same double. Infinity is written as `infinity`, after a minus sign
 * if negative. */
void crd_i_export_number(crd_i_export_writer *writer, double number, const char *infinity);

/* ======== Export formats ========
 *
 * To add a format, add one file, and one line to the table in export.c. */

/* The model to export, and the objects derived from it. */
typedef struct crd_i_exported {
    const crd_model *model;
    const crd_summary *summary;
    const crd_classifier *classifier; /* NULL: the model has no target or no rows */
    const crd_hmm *hmm;               /* NULL: the format is not for hidden Markov models */
    const crd_export_options *options;
} crd_i_exported;

/* Writes a model in one format. Fails with CRD_ERROR_SETTING, before anything is written, if the format cannot express
 * the model. */
typedef crd_status crd_i_export_function(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error);

crd_i_export_function crd_i_export_json;
crd_i_export_function crd_i_export_c;
crd_i_export_function crd_i_export_sql;
crd_i_export_function crd_i_export_onnx;
crd_i_export_function crd_i_export_pmml;
crd_i_export_function crd_i_export_hmm;

/* Checks that all columns except the target are read as plain numbers or categories. Other programs do not parse column
 * formats or discretize numbers; only JSON contains them. */
CRD_MUST_USE crd_status crd_i_export_check_formats(const crd_model *model, crd_error *error);
/* Reports that a format cannot express something: "FORMAT cannot express DESCRIPTION". `subject` is the setting that
 * chose it. Returns CRD_ERROR_SETTING. crd_model_export adds the hint. */
crd_status crd_i_export_refuse(crd_error *error, const char *format, const char *description, const char *subject);

/* Checks that the trees of a scorer, if it has any, have at most `most` numbers. */
CRD_MUST_USE crd_status crd_i_export_check_trees(const crd_i_scorer *scorer, const char *format, size_t most,
                                                 crd_error *error);

#endif
