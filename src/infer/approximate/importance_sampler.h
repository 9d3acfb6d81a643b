/* SPDX-License-Identifier: MIT */
/* importance_sampler.h - one proposal distribution. It draws variables one after the other in a fixed order and
 * computes the importance weight of the draw.
 *
 * A table f of variables x1 ... xk, numbered in drawing order, is split into one table per variable:
 *   g_k = f,   g_{j-1}(x1 ... x_{j-1}) = sum over xj of g_j(x1 ... xj) t(xj),   h_j = g_j / g_{j-1},
 * where t is the belief-propagation message from xj to the table, which summarizes the rest of the network. So f =
 * g_0 h_1 ... h_k, and h_j is the contribution of f to the distribution of xj given the variables drawn before, with
 * the later variables of f summed out. A variable is drawn in proportion to the product of all h_j in which it is
 * the last variable. Let Z be the sum of that product over the variable's states. The weight of a draw is
 *   w = product over tables of f / product over variables of (product of h / Z) = product of g_0 times product of Z.
 * If the graph has no loops and each variable except the first is drawn next to an already drawn neighbor, every
 * weight equals the probability of the evidence. With loops, the weights scatter around it. This is evidence
 * pre-propagation importance sampling (Yuan and Druzdzel 2003), conditioned on the variables drawn already. With
 * constant t and parents drawn first, it is likelihood weighting (Fung and Chang 1990) that looks ahead to the
 * evidence of children. */
#ifndef CRD_INFER_APPROXIMATE_IMPORTANCE_SAMPLER_H
#define CRD_INFER_APPROXIMATE_IMPORTANCE_SAMPLER_H

#include "infer/approximate/loopy_propagation.h"
#include "math/random.h"

/* A table that contains a given variable. */
typedef struct crd_i_link {
    const double *table; /* the whole table, its variables in drawing order; NULL if whole tables are not kept */
    const double *ratio; /* h of the variable; NULL if it is the table's first variable, whose h is in `first` */
    size_t stride;       /* distance of the variable's states in the table */
    uint32_t factor;
} crd_i_link;

typedef struct crd_i_importance_sampler {
    const crd_i_reduced *reduced;
    uint32_t *order;     /* variables in drawing order */
    size_t *link_starts; /* by position in the order */
    size_t *place_of;    /* by variable: its position in the order */
    crd_i_link *links;   /* links with a ratio come before links without */
    double *first;       /* by variable state: product of the h of all tables in which the variable comes first */
    double *numbers;     /* storage of all tables */
    double log_scale;    /* log of the product of all g_0 and of all factors divided out */
} crd_i_importance_sampler;

/* Creates a sampler that draws `variables` in the given order. `messages` are the belief-propagation messages; NULL
 * means constant t. If `keeps_tables` is true, the whole tables are kept as well. */
CRD_MUST_USE crd_status crd_i_importance_sampler_create(const crd_i_reduced *reduced, const crd_i_messages *messages,
                                                        const uint32_t *variables, bool keeps_tables,
                                                        crd_i_importance_sampler **out, crd_error *error);
void crd_i_importance_sampler_destroy(crd_i_importance_sampler *way);

/* The number mantissa * 2^exponent. The mantissa is near 1, or it is 0. */
typedef struct crd_i_scaled_probability {
    double mantissa;
    int64_t exponent;
} crd_i_scaled_probability;

/* Draws a state for every variable. If `random` is NULL, evaluates the given `states` instead. Sets `cells` to the
 * table entry of each factor, and `weight` to the weight relative to exp(log_scale). `room` is scratch space for the
 * states of one variable. Returns false if the draw reached an impossible state, or if this sampler never draws the
 * given states. */
bool crd_i_importance_sampler_go(const crd_i_importance_sampler *way, crd_i_random *random, uint32_t *states,
                                 size_t *cells, double *workspace, crd_i_scaled_probability *weight);

/* Draws an index in proportion to `weights`, which add up to `sum` > 0. */
uint32_t crd_i_importance_sampler_pick(crd_i_random *random, const double *weights, uint32_t count, double sum);

/* Number of factors that are multiplied before the product is checked for underflow. Table entries are rarely
 * outside 1e-60 to 1e60. */
enum { CRD_I_UNWATCHED = 4 };

#endif
