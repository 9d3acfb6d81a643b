/* SPDX-License-Identifier: MIT */
/* export_formats.h - the formats that models are written in: one file each, one line each in the table of export.c. */
#ifndef CRD_EXPORT_EXPORT_FORMATS_H
#define CRD_EXPORT_EXPORT_FORMATS_H

#include "classify/classifier_internal.h"
#include "export/export_writer.h"

#include <credence/hmm.h>

/* What is to be written. */
typedef struct crd_i_exported {
    const crd_model *model;
    const crd_summary *summary;
    const crd_classifier *classifier; /* NULL: the model has no target, or no rows */
    const crd_hmm *hmm;               /* NULL: the format is not one of hidden Markov models */
    const crd_export_options *options;
} crd_i_exported;

typedef crd_status crd_i_export_function(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error);

crd_i_export_function crd_i_export_json;
crd_i_export_function crd_i_export_c;
crd_i_export_function crd_i_export_sql;
crd_i_export_function crd_i_export_onnx;
crd_i_export_function crd_i_export_pmml;
crd_i_export_function crd_i_export_hmm;

/* Other programs read cells as they are, and no format but JSON has what a form or cut points make of them. */
CRD_MUST_USE crd_status crd_i_export_check_forms(const crd_model *model, crd_error *error);
/* Refuses what a format cannot express: "FORMAT cannot express WHAT". The hint has what can be done instead. */
crd_status crd_i_export_refuse(crd_error *error, const char *format, const char *description, const char *subject);

#endif
