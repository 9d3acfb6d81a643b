/* SPDX-License-Identifier: MIT */
/* credence/sample.h - new rows, drawn from a model: a class, then each attribute under it.
 *
 * Random numbers are counted, not followed: each cell is a function of the seed, the row's number and the column. So
 * any order, any batches and any number of threads draw the same rows, and giving a column leaves the draws of the
 * others' random numbers as they were. */
#ifndef CREDENCE_SAMPLE_H
#define CREDENCE_SAMPLE_H

#include <credence/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model under settings with some columns fixed; immutable and shared by threads. */
typedef struct crd_sampler crd_sampler;

/* settings NULL: the model's own. `given` has a value for each column of the model (kind NONE: to be drawn), or is
 * NULL. Where attributes are given, the class is drawn from P(class | given). CRD_ERROR_COLUMN for a category never
 * seen; CRD_ERROR_EMPTY where what is given has probability zero under every class. */
CRD_API CRD_MUST_USE crd_status crd_sampler_create(const crd_model *model, const crd_settings *settings,
                                                   const crd_value *given, uint64_t seed, crd_sampler **out,
                                                   crd_error *error);
CRD_API void crd_sampler_destroy(crd_sampler *sampler);

/* The model's columns, in their order, the target among them. */
CRD_API size_t crd_sampler_column_count(const crd_sampler *sampler);
CRD_API crd_text crd_sampler_column_name(const crd_sampler *sampler, size_t column);
CRD_API crd_kind crd_sampler_column_kind(const crd_sampler *sampler, size_t column);
CRD_API size_t crd_sampler_target(const crd_sampler *sampler);

/* Row number `row`, from 0: `values` has room for each column. Texts live as long as the sampler. A column of which no
 * cell was ever seen is missing. A cell of a column of texts that is drawn has the kind TEXT and no bytes: its text is
 * that of crd_sampler_text. */
CRD_API void crd_sampler_draw(const crd_sampler *sampler, uint64_t row, crd_value *values);
/* Whether drawing is to stop (crd_call_options), for the loop over rows: one draw is too short to look.
 * CRD_ERROR_CANCELLED, CRD_ERROR_DEADLINE. */
CRD_API CRD_MUST_USE crd_status crd_sampler_check(const crd_sampler *sampler, crd_error *error);

/* The text of a row in a column of texts: words with blanks between them, as many as a text of the class has, each drawn
 * from the words of the class. It ends with a NUL that `length` does not count, and is freed with crd_free of the
 * model's context. */
CRD_API CRD_MUST_USE crd_status crd_sampler_text(const crd_sampler *sampler, uint64_t row, size_t column, char **text,
                                                 size_t *length, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
