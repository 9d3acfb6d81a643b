/* SPDX-License-Identifier: MIT */
/* approximate.h - approximate inference, used when exact inference would be too expensive. See
 * docs/networks-approximate.md. */
#ifndef CRD_INFER_APPROXIMATE_APPROXIMATE_H
#define CRD_INFER_APPROXIMATE_APPROXIMATE_H

#include "infer/approximate/importance_sampler.h"
#include "infer/evidence_query.h"

/* Computes approximate posteriors with the method set in the query options: either one posterior per node or the
 * joint posterior of all nodes. Also fills in `errors`, which may be NULL, and the estimate's diagnostics in
 * `asked`. Returns CRD_ERROR_PROBABILITY, naming the findings, if they are found to contradict each other. Returns
 * CRD_ERROR_NOT_CONVERGED if the contradiction was not detected but no draw is consistent with the findings. */
CRD_MUST_USE crd_status crd_i_approximate(const crd_i_evidence_query *query, const size_t *nodes, size_t count,
                                          bool together, double *answer, double *errors, crd_inference_result *result,
                                          crd_error *error);

/* ---- parts shared by the sampling methods: targets of a query, sums of weights, and threads.
 *
 * Draws are made in chunks of fixed size. Each chunk has its own random stream, and chunks are summed in order
 * regardless of the thread that made them. The results are therefore bit-identical for every number of threads. */

/* Returns the number of draws to make. If the options do not set it, the default gives standard errors between 0.001
 * and 0.002 for probabilities near one half. */
uint64_t crd_i_draw_count(const crd_inference_options *options);

/* ---- Query targets ---- */

/* Variables whose joint posterior is queried. A cell is a combination of their states; the state of the last
 * variable varies fastest. */
typedef struct crd_i_target {
    size_t begin, end;  /* range in the aim's variables; never empty */
    size_t cell, cells; /* range in the aim's cells */
} crd_i_target;

typedef struct crd_i_aim {
    const crd_i_evidence_query *query;
    const crd_i_reduced *reduced;
    const crd_i_target *targets;
    size_t target_count;
    const uint32_t *variables;
    size_t cells;
    double *estimates, *errors; /* by cell; filled in by the sampling methods */
} crd_i_aim;

/* Computes the contribution of a draw to a target: `count` probabilities starting at cell `first`; all other cells
 * are 0. `out` must have room for the variable with the most states. The last variable is averaged over its states
 * given all other drawn variables. This has the same mean as using the drawn state, but a smaller variance
 * (Rao-Blackwellization, Blackwell 1947). */
void crd_i_aim_look(const crd_i_aim *aim, const crd_i_target *target, const crd_i_proposal *proposal,
                    const crd_i_draw *draw, double *out, size_t *first, size_t *count);

/* Run likelihood weighting and Gibbs sampling. Both fill in the aim's estimates and errors, and the diagnostics in
 * `asked`. */
CRD_MUST_USE crd_status crd_i_weighting(const crd_i_aim *aim, const crd_i_proposal *proposal,
                                        crd_inference_result *result, crd_error *error);
CRD_MUST_USE crd_status crd_i_gibbs(const crd_i_aim *aim, const crd_i_proposal *proposal, crd_inference_result *result,
                                    crd_error *error);

/* ---- Sums of weights ---- */

/* Sums of the weights and of their squares, and the largest weight. The unit is 2^exponent (its square for the
 * squares), so no weight underflows. */
typedef struct crd_i_weights {
    double draws, sum, squares, largest;
    int64_t exponent;
} crd_i_weights;

/* Adds a draw and sets *weight to its weight in the new unit. Returns the power of two, usually 1, by which the
 * caller must multiply every sum accumulated in the old unit. */
double crd_i_weights_add(crd_i_weights *weights, const crd_i_draw *draw, double *weight);
/* Adds the sums in `others`. Sets `ours` and `theirs` to the factors by which the caller must multiply its own sums
 * and the other sums. */
void crd_i_weights_merge(crd_i_weights *weights, const crd_i_weights *others, double *ours, double *theirs);
/* Returns the effective sample size: the number of equally weighted draws that would be as good. */
double crd_i_weights_effective(const crd_i_weights *weights);
/* Returns the effective sample size, limited by the share of the largest weight, because the sampler may have missed
 * a draw as heavy as that one. */
double crd_i_weights_surely(const crd_i_weights *weights);
/* Sets the estimated log evidence and its standard error. */
void crd_i_weights_evidence(const crd_i_weights *weights, const crd_i_proposal *proposal, crd_inference_result *result);

/* Returns the standard error to report for an estimate with the given variance, measured on `effective` draws. It is
 * slightly larger than the measured error and never smaller than the error of events that may have been missed. If a
 * state did not occur in n draws, its probability may well be 3/n, which two standard errors must cover. */
double crd_i_honest_error(double variance, double effective);

/* Reports that no draw had a positive weight. */
crd_status crd_i_fail_no_draw(double draws, crd_error *error);

/* ---- Chunks of draws ---- */

typedef struct crd_i_pieces {
    crd_context *context;
    uint64_t count;
    size_t slots; /* number of chunks held at once */
    unsigned threads;
    void *state;
    void (*make)(void *state, unsigned member, uint64_t piece, size_t slot); /* called by any thread */
    void (*take)(void *state, uint64_t piece, size_t slot); /* called in order by the caller's thread */
} crd_i_pieces;

/* Returns the number of chunks to hold at once if each consists of so many numbers: at least 1, at most
 * CRD_I_MOST_SLOTS. */
enum { CRD_I_MOST_SLOTS = 64 };
size_t crd_i_pieces_slots(size_t numbers);
CRD_MUST_USE crd_status crd_i_pieces_run(const crd_i_pieces *pieces, crd_error *error);

#endif
