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

/* The number mantissa * 2^exponent. The mantissa is near 1, or it is 0. */
typedef struct crd_i_scaled_probability {
    double mantissa;
    int64_t exponent;
} crd_i_scaled_probability;

/* Draws an index in proportion to `weights`, which add up to `sum` > 0. */
uint32_t crd_i_importance_sampler_pick(crd_i_random *random, const double *weights, uint32_t count, double sum);

/* Number of factors that are multiplied before the product is checked for underflow. Table entries are rarely
 * outside 1e-60 to 1e60. */
enum { CRD_I_UNWATCHED = 4 };

/* ---- weighted draws from a distribution close to a posterior.
 *
 * The proposal is a mixture of several samplers (importance_sampler.h). Two are guided by belief propagation: one
 * draws each variable next to a neighbor drawn before, the other draws parents before children. The third is
 * likelihood weighting, which does not use the messages. If loops mislead the propagation, its samplers miss states
 * that the third one finds. The weight of a draw is computed from the whole mixture, regardless of the sampler that
 * made it (Veach and Guibas 1995; Owen and Zhou 2000). So no weight is much larger than the smallest weight that any
 * of the samplers would give the draw. The mixture proportions are learned from a few pilot draws, which are not
 * used otherwise (Cappe and others 2008). */

enum { CRD_I_WAYS = 3 };

typedef struct crd_i_proposal {
    const crd_i_reduced *reduced;
    crd_i_importance_sampler *ways[CRD_I_WAYS];
    double parts[CRD_I_WAYS]; /* mixture proportions: the share of draws of each sampler */
    crd_i_scaled_probability
        scales[CRD_I_WAYS]; /* factor that brings a sampler's weights to the scale of the first sampler */
    double log_scale;       /* log scale of the first sampler */
} crd_i_proposal;

/* Creates a proposal for `draws` draws. */
CRD_MUST_USE crd_status crd_i_proposal_create(const crd_i_reduced *reduced, uint64_t seed, uint64_t draws,
                                              crd_i_proposal **out, crd_error *error);
void crd_i_proposal_destroy(crd_i_proposal *proposal);

/* A state of every variable and the importance weight of the draw, relative to exp(log_scale). */
typedef struct crd_i_draw {
    uint32_t *states; /* by variable of the reduced network, as an index among its remaining states */
    /* by sampler and factor: entry of the factor's table; the first sampler's entries are always up to date */
    size_t *cells[CRD_I_WAYS];
    double *workspace;               /* scratch space for the states of one variable */
    crd_i_scaled_probability weight; /* 0 if the draw is impossible */
} crd_i_draw;

CRD_MUST_USE bool crd_i_draw_open(const crd_i_reduced *reduced, crd_i_draw *draw);
void crd_i_draw_close(const crd_i_reduced *reduced, crd_i_draw *draw);

/* Draws a state for every variable. Returns false, with weight 0, if it reached a state from which it cannot
 * continue. */
bool crd_i_proposal_draw(const crd_i_proposal *proposal, crd_i_random *random, crd_i_draw *draw);
/* Computes the weight that the current states of `draw` would have had as a draw. Returns false if the proposal
 * never draws them. */
bool crd_i_proposal_weigh(const crd_i_proposal *proposal, crd_i_draw *draw);

/* Computes the probability of each state of a variable given the drawn states of all others, up to a common factor.
 * Returns the sum. */
double crd_i_proposal_conditional(const crd_i_proposal *proposal, const crd_i_draw *draw, uint32_t variable,
                                  double *out);
/* Changes the state of a variable. Does not update the weight. */
void crd_i_proposal_set(const crd_i_proposal *proposal, crd_i_draw *draw, uint32_t variable, uint32_t state);

/* First random streams of pilot draws and of chains. The stream of an ordinary draw is its number. */
#define CRD_I_STREAM_TRIALS ((uint64_t)1 << 62)
#define CRD_I_STREAM_CHAINS ((uint64_t)2 << 62)

#endif
