/* SPDX-License-Identifier: MIT */
/* proposal_distribution.h - draws from near a posterior, with their weights.
 *
 * Several ways to draw (importance_sampler.h) share the draws: one beside the other through the graph, and parents before children,
 * both as belief propagation guides them; and likelihood weighting, which knows nothing of it. Where propagation is
 * misled, as it may be by loops, it leaves states out that others find. A draw's weight is that of the mixture of all
 * ways, whichever made it (Veach and Guibas 1995; Owen and Zhou 2000), so that no weight is much greater than the least
 * that one of the ways would give it. How many draws each way gets is learned from a few, which are used for nothing
 * else (Cappe and others 2008). */
#ifndef CRD_INFER_APPROXIMATE_PROPOSAL_DISTRIBUTION_H
#define CRD_INFER_APPROXIMATE_PROPOSAL_DISTRIBUTION_H

#include "infer/approximate/importance_sampler.h"

enum { CRD_I_WAYS = 3 };

typedef struct crd_i_proposal {
    const crd_i_reduced *reduced;
    crd_i_importance_sampler *ways[CRD_I_WAYS];
    double parts[CRD_I_WAYS]; /* of the draws */
    crd_i_scaled_probability
        scales[CRD_I_WAYS]; /* what the weights of a way are to be multiplied with, beside the first's */
    double log_scale;       /* of the first way */
} crd_i_proposal;

/* For so many draws. */
CRD_MUST_USE crd_status crd_i_proposal_create(const crd_i_reduced *reduced, uint64_t seed, uint64_t draws,
                                              crd_i_proposal **out, crd_error *error);
void crd_i_proposal_destroy(crd_i_proposal *proposal);

/* A state of every variable, and the weight it has as a draw, beside exp(log_scale). */
typedef struct crd_i_draw {
    uint32_t *states;                /* by variable, counted among those that are left */
    size_t *cells[CRD_I_WAYS];       /* by factor: of its table in that way; those of the first are always kept up */
    double *room;                    /* for the states of a variable */
    crd_i_scaled_probability weight; /* 0: impossible */
} crd_i_draw;

CRD_MUST_USE bool crd_i_draw_open(const crd_i_reduced *reduced, crd_i_draw *draw);
void crd_i_draw_close(const crd_i_reduced *reduced, crd_i_draw *draw);

/* Draws. False: it came to a state that cannot go on, and the weight is 0. */
bool crd_i_proposal_draw(const crd_i_proposal *proposal, crd_i_random *random, crd_i_draw *draw);
/* Fills in the weight with which the states that a draw has by now would have been drawn; false: never. */
bool crd_i_proposal_weigh(const crd_i_proposal *proposal, crd_i_draw *draw);

/* How probable each state of a variable is, up to a common factor, where all others are as drawn. Returns the sum. */
double crd_i_proposal_conditional(const crd_i_proposal *proposal, const crd_i_draw *draw, uint32_t variable,
                                  double *out);
/* Changes the state of a variable; the weight stays as it was. */
void crd_i_proposal_set(const crd_i_proposal *proposal, crd_i_draw *draw, uint32_t variable, uint32_t state);

/* Streams of random numbers: those of draws are their numbers, others begin here. */
#define CRD_I_STREAM_TRIALS ((uint64_t)1 << 62)
#define CRD_I_STREAM_CHAINS ((uint64_t)2 << 62)

#endif
