/* SPDX-License-Identifier: MIT */
/* posteriors.h - the results of many rows. */
#ifndef CRD_CLASSIFY_POSTERIORS_H
#define CRD_CLASSIFY_POSTERIORS_H

#include "classify/classifier_internal.h"
#include "model/frame_binding.h"

struct crd_posteriors {
    crd_context *context;
    crd_i_binding binding;
    size_t rows, classes;
    double *logs, *probabilities; /* rows x classes */
    double *found_logs, *result;  /* values before calibration, if there is one */
    bool is_calibrated;
    crd_answer *answers;
    size_t logs_capacity, probabilities_capacity, found_logs_capacity, found_capacity, answers_capacity;
    void *memory; /* memory of the current block of rows */
    size_t room_size;
};

/* Allocates room for `rows` rows and `classes` classes. posteriors->rows stays the number of valid rows. Returns false
 * if memory runs out. */
CRD_MUST_USE bool crd_i_posteriors_open(crd_posteriors *posteriors, size_t rows, size_t classes);

/* Also allocates room for the values before calibration. */
CRD_MUST_USE bool crd_i_posteriors_open_found(crd_posteriors *posteriors, size_t rows);

/* Rejects a column whose type differs from the attribute's, unless it has no values. */
CRD_MUST_USE crd_status crd_i_attribute_check_kind(const crd_i_attribute *attribute, const crd_i_column *column,
                                                   size_t rows, crd_error *error);

/* Destinations of the results. Row r of the frame is stored at index r of each array; NULL arrays are skipped. */
typedef struct crd_i_answers_into {
    double *log_posteriors, *probabilities; /* rows x classes */
    double *found_logs, *result;            /* values before calibration */
    crd_answer *answers;
    int32_t *decisions;
} crd_i_answers_into;

/* Prepares for the rows of a frame: finds its columns and checks their types. */
CRD_MUST_USE crd_status crd_i_posteriors_bind(crd_posteriors *posteriors, const crd_classifier *classifier,
                                              const crd_frame *frame, crd_error *error);
/* Classifies rows [first .. end) of the bound frame. On failure, *failed is the row, and all rows before it are
 * done. */
CRD_MUST_USE crd_status crd_i_posteriors_answer(crd_posteriors *posteriors, const crd_classifier *classifier,
                                                const crd_frame *frame, size_t first, size_t end,
                                                const crd_i_answers_into *into, size_t *failed, crd_error *error);

#endif
