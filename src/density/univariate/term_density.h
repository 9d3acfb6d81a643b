/* SPDX-License-Identifier: MIT */
/* term_density.h - deriving, evaluating and explaining the densities of texts: see term_math.h. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_DENSITY_H
#define CRD_DENSITY_UNIVARIATE_TERM_DENSITY_H

#include "density/univariate/term_math.h"

/* Allocates density->values with `count` numbers, if it is NULL. */
CRD_MUST_USE crd_status crd_i_term_density_room(crd_i_term_density *density, size_t count, crd_error *error);
/* Adds a term that occurs `times` times to the summary of a document, except to its `repeats`. */
void crd_i_term_density_gather(crd_i_document_terms *document, uint32_t times, double tf, double constant);
/* Adds the baselines and the part for the whole document to `logs`, which hold the sum of the corrections of its terms.
 * Then scales the result by the setting `length`. */
void crd_i_term_density_conclude(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);

/* The functions of crd_i_family that all text families share. */
crd_status crd_i_term_density_derive(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                     const crd_settings *settings, crd_i_density **out, crd_error *error);
void crd_i_term_density_destroy(crd_i_density *density);
void crd_i_term_density_add(const crd_i_density *density, const crd_i_cells *cells, double *sums);
void crd_i_term_density_add_block(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
void crd_i_term_density_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term);
bool crd_i_term_density_estimates(const crd_i_density *density, const crd_i_tallied *attribute,
                                  const crd_settings *settings, bool is_first, crd_i_estimates *estimates);
bool crd_i_term_density_list(const crd_i_density *density, crd_i_parameter_list *parameter);
/* Computes the numbers that need a pass over all terms, so `derive` needs no pass. *count is 0 if no pass is needed. */
crd_status crd_i_term_density_fit(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                  const crd_settings *settings, double **numbers, size_t *count, crd_error *error);

/* Defines a text family by its `math`, which must be defined before it in the file. */
#define CRD_I_TERM_FAMILY(variable, label, line)                                                                       \
    static crd_status derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,       \
                             const void *shared, crd_i_density **out, crd_error *error) {                              \
        (void)shared;                                                                                                  \
        return crd_i_term_density_derive(&math, context, attribute, settings, out, error);                             \
    }                                                                                                                  \
    static crd_status fit(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,          \
                          double **numbers, size_t *count, crd_error *error) {                                         \
        return crd_i_term_density_fit(&math, context, attribute, settings, numbers, count, error);                     \
    }                                                                                                                  \
    const crd_i_family variable = {.name = (label),                                                                    \
                                   .summary = (line),                                                                  \
                                   .reads = {&crd_i_terms},                                                            \
                                   .derive = derive,                                                                   \
                                   .destroy = crd_i_term_density_destroy,                                              \
                                   .add = crd_i_term_density_add,                                                      \
                                   .add_block = crd_i_term_density_add_block,                                          \
                                   .term = crd_i_term_density_term,                                                    \
                                   .estimates = crd_i_term_density_estimates,                                          \
                                   .list_parameters = crd_i_term_density_list,                                         \
                                   .rest_create = crd_i_term_rest_create,                                              \
                                   .rest_destroy = crd_i_term_rest_destroy,                                            \
                                   .rest_add = crd_i_term_rest_add,                                                    \
                                   .fit = fit,                                                                         \
                                   .read = crd_i_term_density_read};

/* Evaluates the text of each row: logs[row * conditions + condition] = log P(text | condition), all 0 if the text is
 * missing. Adds to counts[row] the number of its distinct terms that occur in no training text. Any thread may call it.
 */
CRD_MUST_USE crd_status crd_i_term_density_read(const crd_i_density *density, const crd_i_cells *cells, double *logs,
                                                crd_i_terms_read *counts, crd_error *error);

/* Leave-one-out densities: see term_leave_one_out.c. */
crd_status crd_i_term_rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                                  size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error);
void crd_i_term_rest_destroy(crd_i_rest *remainder);
crd_status crd_i_term_rest_add(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells,
                               const int32_t *conditions, double *sums, uint32_t *unseen, crd_error *error);

/* One term of a document, for explanations. */
typedef struct crd_i_term_part {
    crd_text term;
    uint32_t times;
    bool is_known, counts; /* it occurs in a training text; it is selected */
    const double *values; /* for each condition, its contribution to log P(text | condition); 0 if it is not selected */
} crd_i_term_part;

/* Calls `take` for each distinct term, in the order of first occurrence, until it returns false (out of memory). Then
 * sets remainder[condition] to the part of log P(text | condition) that is not in any term. */
CRD_MUST_USE crd_status crd_i_term_density_explain(const crd_i_density *density, crd_text text, bool is_bag,
                                                   bool (*take)(void *user, const crd_i_term_part *part), void *user,
                                                   double *remainder, crd_error *error);
/* Evaluates a single term, as part of a text that contains it once. Writes its contributions to `values`. Writes P(term
 * | condition) to `probabilities`, or NaN if the family has no such probability. Either array may be NULL. */
CRD_MUST_USE crd_status crd_i_term_density_value(const crd_i_density *density, crd_text term, double *values,
                                                 double *probabilities, bool *is_known, bool *counts, crd_error *error);

/* Replaces the values of a text density by fitted weights. The density takes ownership of `weights`. */
void crd_i_term_density_set_weights(crd_i_density *density, crd_i_term_weights *weights);

#endif
