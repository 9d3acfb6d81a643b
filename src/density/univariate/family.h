/* SPDX-License-Identifier: MIT */
/* family.h - a family of conditional densities P(x | condition), derived from tallies under settings.
 *
 * A model says what the condition is; a family says what x is like under it. Its densities are derived once and
 * immutable, so that threads share them. A family is one file with one table of functions, declared below, and one line
 * in families.c; nothing else lists families. Of the table's functions some are required of all families, some of those
 * of numbers, and the others optional; they stand in these groups. What follows from a log density alone need not be
 * written again: see generic_density.h. */
#ifndef CRD_DENSITY_UNIVARIATE_FAMILY_H
#define CRD_DENSITY_UNIVARIATE_FAMILY_H

#include "base/parameter_list.h"
#include "math/random.h"
#include "math/simd/simd_columns.h"
#include "settings/settings_internal.h"
#include "stats/tally.h"

#include <credence/classifier.h>

typedef struct crd_i_family crd_i_family;

/* Embedded first in each family's densities. */
typedef struct crd_i_density {
    const crd_i_family *family;
    crd_context *context;
    size_t conditions;
    bool is_silent;    /* says nothing of any condition, so it is left out */
    bool is_score;     /* what it adds is no logarithm of a density: sums with it are no evidence */
    bool has_no_prior; /* its scores are compared as they are, where there are no others */
} crd_i_density;

enum { CRD_I_MOST_READS = 4 };

/* One attribute of a family's, as its tallies are seen. */
typedef struct crd_i_tallied {
    const crd_i_tally *tally; /* of the first type that the family reads */
    crd_i_view view;
    const crd_i_tally *more[CRD_I_MOST_READS - 1]; /* of the others, in the family's order */
    const double *fitted;                          /* what `fit` gave before; NULL: it is computed anew */
    size_t fitted_count;
} crd_i_tallied;

/* Cells that a family cannot have given; none: it fits. */
typedef struct crd_i_misfit {
    double cells;
    const char *description; /* "below zero" */
} crd_i_misfit;
/* "2 of its cells are below zero", cut to the room. */
void crd_i_misfit_text(const crd_i_misfit *misfit, char *buffer, size_t size);

/* How many numbers were estimated, by name; a family adds to the entries that it names. Zero-initialised with its
 * context set. */
typedef struct crd_i_estimates {
    crd_context *context;
    crd_estimate *entries;
    size_t count, capacity;
} crd_i_estimates;
/* `what` is not copied. false: out of memory. */
CRD_MUST_USE bool crd_i_estimates_add(crd_i_estimates *estimates, const char *description, uint64_t count);
void crd_i_estimates_clear(crd_i_estimates *estimates);

/* The densities of all attributes of a family when one row is taken out of their tallies: for asking what a model says
 * of each of its own rows had it not learned that one. Embedded first in each family's own. */
typedef struct crd_i_rest {
    const crd_i_family *family;
    crd_context *context;
} crd_i_rest;

/* A block of rows whose sums are laid out condition by condition, as simd_columns.h has it: sums[condition * stride
 * + row]. */
typedef struct crd_i_block {
    const crd_i_simd_columns *lanes;
    size_t rows, stride;
    bool some_missing; /* of the numbers at hand; where not, all are present */
    double *sums;
    double *row_sums; /* room for the conditions of one row */
} crd_i_block;

struct crd_i_family {
    const char *name;
    const char *summary; /* one line */
    /* The tallies that it is derived from, then NULL. The first one's kind is that of the family's attributes. */
    const crd_i_tally_type *reads[CRD_I_MOST_READS + 1];
    bool is_discrete; /* of whole numbers, and their probabilities, rather than densities */

    /* ---- Required of all ---- */

    /* Conditions and values go by their place in the view here, and from here on. `shared` is what `share` made. */
    crd_status (*derive)(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                         const void *shared, crd_i_density **out, crd_error *error);
    void (*destroy)(crd_i_density *density);
    /* sums[row * conditions + condition] += log P(cell | condition) for each present cell: one addition for each, so
     * that a batch of rows gives the bits of each row alone. */
    void (*add)(const crd_i_density *density, const crd_i_cells *cells, double *sums);
    /* The term of one present cell, whose log_value is what add adds. */
    void (*term)(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term);
    /* Adds what the density of one attribute took; `is_first` of this family's. false: out of memory. */
    bool (*estimates)(const crd_i_density *density, const crd_i_tallied *attribute, const crd_settings *settings,
                      bool is_first, crd_i_estimates *estimates);

    /* Adds all that log densities are computed from, as docs/export.md has it; conditions are the rows or the last
     * dimension. false: out of memory. */
    bool (*list_parameters)(const crd_i_density *density, crd_i_parameter_list *parameter);

    /* Writes part `index` of a density that is a sum of parts; false: there is none of that number. NULL: the family has no parts. */
    bool (*component)(const crd_i_density *density, size_t condition, size_t index, crd_density_component *out);

    /* The attributes and what they point to must outlive it. One thread at a time. */
    crd_status (*rest_create)(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                              size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error);
    void (*rest_destroy)(crd_i_rest *remainder);
    /* As add, but each present cell's densities are those of the tallies from which its row, tallied under
     * conditions[row], has been taken out: to the bit what `derive` and `add` give for these. A category that no other
     * row has is counted in unseen[row] instead; rows with a negative condition are skipped. A cell that cannot have
     * been tallied under its row's condition is CRD_ERROR_NOT_LEARNED. */
    crd_status (*rest_add)(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells, const int32_t *conditions,
                           double *sums, uint32_t *unseen, crd_error *error);

