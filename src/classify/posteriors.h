/* SPDX-License-Identifier: MIT */
/* posteriors.h - what many rows' answers are made of. */
#ifndef CRD_CLASSIFY_POSTERIORS_H
#define CRD_CLASSIFY_POSTERIORS_H

#include "classify/classifier_internal.h"
#include "model/frame_binding.h"

struct crd_posteriors {
    crd_context *context;
    crd_i_binding binding;
    size_t rows, classes;
    double *logs, *probabilities; /* rows x classes */
    double *found_logs, *found;   /* likewise, before calibration; where there is one */
    bool is_calibrated;
    crd_answer *answers;
    size_t logs_capacity, probabilities_capacity, found_logs_capacity, found_capacity, answers_capacity;
    void *room; /* of a batch */
    size_t room_size;
};

/* Room for so many rows and classes; none are there until `rows` says so. false: out of memory. */
CRD_MUST_USE bool crd_i_posteriors_open(crd_posteriors *posteriors, size_t rows, size_t classes);

/* Room for what was found before calibration as well. */
CRD_MUST_USE bool crd_i_posteriors_open_found(crd_posteriors *posteriors, size_t rows);

/* A column whose kind is not the attribute's is refused, unless it has no cells. */
CRD_MUST_USE crd_status crd_i_attribute_check_kind(const crd_i_attribute *attribute, const crd_i_column *column,
                                                   size_t rows, crd_error *error);

/* Where the answers of a frame's rows go: row r of the frame at place r of each array; NULL: not asked for. */
typedef struct crd_i_answers_into {
    double *log_posteriors, *probabilities; /* rows x classes */
    double *found_logs, *found;             /* likewise, before calibration */
    crd_answer *answers;
    int32_t *decisions;
} crd_i_answers_into;

/* Makes the object ready for rows of the frame: its columns are found, and their kinds are checked. */
CRD_MUST_USE crd_status crd_i_posteriors_bind(crd_posteriors *posteriors, const crd_classifier *classifier,
                                              const crd_frame *frame, crd_error *error);
/* Answers rows [from .. end) of that frame. On failure *failed is the row, and those before it are answered. */
CRD_MUST_USE crd_status crd_i_posteriors_answer(crd_posteriors *posteriors, const crd_classifier *classifier,
                                                const crd_frame *frame, size_t from, size_t end,
                                                const crd_i_answers_into *into, size_t *failed, crd_error *error);

#endif
