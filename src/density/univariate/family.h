/* SPDX-License-Identifier: MIT */
/* family.h - the interface of a density family: conditional densities P(x | condition) of one attribute, derived from
 * sufficient statistics (tallies) under settings.
 *
 * The model defines the condition, for example the class. The family defines the distribution of x under it. A density
 * is derived once and is then immutable, so threads can share it.
 *
 * To add a family, write one file with one table of functions (crd_i_family), declare the table below, and add one line
 * to families.c. No other file lists families. The functions of the table are grouped: required of all families,
 * required of numeric families, required of text families, optional. Functions that follow from the log density need
 * not be written again: see section 2.
 *
 * Contents:
 *   1. Densities and families
 *   2. Default functions
 *   3. Named distributions
 *   4. Adaptive histograms */
#ifndef CRD_DENSITY_UNIVARIATE_FAMILY_H
#define CRD_DENSITY_UNIVARIATE_FAMILY_H

#include "base/arena.h"
#include "base/parameter_list.h"
#include "math/distribution_internal.h"
#include "math/random.h"
#include "math/simd/simd_columns.h"
#include "settings/settings_internal.h"
#include "stats/grid.h"
#include "stats/tally.h"

#include <credence/classifier.h>

/* ======== 1. Densities and families ======== */

typedef struct crd_i_family crd_i_family;

/* The common part of a density. It is the first member of each family's own struct. */
typedef struct crd_i_density {
    crd_i_arena *arena; /* contains the density */
    const crd_i_family *family;
    crd_context *context;
    size_t conditions;
    bool is_silent;    /* it has no information about the conditions, so it is ignored */
    bool is_score;     /* the added values are scores, not log densities, so sums with them are not a log evidence */
    bool has_no_prior; /* if no other attribute counts, its scores are compared without a class prior */
} crd_i_density;

enum { CRD_I_MOST_READS = 4 };

/* One attribute, with the statistics that its family reads. */
typedef struct crd_i_tallied {
    const crd_i_tally *tally; /* the statistics of type reads[0] */
    crd_i_view view;
    const crd_i_tally *more[CRD_I_MOST_READS - 1]; /* the statistics of types reads[1], reads[2], ... */
    const double *fitted; /* the result of an earlier call of `fit`; NULL: not available, so it is computed again */
    size_t fitted_count;
} crd_i_tallied;

/* The number of values outside the support of a family. It is 0 if the family fits the column. */
typedef struct crd_i_misfit {
    double cells;
    const char *description; /* completes "2 of its cells are ...", for example "below zero" */
} crd_i_misfit;
/* Writes a text such as "2 of its cells are below zero" to `buffer`, truncated to `size` bytes. */
void crd_i_misfit_text(const crd_i_misfit *misfit, char *buffer, size_t size);

/* The number of estimated parameters, by name. A family adds to the entries that it names. Initialize it with zeros and
 * set the context. */
typedef struct crd_i_estimates {
    crd_context *context;
    crd_estimate *entries;
    size_t count, capacity;
} crd_i_estimates;
/* Adds `count` to the entry called `description`, which is not copied. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_estimates_add(crd_i_estimates *estimates, const char *description, uint64_t count);
void crd_i_estimates_clear(crd_i_estimates *estimates);

/* Leave-one-out densities of all attributes of one family. For each training row, they give the densities that the
 * model would have if it had been trained without this row. This is the first member of each family's own struct. */
typedef struct crd_i_rest {
    crd_i_arena *arena; /* may contain the struct and its arrays */
    const crd_i_family *family;
    crd_context *context;
} crd_i_rest;

/* A block of rows. The sums of a condition are contiguous, as simd_columns.h requires: sums[condition * stride + row].
 */
typedef struct crd_i_block {
    const crd_i_simd_columns *lanes;
    size_t rows, stride;
    bool some_missing; /* some of the current numbers may be missing; false: all are present */
    double *sums;
    double *row_sums; /* scratch space for the conditions of one row */
} crd_i_block;

