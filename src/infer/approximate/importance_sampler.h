/* SPDX-License-Identifier: MIT */
/* importance_sampler.h - one way to draw from near a posterior: one variable after the other, in some order, and the weight that makes
 * up for the difference.
 *
 * A table f of variables x1 ... xk, in the order in which they are drawn, is split into a table for each of them:
 *   g_k = f,   g_{j-1}(x1 ... x_{j-1}) = sum over xj of g_j(x1 ... xj) t(xj),   h_j = g_j / g_{j-1},
 * where t is what belief propagation lets xj tell the table of all that is elsewhere. So f = g_0 h_1 ... h_k, and h_j
 * says what f, seen ahead to its end, has to say of xj once those before are drawn. A variable is drawn in proportion
 * to the product of the h that have it last, over all its tables. With Z, what that product adds up to, a draw's weight
 *   w = product over tables of f / product over variables of (product of h / Z) = product of g_0 times product of Z.
 * Where the graph has no loops and each variable but the first is drawn beside one that was drawn before, all weights
 * are the probability of the evidence; with loops they are spread about it. It is evidence pre-propagation importance
 * sampling (Yuan and Druzdzel 2003), but conditioned on what is drawn already. With t all alike and parents first it
 * is likelihood weighting (Fung and Chang 1990), which looks ahead to evidence of children. */
#ifndef CRD_INFER_APPROXIMATE_IMPORTANCE_SAMPLER_H
#define CRD_INFER_APPROXIMATE_IMPORTANCE_SAMPLER_H

#include "infer/approximate/loopy_propagation.h"
#include "math/random.h"

/* A table of a variable. */
typedef struct crd_i_link {
    const double *table; /* whole, its variables in the order of draws; NULL where it is not kept */
    const double *ratio; /* h of the variable: NULL where it is the first, whose h are in `first` */
    size_t stride;       /* how far its states are apart in the table */
    uint32_t factor;
} crd_i_link;

typedef struct crd_i_importance_sampler {
    const crd_i_reduced *reduced;
    uint32_t *order;     /* variables as they are drawn */
    size_t *link_starts; /* by place in the order */
    size_t *place_of;    /* by variable */
    crd_i_link *links;   /* those with ratios before those without */
    double *first;       /* by state of a variable: the product of the h of tables that it is the first of */
    double *numbers;     /* of all tables */
    double log_scale;    /* log of the product of all g_0, and what else was divided out */
} crd_i_importance_sampler;

/* variables: the order. messages NULL: what is elsewhere is not known. Whole tables are kept where they are asked for.
 */
CRD_MUST_USE crd_status crd_i_importance_sampler_create(const crd_i_reduced *reduced, const crd_i_messages *messages,
                                                        const uint32_t *variables, bool keeps_tables,
                                                        crd_i_importance_sampler **out, crd_error *error);
void crd_i_importance_sampler_destroy(crd_i_importance_sampler *way);

/* A number mantissa * 2^exponent; the mantissa is near 1, or 0. */
typedef struct crd_i_scaled_probability {
    double mantissa;
    int64_t exponent;
} crd_i_scaled_probability;

/* Draws states; random NULL: goes through those that there are. Fills in cells, by factor that of its table, and the
 * weight, beside exp(log_scale). room is for the states of a variable. False: it cannot go on, as what is drawn is
 * impossible, or the states that there are are never drawn this way. */
bool crd_i_importance_sampler_go(const crd_i_importance_sampler *way, crd_i_random *random, uint32_t *states,
                                 size_t *cells, double *room, crd_i_scaled_probability *weight);

/* An index in proportion to `weights`, which add up to `sum` > 0. */
uint32_t crd_i_importance_sampler_pick(crd_i_random *random, const double *weights, uint32_t count, double sum);

/* Numbers multiplied so often are looked at, lest they underflow: those of tables are seldom beyond 1e-60 or 1e60. */
enum { CRD_I_UNWATCHED = 4 };

#endif
