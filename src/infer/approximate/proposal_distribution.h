/* SPDX-License-Identifier: MIT */
/* proposal_distribution.h - weighted draws from a distribution close to a posterior.
 *
 * The proposal is a mixture of several samplers (importance_sampler.h). Two are guided by belief propagation: one
 * draws each variable next to a neighbor drawn before, the other draws parents before children. The third is
 * likelihood weighting, which does not use the messages. If loops mislead the propagation, its samplers miss states
 * that the third one finds. The weight of a draw is computed from the whole mixture, regardless of the sampler that
 * made it (Veach and Guibas 1995; Owen and Zhou 2000). So no weight is much larger than the smallest weight that any
 * of the samplers would give the draw. The mixture proportions are learned from a few pilot draws, which are not
 * used otherwise (Cappe and others 2008). */
#ifndef CRD_INFER_APPROXIMATE_PROPOSAL_DISTRIBUTION_H
#define CRD_INFER_APPROXIMATE_PROPOSAL_DISTRIBUTION_H

#include "infer/approximate/importance_sampler.h"

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