struct crd_i_family {
    const char *name;
    const char *summary; /* one line of text for help and listings */
    /* The types of statistics that the family is derived from, followed by NULL. The column type of reads[0] is the
     * column type of the family's attributes. */
    const crd_i_tally_type *reads[CRD_I_MOST_READS + 1];
    bool is_discrete; /* x is an integer and has a probability, not a density */

    /* ---- Required of all families ---- */

    /* Derives the density of an attribute. In the density, conditions and values are numbered by their position in the
     * view. `shared` is the result of `share`. */
    crd_status (*derive)(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                         const void *shared, crd_i_density **out, crd_error *error);
    /* Adds log P(x | condition) to sums[row * conditions + condition] for the value x of each row, if it is present.
     * There is exactly one addition per sum, so a batch of rows gives the same bits as its rows one by one. */
    void (*add)(const crd_i_density *density, const crd_i_cells *cells, double *sums);
    /* Describes the term of one value, which must be present. Its log_value equals the number that `add` adds. */
    void (*term)(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term);
    /* Adds the number of parameters estimated for one attribute. `is_first`: it is the first attribute of this family.
     * Returns false if memory runs out. */
    bool (*estimates)(const crd_i_density *density, const crd_i_tallied *attribute, const crd_settings *settings,
                      bool is_first, crd_i_estimates *estimates);

    /* Adds all parameters that the log densities are computed from, in the layout of docs/export.md. The conditions are
     * the rows or the last dimension. Returns false if memory runs out. */
    bool (*list_parameters)(const crd_i_density *density, crd_i_parameter_list *parameter);

    /* Writes component `index` of a density that is a sum of components. Returns false if there is no such component.
     * NULL: the family has no components. */
    bool (*component)(const crd_i_density *density, size_t condition, size_t index, crd_density_component *out);

    /* Creates the leave-one-out densities of `count` attributes. The attributes, and everything that they point to,
     * must outlive the result. Only one thread at a time may use it. */
    crd_status (*rest_create)(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                              size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error);
    void (*rest_destroy)(crd_i_rest *remainder);
    /* Like `add`, but the densities of each value exclude its own row, which was counted under conditions[row]. The
     * result is bit-identical to `derive` and `add` after removing the row from the statistics. A category that occurs
     * in no other row increments unseen[row] instead. Rows with a negative condition are skipped. Returns
     * CRD_ERROR_NOT_LEARNED if the value cannot have been counted under its row's condition. */
    crd_status (*rest_add)(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells, const int32_t *conditions,
                           double *sums, uint32_t *unseen, crd_error *error);

    /* Frees the density. NULL: all its memory is in its arena. */
    void (*destroy)(crd_i_density *density);

    /* ---- Required of numeric families; NULL in the others ---- */

    /* Moments, distribution function and quantiles under a condition. `below` returns P(X <= x). `quantile` returns the
     * finite x with P(X <= x) = p, for 0 < p < 1. */
    void (*moments)(const crd_i_density *density, size_t condition, double *mean, double *deviation);
    double (*below)(const crd_i_density *density, size_t condition, double x);
    double (*quantile)(const crd_i_density *density, size_t condition, double p);
    /* Returns a finite random number from the distribution. It uses at most a few random numbers. */
    double (*draw)(const crd_i_density *density, size_t condition, crd_i_random *random);
    /* Writes the parameters of the density, at most CRD_TERM_PARAMETERS. Returns their number. */
    size_t (*parameters)(const crd_i_density *density, size_t condition, crd_term_parameter *out);
    /* Returns the log density at x, the value that `add` adds; -INFINITY if x is impossible. */
    double (*log_density)(const crd_i_density *density, size_t condition, double x);

    /* ---- Required of text families; NULL in the others ---- */

