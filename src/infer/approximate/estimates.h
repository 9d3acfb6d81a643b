/* SPDX-License-Identifier: MIT */
/* estimates.h - what the methods that draw share: what is asked of a draw, sums of weights, and threads.
 *
 * Draws come in pieces of fixed size, each with random numbers of its own, and pieces are added up in their order,
 * whichever thread made them: so the number of threads changes no bit. */
#ifndef CRD_INFER_APPROXIMATE_ESTIMATES_H
#define CRD_INFER_APPROXIMATE_ESTIMATES_H

#include "infer/approximate/proposal_distribution.h"

/* How many draws are meant. Where that is not said, they are enough for standard errors between 0.001 and 0.002 of
 * chances near one half. */
uint64_t crd_i_draw_count(const crd_inference_options *options);

/* ---- What is asked ---- */

/* Variables whose states are asked together. A cell is a combination of their states, those of the last fastest. */
typedef struct crd_i_target {
    size_t begin, end;  /* among the aim's variables; never empty */
    size_t cell, cells; /* among the aim's cells */
} crd_i_target;

typedef struct crd_i_aim {
    const crd_i_evidence_query *question;
    const crd_i_reduced *reduced;
    const crd_i_target *targets;
    size_t target_count;
    const uint32_t *variables;
    size_t cells;
    double *estimates, *errors; /* by cell: what the methods fill in */
} crd_i_aim;

/* What a draw says of a target, in `out` with room for the widest variable: `count` probabilities from cell `first` on,
 * all others being 0. The last variable is averaged over its states, all other variables being as drawn, which has the
 * same mean as the state that was drawn, but spreads less (Blackwell 1947). */
void crd_i_aim_look(const crd_i_aim *aim, const crd_i_target *target, const crd_i_proposal *proposal,
                    const crd_i_draw *draw, double *out, size_t *first, size_t *count);

/* Fill in estimates and errors, and what is said of them. */
CRD_MUST_USE crd_status crd_i_weighting(const crd_i_aim *aim, const crd_i_proposal *proposal,
                                        crd_inference_result *asked, crd_error *error);
CRD_MUST_USE crd_status crd_i_gibbs(const crd_i_aim *aim, const crd_i_proposal *proposal, crd_inference_result *asked,
                                    crd_error *error);

/* ---- Sums of weights ---- */

/* Of weights and their squares, and the largest, in units of 2^exponent and of its square, so that none underflows. */
typedef struct crd_i_weights {
    double draws, sum, squares, largest;
    int64_t exponent;
} crd_i_weights;

/* Adds a draw, whose weight in the new unit is left in *weight. Returns what all that was added before, in the old
 * unit, has to be multiplied with: a power of two, mostly 1. */
double crd_i_weights_add(crd_i_weights *weights, const crd_i_draw *draw, double *weight);
/* Adds what others have; the factors are what their sums and ours have to be multiplied with. */
void crd_i_weights_merge(crd_i_weights *weights, const crd_i_weights *others, double *ours, double *theirs);
/* How many draws of equal weights would be as good. */
double crd_i_weights_effective(const crd_i_weights *weights);
/* The same, but no more than the largest weight lets stand: a draw like that one may be what was missed. */
double crd_i_weights_surely(const crd_i_weights *weights);
/* The log evidence that they estimate, and its error. */
void crd_i_weights_evidence(const crd_i_weights *weights, const crd_i_proposal *proposal, crd_inference_result *asked);

/* The error that is stated for an estimate of some variance, which `effective` draws have shown. It is a bit greater
 * than that shows, and never less than what might have been missed: where nothing of a state was seen in n draws, its
 * chance may well be 3/n, which two errors have to reach. */
double crd_i_honest_error(double variance, double effective);

/* No draw had a weight. */
crd_status crd_i_fail_no_draw(double draws, crd_error *error);

/* ---- Pieces ---- */

typedef struct crd_i_pieces {
    crd_context *context;
    uint64_t count;
    size_t slots; /* pieces that there is room for */
    unsigned threads;
    void *state;
    void (*make)(void *state, unsigned member, uint64_t piece, size_t slot); /* by any thread */
    void (*take)(void *state, uint64_t piece, size_t slot);                  /* by the caller's, in order */
} crd_i_pieces;

/* How many pieces there is room for where each has so many numbers: at least one, at most CRD_I_MOST_SLOTS. */
enum { CRD_I_MOST_SLOTS = 64 };
size_t crd_i_pieces_slots(size_t numbers);
CRD_MUST_USE crd_status crd_i_pieces_run(const crd_i_pieces *pieces, crd_error *error);

#endif
