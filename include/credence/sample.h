/* SPDX-License-Identifier: MIT */
/* credence/sample.h - random rows drawn from a model: first a class, then each attribute given the class.
 *
 * Random numbers come from a counter-based generator: each value is a function of the seed, the row number and the
 * column. So any order, any batches and any number of threads draw the same rows. If you fix the value of a column, the
 * other columns still use the same random numbers. */
#ifndef CREDENCE_SAMPLE_H
#define CREDENCE_SAMPLE_H

#ifndef CRD_EXPERIMENTAL
#error "credence/sample.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model under settings with some columns fixed. It is immutable and may be shared by threads. */
typedef struct crd_sampler crd_sampler;

/* Creates a sampler in *out. `settings` may be NULL (the model's settings). `given` contains a value for each column of
 * the model, with type NONE for columns to be drawn, or is NULL. If attributes are given, the class is drawn from
 * P(class | given). Returns CRD_ERROR_COLUMN for a category that did not occur in training. Returns CRD_ERROR_EMPTY if
 * the given values have probability 0 under every class. Destroy the sampler with crd_sampler_destroy. */
CRD_API CRD_MUST_USE crd_status crd_sampler_create(const crd_model *model, const crd_settings *settings,
                                                   const crd_value *given, uint64_t seed, crd_sampler **out,
                                                   crd_error *error);
/* Frees the sampler. `sampler` may be NULL. */
CRD_API void crd_sampler_destroy(crd_sampler *sampler);

/* Returns the number of columns. They are the model's columns in their order, including the target. */
CRD_API size_t crd_sampler_column_count(const crd_sampler *sampler);
/* Returns the name of a column, which is valid as long as the sampler. */
CRD_API crd_text crd_sampler_column_name(const crd_sampler *sampler, size_t column);
/* Returns the type of a column. */
CRD_API crd_column_type crd_sampler_column_type(const crd_sampler *sampler, size_t column);
/* Returns the column index of the target. */
CRD_API size_t crd_sampler_target(const crd_sampler *sampler);

/* Draws the row with number `row`, counted from 0, into `values`, which must have space for every column. Texts are
 * valid as long as the sampler. A column without any value in training is missing. A drawn value of a text column has
 * the type TEXT and no bytes: crd_sampler_text draws its text. */
CRD_API void crd_sampler_draw(const crd_sampler *sampler, uint64_t row, crd_value *values);
/* Checks whether to stop drawing: see crd_call_options. Call it in the loop over rows, because one draw is too short to
 * check. Returns CRD_ERROR_CANCELLED or CRD_ERROR_DEADLINE if so. */
CRD_API CRD_MUST_USE crd_status crd_sampler_check(const crd_sampler *sampler, crd_error *error);

/* Draws the text of a row in a text column: words with spaces between them. The number of words is distributed as in
 * texts of the class, and each word is drawn from the words of the class. The text ends with a NUL that `length` does
 * not count. Free it with crd_free of the model's context. */
CRD_API CRD_MUST_USE crd_status crd_sampler_text(const crd_sampler *sampler, uint64_t row, size_t column, char **text,
                                                 size_t *length, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
