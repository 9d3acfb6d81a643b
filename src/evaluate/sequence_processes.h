/* SPDX-License-Identifier: MIT */
/* sequence_processes.h - sequences that several processes have, each of which tests some of their folds. */
#ifndef CRD_EVALUATE_SEQUENCE_PROCESSES_H
#define CRD_EVALUATE_SEQUENCE_PROCESSES_H

#include "base/collective.h"

#include <credence/hmm_answers.h>

/* Folds to be tested, each by a model of the sequences of all others. */
typedef struct crd_i_fold_tests {
    void *user;
    uint32_t first, end;
    /* Adds the sequences of a fold to the evaluation of all. Of several processes all do, together. */
    crd_status (*test)(void *user, uint32_t fold, crd_error *error);
    /* The bytes of an evaluation of this fold alone, which the caller frees. */
    crd_status (*test_apart)(void *user, uint32_t fold, unsigned char **bytes, size_t *length, crd_error *error);
    /* Adds such bytes to the evaluation of all. */
    crd_status (*merge)(void *user, const unsigned char *bytes, size_t length, crd_error *error);
} crd_i_fold_tests;

/* Tests all folds. is_shared: every process of the group has all sequences; they divide the folds, and each has the evaluation of all then, whose folds
 * are in their order. */
CRD_MUST_USE crd_status crd_i_test_folds(crd_context *context, bool is_shared, const crd_i_fold_tests *tests,
                                         crd_error *error);

/* Merges an evaluation that came as bytes. */
CRD_MUST_USE crd_status crd_i_sequence_evaluation_merge_bytes(crd_sequence_evaluation *evaluation,
                                                              const unsigned char *bytes, size_t length,
                                                              crd_error *error);

#endif
