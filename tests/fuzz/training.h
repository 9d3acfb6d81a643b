/* SPDX-License-Identifier: MIT */
/* training.h - models for fuzz targets, made by training, and what their answers must be. */
#ifndef CRD_TESTS_FUZZ_TRAINING_H
#define CRD_TESTS_FUZZ_TRAINING_H

#include "fuzz.h"

/* Tables with a class in the last column: categories, numbers, both with missing cells, one class, one row, declared
 * values that no row has, numbers at the ends of the doubles. */
extern const char *const fuzz_tables[];
enum { FUZZ_TABLES = 7 };

/* kept: further tallies; NULL: none. The first returns the status of training, the second requires success. */
crd_status fuzz_try_train(crd_context *context, const char *table, const crd_settings *settings, const char *kept,
                          crd_model **out, crd_error *error);
crd_model *fuzz_train(crd_context *context, const char *table, const crd_settings *settings, const char *kept);

/* Checks that posteriors are what the interface says: they sum to one, or all classes are at zero. */
void fuzz_check_posterior(const double *log_posterior, size_t classes, const crd_answer *answer);

#endif
