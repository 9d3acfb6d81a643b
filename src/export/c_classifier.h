/* SPDX-License-Identifier: MIT */
/* c_classifier.h - a classifier as C: its parameters as static arrays, and a function from a row to log posteriors. */
#ifndef CRD_EXPORT_C_CLASSIFIER_H
#define CRD_EXPORT_C_CLASSIFIER_H

#include "export/export_formats.h"

/* What is being written. Members of ensembles are numbered as they come, before the classifier that pools them. */
typedef struct crd_i_c_file {
    crd_i_export_writer *writer;
    const crd_classifier *top; /* whose attributes a row has */
    size_t next;               /* the number of the next classifier */
} crd_i_c_file;

/* Sets the bits of all functions of c_runtime.h that it calls; refuses what C cannot express. */
CRD_MUST_USE crd_status crd_i_c_check(const crd_classifier *classifier, unsigned *functions, crd_error *error);
/* Writes static void score_N(const credence_value *row, double *sums), and returns N in *number. */
CRD_MUST_USE crd_status crd_i_c_write_classifier(crd_i_c_file *file, const crd_classifier *classifier, size_t *number,
                                                 crd_error *error);

#endif
