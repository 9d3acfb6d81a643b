/* SPDX-License-Identifier: MIT */
/* c_classifier.h - exports a classifier as C: its parameters as static arrays, and a function that computes log
 * posteriors of a row. */
#ifndef CRD_EXPORT_C_CLASSIFIER_H
#define CRD_EXPORT_C_CLASSIFIER_H

#include "export/export_formats.h"

/* The C file that is being written. Classifiers are numbered in the order in which they are written, so the members of
 * an ensemble precede the classifier that pools them. */
typedef struct crd_i_c_file {
    crd_i_export_writer *writer;
    const crd_classifier *top; /* the exported classifier, whose attributes are the cells of a row */
    size_t next;               /* number of the next classifier to write */
} crd_i_c_file;

/* Checks that C can express the classifier. Sets the bits in *functions of all functions of c_runtime.h that the
 * exported code calls directly. CRD_ERROR_SETTING: C cannot express it. */
CRD_MUST_USE crd_status crd_i_c_check(const crd_classifier *classifier, unsigned *functions, crd_error *error);
/* Writes the function `static void score_N(const credence_value *row, double *sums)`, which sets `sums` to normalized
 * log posteriors. Sets *number to N. */
CRD_MUST_USE crd_status crd_i_c_write_classifier(crd_i_c_file *file, const crd_classifier *classifier, size_t *number,
                                                 crd_error *error);

#endif
