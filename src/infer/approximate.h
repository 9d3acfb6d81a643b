/* SPDX-License-Identifier: MIT */
/* approximate.h - approximate inference, used when exact inference would be too expensive. See
 * docs/networks-approximate.md. */
#ifndef CRD_INFER_APPROXIMATE_H
#define CRD_INFER_APPROXIMATE_H

#include "base/arena.h"
#include "base/thread_pool.h"
#include "infer/exact/evidence_query.h"
#include "infer/exact/state_elimination.h"
#include "math/random.h"

/* ======== Reduced network ========
 *
 * The part of a network that remains under evidence consists of variables with their possible states, and of tables.
 *
 * A state is impossible if some table contains only zeros for it, for all possible states of its neighbors. Removing
 * it may make other states impossible, so removal is repeated until nothing changes (arc consistency, Mackworth
 * 1977). This finds many, though not all, states of probability 0. It is sound: every removed state is impossible.
 * Nodes with a single remaining state cease to be variables. Hard evidence, zeros in tables and zero likelihoods are
 * thus treated uniformly, and samplers on the reduced network rarely reach dead ends. */

/* A table over some variables in ascending order; the state of the last one varies fastest. Its edges start at
 * `edge`. */
typedef struct crd_i_reduced_factor {
    size_t edge, edge_count;
    size_t table_at, cells;
} crd_i_reduced_factor;

typedef struct crd_i_reduced {
    crd_i_arena *arena;
    crd_context *context;
    const crd_network *network;
    int32_t *variable_of; /* by node: its variable; -1 if its state is certain or the query does not need it */
    int32_t *state_of;    /* by node: its certain state, or -1 */
    /* Variables. Parents come before their children. */
    size_t count;
    uint32_t *node_of, *size_of; /* by variable: its node, and the number of remaining states, at least 2 */
    /* by variable: start of its states in `states`, and of its numbers in arrays indexed by variable state */
    size_t *starts;
    uint32_t *states; /* node state numbers of the remaining states */
    size_t widest;    /* the largest state count */
    /* Factors. An edge connects a factor and one of its variables. */
    size_t factor_count, edge_count;
    crd_i_reduced_factor *factors;
    uint32_t *edge_variables, *edge_factors;
    size_t *link_starts; /* by variable: start of its edges in `links` */
    uint32_t *links;
    double *tables;
    size_t most_cells;   /* size of the largest factor table */
    double log_constant; /* log of the factors divided out of the tables */
} crd_i_reduced;

/* Reduces the network of `query` under `findings`, which include the evidence of the query. Returns
 * CRD_ERROR_PROBABILITY, naming the contradictory findings, if some node has no possible state left. */
CRD_MUST_USE crd_status crd_i_reduce_network(const crd_i_evidence_query *query, const crd_i_evidence *findings,
                                             crd_i_reduced **out, crd_error *error);
void crd_i_reduced_destroy(crd_i_reduced *reduced);

/* ======== Loopy belief propagation ========
 *
 * Messages are passed between the tables of a reduced network (factors) and their variables.
 *
 * The message from a factor f to its variable x is m(x) = sum over the other variables of f times their messages to
 * f. The message from a variable to a factor is the product of the messages from all its other factors (Pearl 1988).
 * Without loops, two passes suffice and the beliefs are the posteriors. With loops, messages are passed until they
 * no longer change, which may never happen. The beliefs are then usually only close to the posteriors (Murphy, Weiss
 * and Jordan 1999). Messages that keep changing are damped. The log probability of the evidence is the Bethe
 * approximation (Yedidia, Freeman and Weiss 2005).
 *
 * Factors are updated in breadth-first order and then in reverse, so one round is enough for a forest. Messages to
 * variables are stored as logarithms: thousands of them add up without underflow. */

typedef struct crd_i_messages {
    crd_i_arena *arena;
    const crd_i_reduced *reduced;
    uint32_t *order;     /* factors in update order: breadth first */
    size_t *starts;      /* by edge: start of its message, which has one number per state of its variable */
    double *to_variable; /* logarithms; the largest is 0 */
    double *to_factor;   /* probabilities that add up to 1 */
    double *beliefs;     /* by variable state: probabilities that add up to 1 */
    double log_evidence; /* NaN if the messages did not converge */
    bool is_converged;
} crd_i_messages;

/* Runs at most `rounds` rounds of message passing. Returns CRD_OK even if the messages did not converge. */
CRD_MUST_USE crd_status crd_i_messages_create(const crd_i_reduced *reduced, size_t rounds, crd_i_messages **out,
                                              crd_error *error);
void crd_i_messages_destroy(crd_i_messages *messages);

/* ======== Proposal distributions ========
 *
 * A proposal draws variables one after the other in a fixed order and computes the importance weight of the draw.
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

/* A table that contains a given variable. */
typedef struct crd_i_link {
    const double *table; /* the whole table, its variables in drawing order; NULL if whole tables are not kept */
    const double *ratio; /* h of the variable; NULL if it is the table's first variable, whose h is in `first` */
    size_t stride;       /* distance of the variable's states in the table */
    uint32_t factor;
} crd_i_link;

typedef struct crd_i_importance_sampler {
    crd_i_arena *arena;
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

/* ======== Importance sampling ========
 *
 * Draws are weighted, and come from a distribution close to the posterior.
 *
 * The proposal is a mixture of several samplers. Two are guided by belief propagation: one
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
    crd_i_arena *arena;
    uint32_t *states; /* by variable of the reduced network, as an index among its remaining states */
    /* by sampler and factor: entry of the factor's table; the first sampler's entries are always up to date */
    size_t *cells[CRD_I_WAYS];
    double *workspace;               /* scratch space for the states of one variable */
    crd_i_scaled_probability weight; /* 0 if the draw is impossible */
} crd_i_draw;

CRD_MUST_USE bool crd_i_draw_open(const crd_i_reduced *reduced, crd_i_draw *draw);
void crd_i_draw_close(crd_i_draw *draw);

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

/* Computes approximate posteriors with the method set in the query options: either one posterior per node or the
 * joint posterior of all nodes. Also fills in `errors`, which may be NULL, and the estimate's diagnostics in
 * `result`. Returns CRD_ERROR_PROBABILITY, naming the findings, if they are found to contradict each other. Returns
 * CRD_ERROR_NOT_CONVERGED if the contradiction was not detected but no draw is consistent with the findings. */
CRD_MUST_USE crd_status crd_i_approximate(const crd_i_evidence_query *query, const size_t *nodes, size_t count,
                                          bool together, double *answer, double *errors, crd_inference_result *result,
                                          crd_error *error);

/* ======== Shared parts of the samplers ========
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
 * `result`. */
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

/* ---- Parallel draws ---- */

/* Returns the number of threads for ordered work (base/thread_pool.h) whose slots hold this many numbers each. It is
 * limited so that the slots need little memory, and there are at most CRD_I_MOST_SLOTS of them. */
enum { CRD_I_MOST_SLOTS = 64 * CRD_I_SLOTS_OF_THREAD };
unsigned crd_i_sampling_threads(unsigned requested, size_t numbers);

#endif