    /* ---- Required of families of numbers; NULL in others ---- */

    /* The distribution under a condition, its P(X <= x), and the finite x at which that is p, 0 < p < 1. */
    void (*moments)(const crd_i_density *density, size_t condition, double *mean, double *deviation);
    double (*below)(const crd_i_density *density, size_t condition, double x);
    double (*quantile)(const crd_i_density *density, size_t condition, double p);
    /* A finite number drawn from it, by at most a few random numbers. */
    double (*draw)(const crd_i_density *density, size_t condition, crd_i_random *random);
    /* The numbers that a density is given by, at most CRD_TERM_PARAMETERS; returns how many. */
    size_t (*parameters)(const crd_i_density *density, size_t condition, crd_term_parameter *out);
    /* What is added for a number; -INFINITY where it cannot be. */
    double (*log_density)(const crd_i_density *density, size_t condition, double x);

    /* ---- Required of families of texts; NULL in others ---- */

    /* The numbers that take a pass over all terms, which `derive` takes from the attribute: none where it needs none.
     * They depend on the settings of texts alone. Freed with crd_free. */
    crd_status (*fit)(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                      double **numbers, size_t *count, crd_error *error);
    /* Texts become what `add` and `term` take, cells->text_logs: logs[row * conditions + condition] = log P(text |
     * condition), 0 where it is missing; counts[row] += its distinct terms. Any thread. */
    crd_status (*read)(const crd_i_density *density, const crd_i_cells *cells, double *logs, crd_i_terms_read *counts,
                       crd_error *error);

    /* ---- Optional: NULL where there is no such thing ---- */

    /* What it estimates of each condition, for crd_i_generic_estimates. */
    const char *estimated[CRD_TERM_PARAMETERS];
    /* How many present cells it cannot have given: they are out of its support. NULL: it takes every number. */
    crd_i_misfit (*fits)(const crd_i_tallied *attribute);
    /* Whether some condition can give x. A cell that none can is left out, as a category that was never seen is. NULL:
     * every number can be given. */
    bool (*covers)(const crd_i_density *density, double x);

    /* What `add` does to each row, to the bit, for a block of rows: where vectors of rows are faster. The cells are
     * as many as the block's rows; numbers are missing where they are NaN only, and have room behind them as
     * simd_columns.h has it. */
    void (*add_block)(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
    /* What all attributes of the family share, from all of their tallies. Freed with crd_free. */
    crd_status (*share)(crd_context *context, const crd_i_tallied *attributes, size_t count,
                        const crd_settings *settings, void **out, crd_error *error);
    /* Called for a batch of rows with each attribute in order before any of them is added, so that what attributes
     * share can be pooled without each row. cells NULL: all are missing. */
    crd_status (*rest_pool)(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells, size_t rows,
                            const int32_t *conditions, crd_error *error);
    /* The points (at most 2, ascending) where lead + log p(x | a) and log p(x | b) cross, and in each of the pieces
     * between them whether a is ahead. Equal all over: none, and a is ahead. Returns how many points. */
    size_t (*crossings)(const crd_i_density *density, size_t a, size_t b, double lead, double points[2],
                        bool a_ahead[3]);
};

extern const crd_i_family crd_i_family_categorical;
extern const crd_i_family crd_i_family_gaussian;
extern const crd_i_family crd_i_family_student;
extern const crd_i_family crd_i_family_lognormal;
extern const crd_i_family crd_i_family_exponential;
extern const crd_i_family crd_i_family_uniform;
extern const crd_i_family crd_i_family_bernoulli;
extern const crd_i_family crd_i_family_poisson;
extern const crd_i_family crd_i_family_histogram;
extern const crd_i_family crd_i_family_kernel;
extern const crd_i_family crd_i_family_mixture;
extern const crd_i_family crd_i_family_multinomial;
extern const crd_i_family crd_i_family_term_bernoulli; /* "bernoulli" of texts */
extern const crd_i_family crd_i_family_complement;
extern const crd_i_family crd_i_family_dirichlet_multinomial;
/* No family, and in no table: stands in settings for whichever is chosen by rows held out, and names the tallies that
 * those it is chosen from read. */
extern const crd_i_family crd_i_family_auto;

/* All of them. */
const crd_i_family *const *crd_i_family_table(size_t *count);
/* The family that a column of this kind has unless another is chosen; NULL for no kind. */
const crd_i_family *crd_i_family_for(crd_kind kind);
/* The family of that name, which may be crd_i_family_auto; NULL where there is none. A name may be that of several, of
 * different kinds: it is the first. */
const crd_i_family *crd_i_family_named(crd_text name);
/* The one of the same name that is of a kind; NULL where there is none. */
const crd_i_family *crd_i_family_of_kind(const crd_i_family *family, crd_kind kind);
/* The public description of a family; false, and a name of NULL, for NULL. */
bool crd_i_family_describe(const crd_i_family *family, crd_family *out);
crd_kind crd_i_family_kind(const crd_i_family *family);
/* The extra tallies that it reads. */
crd_i_extras crd_i_family_extras(const crd_i_family *family);

void crd_i_density_destroy(crd_i_density *density); /* NULL is fine */
/* As add_block, by it or, where a family has none, by `add` row after row. */
void crd_i_density_add_block(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
void crd_i_density_add_rows(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
bool crd_i_density_covers(const crd_i_density *density, double x);
void crd_i_rest_destroy(crd_i_rest *remainder); /* NULL is fine */

/* log(a / b), a >= 0 and b > 0; -INFINITY for a = 0 only, however small the ratio. */
double crd_i_log_ratio(double a, double b);

#endif
