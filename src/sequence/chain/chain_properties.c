/* SPDX-License-Identifier: MIT */
/* chain_properties.c - the stationary distribution and the mean durations of a chain. See chain.h.
 *
 * Stationary distribution. Let the chain restart with a tiny probability e at each step. Then it has a unique
 * stationary distribution, whatever its classes and periods. For e -> 0, the limit is the long-run fraction of time in
 * each node, given the start distribution. The distribution is computed by the elimination of Grassmann, Taksar and
 * Heyman (Regenerative analysis and steady state distributions for Markov chains; 1985). That algorithm has no
 * subtractions, so every probability has full relative accuracy for any e. Chains with very many nodes iterate (I + A)
 * / 2 until convergence instead. */
#include "sequence/chain/chain_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define RESTART 1e-60

enum { MOST_ELIMINATED = 700, MOST_ITERATIONS = 20000 };

static double row_sum(const crd_i_chain *chain, size_t i) {
    double sum = 0;
    if (chain->is_dense)
        for (size_t j = 0; j < chain->nodes; j++) sum += chain->forward[i * chain->stride + j];
    else
        for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++) sum += chain->out[e];
    return sum;
}

/* Adds factor * (row i, normalized) to `destination`. A node without successors is its own successor. */
static void chain_properties_add_row(const crd_i_chain *chain, size_t i, double factor, double *destination) {
    const double sum = row_sum(chain, i);
    if (!(sum > 0)) {
        destination[i] += factor;
        return;
    }
    factor /= sum;
    if (chain->is_dense)
        for (size_t j = 0; j < chain->nodes; j++) destination[j] += factor * chain->forward[i * chain->stride + j];
    else
        for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++)
            destination[chain->targets[e]] += factor * chain->out[e];
}

/* Computes the normalized start distribution, or the uniform distribution if no node can begin. */
static void normalised_start(const crd_i_chain *chain, double *start) {
    double sum = 0;
    for (size_t i = 0; i < chain->nodes; i++) sum += chain->start[i];
    for (size_t i = 0; i < chain->nodes; i++) start[i] = sum > 0 ? chain->start[i] / sum : 1 / (double)chain->nodes;
}

/* ---- Elimination ---- */

/* Exchanges nodes 0 and `other` of a matrix, rows and columns. */
static void chain_properties_exchange(double *matrix, size_t nodes, size_t other) {
    for (size_t k = 0; k < nodes; k++) {
        double kept = matrix[k];
        matrix[k] = matrix[other * nodes + k];
        matrix[other * nodes + k] = kept;
    }
    for (size_t k = 0; k < nodes; k++) {
        double kept = matrix[k * nodes];
        matrix[k * nodes] = matrix[k * nodes + other];
        matrix[k * nodes + other] = kept;
    }
}

/* Eliminates the nodes from the last to the first, replacing paths through a node by direct transitions. Node 0 must be
 * a start node, so that it is reachable from all nodes. */
static crd_status chain_properties_eliminate(const crd_i_chain *chain, double *matrix, double *result,
                                             crd_error *error) {
    const size_t nodes = chain->nodes;
    for (size_t n = nodes; n-- > 1;) {
        if (crd_i_context_cancelled(chain->context)) return crd_i_fail_cancelled(error);
        const double *row = matrix + n * nodes;
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += row[j];
        for (size_t i = 0; i < n; i++) {
            double *destination = matrix + i * nodes;
            if (destination[n] == 0) continue;
            destination[n] /= sum;
            for (size_t j = 0; j < n; j++) destination[j] += destination[n] * row[j];
        }
    }
    double total = result[0] = 1;
    for (size_t n = 1; n < nodes; n++) {
        result[n] = 0;
        for (size_t i = 0; i < n; i++) result[n] += result[i] * matrix[i * nodes + n];
        total += result[n];
    }
    for (size_t n = 0; n < nodes; n++) result[n] /= total;
    return CRD_OK;
}

static crd_status by_elimination(const crd_i_chain *chain, double *result, crd_error *error) {
    const size_t nodes = chain->nodes;
    double *matrix = crd_i_alloc_zeroed(chain->context, nodes * nodes, sizeof *matrix);
    if (matrix == NULL) return crd_i_fail_memory(error);
    size_t first = 0;
    normalised_start(chain, result);
    for (size_t i = 0; i < nodes; i++) {
        if (result[i] > result[first]) first = i;
        chain_properties_add_row(chain, i, 1, matrix + i * nodes);
        for (size_t j = 0; j < nodes; j++) matrix[i * nodes + j] += RESTART * result[j];
    }
    chain_properties_exchange(matrix, nodes, first);
    crd_status status = chain_properties_eliminate(chain, matrix, result, error);
    const double kept = result[0];
    result[0] = result[first];
    result[first] = kept;
    /* Remove the effect of the restarts. */
    for (size_t i = 0; i < nodes; i++)
        if (result[i] < sqrt(RESTART)) result[i] = 0;
    crd_free(chain->context, matrix);
    return status;
}

