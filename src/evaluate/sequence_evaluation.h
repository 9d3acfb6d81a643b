/* SPDX-License-Identifier: MIT */
/* sequence_evaluation.h - cross-validation of sequences by several processes: each process tests some folds. */
#ifndef CRD_EVALUATE_SEQUENCE_EVALUATION_H
#define CRD_EVALUATE_SEQUENCE_EVALUATION_H

#include "base/collective.h"

#include <credence/hmm_answers.h>

/* Folds to test, each with a model of the sequences of all other folds. */
typedef struct crd_i_fold_tests {
    void *user;
    uint32_t first, end;
    /* Tests a fold and adds its sequences to the common evaluation. Called by all processes together. */
    crd_status (*test)(void *user, uint32_t fold, crd_error *error);
    /* Tests a fold in this process and encodes its evaluation. The caller frees the bytes. */
    crd_status (*test_apart)(void *user, uint32_t fold, unsigned char **bytes, size_t *length, crd_error *error);
    /* Adds encoded bytes to the common evaluation. */
    crd_status (*merge)(void *user, const unsigned char *bytes, size_t length, crd_error *error);
} crd_i_fold_tests;

/* Tests all folds. is_shared: every process of the group has all sequences, and the folds are divided among them.
 * Afterwards every process has the common evaluation, with the folds in ascending order. */
CRD_MUST_USE crd_status crd_i_test_folds(crd_context *context, bool is_shared, const crd_i_fold_tests *tests,
                                         crd_error *error);

#endif
