/* SPDX-License-Identifier: MIT */
/* term_density.h - densities of texts, derived, read and explained: see term_math.h. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_DENSITY_H
#define CRD_DENSITY_UNIVARIATE_TERM_DENSITY_H

#include "density/univariate/term_math.h"

/* Room for so many numbers in density->own, where it has none. */
CRD_MUST_USE crd_status crd_i_term_density_room(crd_i_term_density *density, size_t count, crd_error *error);
/* Adds a term to what a document is as a whole, without repeats; and what that adds to the corrections of its terms, all
 * scaled. */
void crd_i_term_density_gather(crd_i_document_terms *document, uint32_t times, double tf, double constant);
void crd_i_term_density_conclude(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);

/* The parts of crd_i_family that families of texts share. */
crd_status crd_i_term_density_derive(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                     const crd_settings *settings, crd_i_density **out, crd_error *error);
void crd_i_term_density_destroy(crd_i_density *density);
void crd_i_term_density_add(const crd_i_density *density, const crd_i_cells *cells, double *sums);
void crd_i_term_density_add_block(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
void crd_i_term_density_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term);
bool crd_i_term_density_estimates(const crd_i_density *density, const crd_i_tallied *attribute,
                                  const crd_settings *settings, bool is_first, crd_i_estimates *estimates);
bool crd_i_term_density_list(const crd_i_density *density, crd_i_parameter_list *parameter);
/* The numbers of a pass over all terms, from which derive needs no pass: none where it needs none anyway. */
crd_status crd_i_term_density_fit(const crd_i_term_math *math, crd_context *context, const crd_i_tallied *attribute,
                                  const crd_settings *settings, double **numbers, size_t *count, crd_error *error);

/* Defines a family of texts by its `math`, which stands before it. */
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

/* Reads the text of each row: logs[row * conditions + condition] = log P(text | condition), all 0 where it is missing,
 * and unseen[row] += the number of its distinct terms that no text of training had. Any thread. */
CRD_MUST_USE crd_status crd_i_term_density_read(const crd_i_density *density, const crd_i_cells *cells, double *logs,
                                                crd_i_terms_read *counts, crd_error *error);

/* Without one text: see term_leave_one_out.c. */
crd_status crd_i_term_rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                                  size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error);
void crd_i_term_rest_destroy(crd_i_rest *remainder);
crd_status crd_i_term_rest_add(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells,
                               const int32_t *conditions, double *sums, uint32_t *unseen, crd_error *error);

/* One term of a document, as it is read. */
typedef struct crd_i_term_part {
    crd_text term;
    uint32_t times;
    bool is_known, counts; /* some text of training had it; the selection has it */
    const double
        *values; /* of each condition, what it adds to log P(text | condition); all 0 where it does not count */
} crd_i_term_part;

/* Calls `take` for each distinct term in the order of its first occurrence, until it returns false (out of memory); then
 * rest[condition] is what is left of log P(text | condition). */
CRD_MUST_USE crd_status crd_i_term_density_explain(const crd_i_density *density, crd_text text, bool is_bag,
                                                   bool (*take)(void *user, const crd_i_term_part *part), void *user,
                                                   double *remainder, crd_error *error);
/* One term alone: as part of a text that has it once. Its values are written to `values`, and where they are
 * probabilities P(term | condition) to `probabilities`, else NaN. Either may be NULL. */
CRD_MUST_USE crd_status crd_i_term_density_value(const crd_i_density *density, crd_text term, double *values,
                                                 double *probabilities, bool *is_known, bool *counts, crd_error *error);

/* Puts weights, which become its own, into a density of texts. */
void crd_i_term_density_set_weights(crd_i_density *density, crd_i_term_weights *weights);

#endif