/* Computes the stationary distribution by iterating (I + A) / 2. */
static crd_status by_iteration(const crd_i_chain *chain, double *result, crd_error *error) {
    const size_t nodes = chain->nodes;
    double *next = crd_i_alloc(chain->context, nodes, sizeof *next);
    if (next == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    normalised_start(chain, result);
    for (int round = 0; round < MOST_ITERATIONS && status == CRD_OK; round++) {
        if (crd_i_context_cancelled(chain->context)) status = crd_i_fail_cancelled(error);
        double change = 0;
        for (size_t i = 0; i < nodes; i++) next[i] = 0.5 * result[i];
        for (size_t i = 0; i < nodes; i++)
            if (result[i] > 0) chain_properties_add_row(chain, i, 0.5 * result[i], next);
        for (size_t i = 0; i < nodes; i++) {
            change += fabs(next[i] - result[i]);
            result[i] = next[i];
        }
        if (change < 1e-14) break;
    }
    crd_free(chain->context, next);
    return status;
}

static crd_status stationary_nodes(const crd_i_chain *chain, double *result, crd_error *error) {
    return chain->nodes <= MOST_ELIMINATED ? by_elimination(chain, result, error) : by_iteration(chain, result, error);
}

crd_status crd_i_chain_stationary(const crd_i_chain *chain, double *probabilities, crd_error *error) {
    double *nodes = crd_i_alloc(chain->context, chain->nodes, sizeof *nodes);
    if (nodes == NULL) return crd_i_fail_memory(error);
    crd_status status = stationary_nodes(chain, nodes, error);
    for (size_t k = 0; k < chain->states; k++) probabilities[k] = 0;
    for (size_t i = 0; status == CRD_OK && i < chain->nodes; i++) probabilities[chain->state_of[i]] += nodes[i];
    crd_free(chain->context, nodes);
    return status;
}

/* ---- Durations ---- */

typedef struct properties_transition {
    size_t target;
    double probability;
} properties_transition;

/* Gets transition k of a node. Returns false if k is past the last transition. */
static bool transition_at(const crd_i_chain *chain, size_t i, size_t k, properties_transition *out) {
    if (chain->is_dense) {
        if (k >= chain->nodes) return false;
        *out = (properties_transition){k, chain->forward[i * chain->stride + k]};
        return true;
    }
    const size_t e = chain->first_out[i] + k;
    if (e >= chain->first_out[i + 1]) return false;
    *out = (properties_transition){chain->targets[e], chain->out[e]};
    return true;
}

/* Returns the expected duration of the state from node i on, including this step: d_i = 1 + sum of A_ij d_j over the
 * nodes j of the same state. The contexts of one state lead to ever longer runs of it, and the longest run leads to
 * itself, so there are no other cycles. durations[i] is NaN if not yet computed. */
static double duration_from(const crd_i_chain *chain, size_t i, double *durations) {
    if (durations[i] == durations[i]) return durations[i];
    double sum = 1, staying = 0;
    durations[i] = INFINITY; /* guards against a cycle of several nodes, whose duration is infinite here */
    properties_transition transition;
    for (size_t k = 0; transition_at(chain, i, k, &transition); k++) {
        if (!(transition.probability > 0) || chain->state_of[transition.target] != chain->state_of[i]) continue;
        if (transition.target == i) staying += transition.probability;
        else sum += transition.probability * duration_from(chain, transition.target, durations);
    }
    return durations[i] = staying < 1 ? sum / (1 - staying) : INFINITY;
}

/* Computes how often each node is entered from other states: in the long run, and at all (from any node, or at the
 * start). The latter is for states that are not entered in the long run. */
static void chain_properties_entries(const crd_i_chain *chain, const double *stationary, double *in_long_run,
                                     double *ever) {
    properties_transition transition;
    for (size_t i = 0; i < chain->nodes; i++) ever[i] = chain->start[i];
    for (size_t i = 0; i < chain->nodes; i++)
        for (size_t k = 0; transition_at(chain, i, k, &transition); k++)
            if (chain->state_of[transition.target] != chain->state_of[i]) {
                in_long_run[transition.target] += stationary[i] * transition.probability;
                ever[transition.target] += transition.probability;
            }
}

crd_status crd_i_chain_durations(const crd_i_chain *chain, double *steps, crd_error *error) {
    enum { ROWS = 4 };
    const size_t nodes = chain->nodes;
    double *rows = crd_i_alloc_zeroed(chain->context, nodes, ROWS * sizeof *rows);
    double *weights = crd_i_alloc_zeroed(chain->context, chain->states, 2 * sizeof *weights);
    crd_status status = rows == NULL || weights == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK && !chain->is_plain) status = stationary_nodes(chain, rows, error);
    if (status == CRD_OK) {
        double *stationary = rows, *long_run = rows + nodes, *ever = rows + 2 * nodes, *durations = rows + 3 * nodes;
        if (!chain->is_plain) chain_properties_entries(chain, stationary, long_run, ever);
        for (size_t i = 0; i < nodes; i++) {
            durations[i] = NAN;
            weights[chain->state_of[i]] += long_run[i];
            weights[chain->states + chain->state_of[i]] += ever[i];
        }
        for (size_t k = 0; k < chain->states; k++) steps[k] = chain->is_plain ? duration_from(chain, k, durations) : 0;
        for (size_t i = 0; !chain->is_plain && i < nodes; i++) {
            const size_t k = chain->state_of[i];
            const bool is_long = weights[k] > 0;
            const double share = is_long ? long_run[i] / weights[k] : ever[i] / weights[chain->states + k];
            if (share > 0) steps[k] += share * duration_from(chain, i, durations);
        }
    }
    crd_free(chain->context, rows);
    crd_free(chain->context, weights);
    return status;
}