    /* Computes the numbers that need a pass over all terms, so that `derive` can read them from the attribute. *count
     * is 0 if the family needs no pass. The numbers depend only on the text settings. The caller frees them with
     * crd_free. */
    crd_status (*fit)(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                      double **numbers, size_t *count, crd_error *error);
    /* Evaluates texts for `add` and `term`, which read the result from cells->text_logs. Sets logs[row * conditions +
     * condition] to log P(text | condition), or to 0 if the text is missing. Adds the numbers of known and unseen terms
     * to counts[row]. Any thread may call it. */
    crd_status (*read)(const crd_i_density *density, const crd_i_cells *cells, double *logs, crd_i_terms_read *counts,
                       crd_error *error);

    /* ---- Optional; NULL if a family does not have it ---- */

    /* The names of the parameters estimated for each condition, for crd_i_generic_estimates. */
    const char *estimated[CRD_TERM_PARAMETERS];
    /* Counts the values outside the support of the family. NULL: the support is all numbers. */
    crd_i_misfit (*fits)(const crd_i_tallied *attribute);
    /* Returns whether x has a positive density under some condition. If not, the value is ignored, like a category that
     * was never seen. NULL: every number is covered. */
    bool (*covers)(const crd_i_density *density, double x);

    /* Does the same as `add`, with the same bits, for a block of rows. Families provide it if vectors of rows are
     * faster. The number of values is the number of rows of the block. A number is missing only if it is NaN. The
     * arrays are padded as simd_columns.h requires. */
    void (*add_block)(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
    /* Computes the state that all attributes of the family share, from the statistics of all of them. The caller frees
     * it with crd_free. */
    crd_status (*share)(crd_context *context, const crd_i_tallied *attributes, size_t count,
                        const crd_settings *settings, void **out, crd_error *error);
    /* Called for a batch of rows with each attribute in order, before rest_add. It lets attributes pool their
     * statistics without each row. `cells` is NULL if all values of the attribute are missing. */
    crd_status (*rest_pool)(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells, size_t rows,
                            const int32_t *conditions, crd_error *error);
    /* Computes the points, at most 2 and ascending, where lead + log p(x | a) equals log p(x | b). For each interval
     * between them, a_ahead is whether a is ahead. If the two are equal everywhere, the result is 0 and a is ahead.
     * Returns the number of points. */
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
extern const crd_i_family crd_i_family_term_bernoulli; /* the family called "bernoulli" for text columns */
extern const crd_i_family crd_i_family_complement;
extern const crd_i_family crd_i_family_dirichlet_multinomial;
/* A placeholder, which is not in the table of families. In settings it means that the family is selected by
 * cross-validation. Its `reads` lists the statistics that all candidates read. */
extern const crd_i_family crd_i_family_auto;

/* Returns the table of all families and sets *count to their number. */
const crd_i_family *const *crd_i_family_table(size_t *count);
/* Returns the default family of a column type; NULL if the type has no family. */
const crd_i_family *crd_i_family_for(crd_column_type type);
/* Returns the family of that name, which may be crd_i_family_auto; NULL if there is none. Families of different column
 * types can have the same name: the first one is returned. */
const crd_i_family *crd_i_family_named(crd_text name);
/* Returns the family with the same name for column type `type`; NULL if there is none. */
const crd_i_family *crd_i_family_of_type(const crd_i_family *family, crd_column_type type);
/* Writes the public description of a family. For NULL, returns false and writes a name of NULL. */
bool crd_i_family_describe(const crd_i_family *family, crd_family *out);
crd_column_type crd_i_family_column_type(const crd_i_family *family);

/* Creates a density in an arena of its own: a zeroed struct of `size` bytes that begins with crd_i_density, followed by
 * `each` bytes per condition. Sets its family and its conditions. Returns NULL if memory runs out. */
void *crd_i_density_create(crd_context *context, const crd_i_family *family, size_t conditions, size_t size,
                           size_t each);
void crd_i_density_destroy(crd_i_density *density); /* NULL is fine */
/* Calls the family's add_block, or crd_i_density_add_rows if the family has none. */
void crd_i_density_add_block(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
/* Adds a block by calling the family's `add` row by row. */
void crd_i_density_add_rows(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block);
/* Returns whether x has a positive density under some condition. */
bool crd_i_density_covers(const crd_i_density *density, double x);
void crd_i_rest_destroy(crd_i_rest *remainder); /* NULL is fine */

/* Returns log(a / b) for a >= 0 and b > 0. The result is -INFINITY only if a = 0, however small the ratio is. */
double crd_i_log_ratio(double a, double b);

/* ======== 2. Default functions ========
 *
 * Default functions for numeric families need only the log density, the distribution function and its inverse. A family
 * puts CRD_I_GENERIC into its table and then provides log_density, parameters, estimated, below, quantile and moments. */

#define CRD_I_GENERIC                                                                                                  \
    .add = crd_i_generic_add, .term = crd_i_generic_term, .estimates = crd_i_generic_estimates,                        \
    .draw = crd_i_generic_draw, .rest_create = crd_i_generic_rest_create, .rest_destroy = crd_i_generic_rest_destroy,  \
    .rest_add = crd_i_generic_rest_add

/* The functions of crd_i_family; see there. */
void crd_i_generic_add(const crd_i_density *density, const crd_i_cells *cells, double *sums);
void crd_i_generic_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term);
bool crd_i_generic_estimates(const crd_i_density *density, const crd_i_tallied *attribute, const crd_settings *settings,
                             bool is_first, crd_i_estimates *estimates);
/* Lists the values that `parameters` returns for each condition. */
bool crd_i_generic_list_parameters(const crd_i_density *density, crd_i_parameter_list *parameter);
/* Returns the quantile of a uniform random number (inversion method). */
double crd_i_generic_draw(const crd_i_density *density, size_t condition, crd_i_random *random);

/* Leave-one-out densities for any family. A row is removed from a copy of its attribute's statistics, and the density
 * is derived again. Results are cached.
 *
 * The family must meet three conditions. All statistics that it reads support removal (otherwise the result is
 * CRD_ERROR_CANNOT_FORGET). Its attributes share no state. A condition without rows does not affect the other
 * conditions. */
CRD_MUST_USE crd_status crd_i_generic_rest_create(const crd_i_family *family, crd_context *context,
                                                  const crd_i_tallied *attributes, size_t count,
                                                  const crd_settings *settings, crd_i_rest **out, crd_error *error);
void crd_i_generic_rest_destroy(crd_i_rest *remainder);
CRD_MUST_USE crd_status crd_i_generic_rest_add(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells,
                                               const int32_t *conditions, double *sums, uint32_t *unseen,
                                               crd_error *error);

/* ======== 3. Named distributions ========
 *
 * The density of these families is a standard distribution under each condition
 * (math/distribution_internal.h). Such a family derives the parameters and takes all other functions from
 * here: it puts CRD_I_NAMED into its table. */

typedef struct crd_i_named {
    crd_i_density base;
    crd_distribution each[]; /* one per condition; the family fills in the parameters */
} crd_i_named;

/* Creates a density of distributions of one type, without parameters. Returns NULL if memory runs out. */
crd_i_named *crd_i_named_create(crd_context *context, const crd_i_family *family, size_t conditions,
                                const crd_i_distribution_type *type);

#define CRD_I_NAMED                                                                                                    \
    .log_density = crd_i_named_log_density, .parameters = crd_i_named_parameters, .moments = crd_i_named_moments,      \
    .below = crd_i_named_below, .quantile = crd_i_named_quantile, .covers = crd_i_named_covers,                        \
    .list_parameters = crd_i_generic_list_parameters, CRD_I_GENERIC

/* The functions of crd_i_family; see there. */
double crd_i_named_log_density(const crd_i_density *density, size_t condition, double x);
size_t crd_i_named_parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out);
void crd_i_named_moments(const crd_i_density *density, size_t condition, double *mean, double *deviation);
double crd_i_named_below(const crd_i_density *density, size_t condition, double x);
double crd_i_named_quantile(const crd_i_density *density, size_t condition, double p);
bool crd_i_named_covers(const crd_i_density *density, double x);

/* Computes the mean of each condition, followed by the overall mean: means[0 .. conditions]. With smoothing m:M, the
 * mean of a condition with n rows of mean m is shrunk to (n m + M overall) / (n + M). A condition without rows has the
 * overall mean. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_means_read(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                   double *means);
/* Returns M if the setting `smoothing` is m:M; otherwise 0. */
double crd_i_pseudo_counts_rows(const crd_settings *settings);

/* ======== 4. Adaptive histograms ========
 *
 * The adaptive histogram (grid) of a numeric column is prepared for the nonparametric families histogram, kernel and
 * mixture: bins with weights, on a normalized scale.
 *
 * Numbers may have any size, up to the largest doubles. So densities are derived on the scale t = (x - center) / 2^e,
 * on which the range of the column is about 1 and nothing overflows. The log density at x is the log density at t minus
 * e log 2.
 *
 * Smoothing m:M adds M pseudo-counts to each condition. They are distributed like the rows of all conditions:
 *
 *   w_ci = n_ci + M n_i / n,
 *
 * where n_ci is the number of rows of condition c in bin i, n_i its sum over conditions, and n the number of all rows.
 * So every condition has weight wherever the column has rows. A condition without rows has the distribution of the
 * whole column, even if M = 0. */

typedef struct crd_i_spread_scale {
    double half_center, factor; /* half of the center, and 2^-e */
    double log_unit;            /* e log 2 */
} crd_i_spread_scale;

/* Convert x to t, and t to x. t is limited to a range in which its square is finite. x is limited to finite doubles. */
double crd_i_scale_to(const crd_i_spread_scale *scale, double x);
double crd_i_scale_from(const crd_i_spread_scale *scale, double t);

/* Lists half_center, factor and log_unit. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_scale_list_parameters(const crd_i_spread_scale *scale, crd_i_parameter_list *parameter);

typedef struct crd_i_spread_cells {
    crd_i_spread_scale scale;
    size_t count, conditions;
    bool is_exact;   /* each bin is a single value */
    double width;    /* width of a bin; 0 if bins are single values */
    double gap;      /* mean distance between neighboring bins; 0 if there are fewer than two */
    double total;    /* number of rows of all conditions */
    double *t;       /* value or midpoint of each bin, ascending */
    double *whole;   /* rows in each bin, over all conditions */
    double *rows;    /* [condition][bin]: the counted rows */
    double *weights; /* [condition][bin]: the rows with the M pseudo-counts */
    double *sums;    /* sum of the weights of each condition */
} crd_i_spread_cells;

/* Reads the bins of an attribute, and allocates them from `arena`. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_spread_cells_init(crd_i_spread_cells *cells, crd_context *context, crd_i_arena *arena,
                                          const crd_i_tallied *attribute, const crd_settings *settings);

/* Computes mean and standard deviation of the bins under weights whose sum is above 0. Within a bin of positive width,
 * numbers are uniformly distributed. */
void crd_i_spread_moments(const crd_i_spread_cells *cells, const double *weights, double *mean, double *deviation);
/* Returns the p-quantile of the weighted bins. Within a bin of positive width, numbers are uniformly distributed. */
double crd_i_spread_quantile(const crd_i_spread_cells *cells, const double *weights, double p);

/* A distribution function and its density. crd_i_spread_invert returns the t between low and high where the
 * distribution function equals p. It uses Newton's method, and bisects when a step leaves the bounds. */
typedef struct crd_i_spread_curve {
    double (*below)(const void *object, double t);
    double (*density)(const void *object, double t);
    const void *data;
} crd_i_spread_curve;
double crd_i_spread_invert(const crd_i_spread_curve *curve, double low, double high, double p);

/* Returns n^power for n > 0, with the same bits on every machine. */
double crd_i_spread_power(double n, double power);

#endif
