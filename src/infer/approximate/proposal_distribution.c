/* SPDX-License-Identifier: MIT */
/* proposal_distribution.c - see proposal_distribution.h. */
#include "infer/approximate/proposal_distribution.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

/* Rounds of belief propagation. Pilot draws: half as many as the requested draws, within these bounds. EM steps for
 * the mixture proportions, and the smallest proportion of a sampler. */
enum { ROUNDS = 30, FEWEST_TRIALS = 300, MOST_TRIALS = 3000, STEPS = 10 };
static const double LEAST_PART = 0.1;

void crd_i_proposal_destroy(crd_i_proposal *proposal) {
    if (proposal == NULL) return;
    crd_context *context = proposal->reduced->context;
    for (size_t i = 0; i < CRD_I_WAYS; i++) crd_i_importance_sampler_destroy(proposal->ways[i]);
    crd_free(context, proposal);
}

/* ---- Draws ---- */

bool crd_i_draw_open(const crd_i_reduced *reduced, crd_i_draw *draw) {
    draw->states = crd_i_alloc(reduced->context, reduced->count, sizeof *draw->states);
    draw->workspace = crd_i_alloc(reduced->context, reduced->widest, sizeof *draw->workspace);
    bool done = draw->states != NULL && draw->workspace != NULL;
    for (size_t i = 0; i < CRD_I_WAYS; i++) {
        draw->cells[i] = crd_i_alloc(reduced->context, reduced->factor_count, sizeof *draw->cells[i]);
        done = done && draw->cells[i] != NULL;
    }
    return done;
}

void crd_i_draw_close(const crd_i_reduced *reduced, crd_i_draw *draw) {
    crd_free(reduced->context, draw->states);
    crd_free(reduced->context, draw->workspace);
    for (size_t i = 0; i < CRD_I_WAYS; i++) crd_free(reduced->context, draw->cells[i]);
}

static bool proposal_go(const crd_i_proposal *proposal, size_t way, crd_i_random *random, crd_i_draw *draw,
                        crd_i_scaled_probability *weight) {
    bool is_possible = crd_i_importance_sampler_go(proposal->ways[way], random, draw->states, draw->cells[way],
                                                   draw->workspace, weight);
    weight->mantissa *= proposal->scales[way].mantissa;
    weight->exponent += proposal->scales[way].exponent;
    return is_possible;
}

/* Computes the ratio q_i(states) / p(states) for each sampler i, which is 1 / weight, in units of 2^-unit. `known`
 * is the sampler whose weight is already in *weight, or CRD_I_WAYS. */
static int64_t find_ratios(const crd_i_proposal *proposal, crd_i_draw *draw, size_t known,
                           const crd_i_scaled_probability *weight, double ratios[CRD_I_WAYS]) {
    crd_i_scaled_probability weights[CRD_I_WAYS];
    int64_t unit = INT64_MAX;
    for (size_t i = 0; i < CRD_I_WAYS; i++) {
        bool is_possible = true;
        if (i == known) weights[i] = *weight;
        else is_possible = proposal_go(proposal, i, NULL, draw, &weights[i]);
        if (!is_possible) weights[i].mantissa = 0;
        else if (weights[i].exponent < unit) unit = weights[i].exponent;
    }
    for (size_t i = 0; i < CRD_I_WAYS; i++) {
        int64_t power = unit - weights[i].exponent;
        ratios[i] = weights[i].mantissa == 0 || power < -1000 ? 0 : ldexp(1 / weights[i].mantissa, (int)power);
    }
    return unit;
}

/* Computes the mixture weight: 1 / (sum over samplers of proportion / weight). */
static bool proposal_mix(const crd_i_proposal *proposal, crd_i_draw *draw, const double ratios[CRD_I_WAYS],
                         int64_t unit) {
    double sum = 0;
    int exponent;
    for (size_t i = 0; i < CRD_I_WAYS; i++) sum += proposal->parts[i] * ratios[i];
    draw->weight.mantissa = sum > 0 ? frexp(1 / sum, &exponent) : 0;
    draw->weight.exponent = sum > 0 ? unit + exponent : 0;
    return sum > 0;
}

/* Chooses a sampler and draws from it. */
static bool draw_ratios(const crd_i_proposal *proposal, crd_i_random *random, crd_i_draw *draw,
                        double ratios[CRD_I_WAYS], int64_t *unit) {
    crd_i_scaled_probability weight;
    size_t way = crd_i_importance_sampler_pick(random, proposal->parts, CRD_I_WAYS, 1);
    draw->weight.mantissa = 0;
    draw->weight.exponent = 0;
    if (!proposal_go(proposal, way, random, draw, &weight)) return false;
    *unit = find_ratios(proposal, draw, way, &weight, ratios);
    return true;
}

bool crd_i_proposal_draw(const crd_i_proposal *proposal, crd_i_random *random, crd_i_draw *draw) {
    double ratios[CRD_I_WAYS];
    int64_t unit;
    return draw_ratios(proposal, random, draw, ratios, &unit) && proposal_mix(proposal, draw, ratios, unit);
}

bool crd_i_proposal_weigh(const crd_i_proposal *proposal, crd_i_draw *draw) {
    double ratios[CRD_I_WAYS];
    int64_t unit = find_ratios(proposal, draw, CRD_I_WAYS, NULL, ratios);
    return proposal_mix(proposal, draw, ratios, unit);
}

/* Multiplies the entries of all tables for one state. The product is scaled: an entry that is 1e-308 times another
 * state's entry may be offset by other tables. */
static crd_i_scaled_probability proposal_multiply(const crd_i_link *begin, const crd_i_link *end,
                                                  const crd_i_draw *draw, size_t state, size_t i) {
    crd_i_scaled_probability product = {1, 0};
    int exponent;
    for (const crd_i_link *link = begin; link < end; link++) {
        const double *table = link->table + (draw->cells[0][link->factor] - state * link->stride);
        product.mantissa *= table[i * link->stride];
        if (product.mantissa > 0x1p-100 && product.mantissa < 0x1p100) continue;
        product.mantissa = frexp(product.mantissa, &exponent);
        product.exponent += exponent;
    }
    product.mantissa = frexp(product.mantissa, &exponent);
    product.exponent += exponent;
    return product;
}

/* Computes each state's product separately, then scales them relative to the largest. */
static void multiply_many(const crd_i_link *begin, const crd_i_link *end, const crd_i_draw *draw, size_t state,
                          size_t size, double *out) {
    int64_t unit = INT64_MIN;
    for (size_t i = 0; i < size; i++) {
        const crd_i_scaled_probability product = proposal_multiply(begin, end, draw, state, i);
        out[i] = product.mantissa;
        if (!(product.mantissa > 0)) continue;
        int64_t power = unit == INT64_MIN ? 0 : product.exponent - unit;
        if (power < 0) out[i] = power < -1000 ? 0 : ldexp(out[i], (int)power);
        else unit = product.exponent;
        for (size_t j = 0; power > 0 && j < i; j++) out[j] = power > 1000 ? 0 : ldexp(out[j], -(int)power);
    }
}

double crd_i_proposal_conditional(const crd_i_proposal *proposal, const crd_i_draw *draw, uint32_t variable,
                                  double *out) {
    const crd_i_importance_sampler *way = proposal->ways[0];
    size_t place = way->place_of[variable], size = way->reduced->size_of[variable], state = draw->states[variable];
    const crd_i_link *begin = way->links + way->link_starts[place], *end = way->links + way->link_starts[place + 1];
    double sum = 0;
    if (end - begin > CRD_I_UNWATCHED) {
        multiply_many(begin, end, draw, state, size, out);
    } else {
        for (size_t i = 0; i < size; i++) out[i] = 1;
        for (const crd_i_link *link = begin; link < end; link++) {
            const double *table = link->table + (draw->cells[0][link->factor] - state * link->stride);
            for (size_t i = 0; i < size; i++) out[i] *= table[i * link->stride];
        }
    }
    for (size_t i = 0; i < size; i++) sum += out[i];
    if (sum > 0) return sum;
    /* Underflow occurred despite scaling. The drawn state is possible, so it gets probability 1. */
    return out[state] = 1;
}

void crd_i_proposal_set(const crd_i_proposal *proposal, crd_i_draw *draw, uint32_t variable, uint32_t state) {
    const crd_i_importance_sampler *way = proposal->ways[0];
    size_t place = way->place_of[variable], before = draw->states[variable];
    for (size_t i = way->link_starts[place]; i < way->link_starts[place + 1]; i++)
        draw->cells[0][way->links[i].factor] += (state - before) * way->links[i].stride;
    draw->states[variable] = state;
}

/* ---- Mixture proportions ---- */

/* Draws with equal proportions. Then fits the proportions by expectation-maximization, so that the mixture is as
 * close as possible to the posterior. A sampler's new proportion is the share of the weights that it is responsible
 * for. */
static void learn_parts(crd_i_proposal *proposal, uint64_t seed, size_t trials, crd_i_draw *draw, double *ratios,
                        crd_i_scaled_probability *weights) {
    size_t count = 0;
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < CRD_I_WAYS; i++) proposal->parts[i] = 1.0 / CRD_I_WAYS;
    for (uint64_t i = 0; i < trials && !crd_i_context_cancelled(proposal->reduced->context); i++) {
        crd_i_random random = crd_i_random_at(seed, CRD_I_STREAM_TRIALS + i);
        double *entries = ratios + CRD_I_WAYS * count;
        int64_t unit;
        if (!draw_ratios(proposal, &random, draw, entries, &unit) || !proposal_mix(proposal, draw, entries, unit))
            continue;
        weights[count++] = draw->weight;
        if (draw->weight.exponent > most) most = draw->weight.exponent;
    }
    for (size_t step = 0; count > 0 && step < STEPS; step++) {
        double sums[CRD_I_WAYS] = {0}, total = 0;
        for (size_t i = 0; i < count; i++) {
            const double *entries = ratios + CRD_I_WAYS * i;
            int64_t power = weights[i].exponent - most;
            /* Negligible weights are skipped. They may come from a sampler whose proportion is already zero. */
            if (power < -1000) continue;
            double weight = ldexp(weights[i].mantissa, (int)power), sum = 0;
            for (size_t j = 0; j < CRD_I_WAYS; j++) sum += proposal->parts[j] * entries[j];
            for (size_t j = 0; j < CRD_I_WAYS; j++) sums[j] += weight * (proposal->parts[j] * entries[j] / sum);
            total += weight;
        }
        for (size_t i = 0; i < CRD_I_WAYS; i++) proposal->parts[i] = sums[i] / total;
    }
    for (size_t i = 0; i < CRD_I_WAYS; i++)
        proposal->parts[i] = LEAST_PART + (1 - CRD_I_WAYS * LEAST_PART) * proposal->parts[i];
}

/* ---- Samplers ---- */

/* Orders the variables by the messages' factor order: each is drawn next to a neighbor drawn before. */
static void connected_order(const crd_i_messages *messages, uint32_t *order, bool *is_found) {
    const crd_i_reduced *reduced = messages->reduced;
    size_t count = 0;
    for (size_t i = 0; i < reduced->factor_count; i++) {
        const crd_i_reduced_factor *factor = &reduced->factors[messages->order[i]];
        for (size_t j = 0; j < factor->edge_count; j++) {
            uint32_t variable = reduced->edge_variables[factor->edge + j];
            if (!is_found[variable]) order[count++] = variable;
            is_found[variable] = true;
        }
    }
}

static void find_scales(crd_i_proposal *proposal) {
    const double log_two = 0.69314718055994530942;
    proposal->log_scale = proposal->ways[0]->log_scale;
    for (size_t i = 0; i < CRD_I_WAYS; i++) {
        double difference = proposal->ways[i]->log_scale - proposal->log_scale, power = floor(difference / log_two);
        proposal->scales[i].mantissa = crd_exp(difference - power * log_two);
        proposal->scales[i].exponent = (int64_t)power;
    }
}

static crd_status make_ways(crd_i_proposal *proposal, uint32_t *order, bool *is_found, crd_error *error) {
    const crd_i_reduced *reduced = proposal->reduced;
    crd_i_messages *messages = NULL;
    crd_status status = crd_i_messages_create(reduced, ROUNDS, &messages, error);
    if (status != CRD_OK) return status;
    connected_order(messages, order, is_found);
    status = crd_i_importance_sampler_create(reduced, messages, order, true, &proposal->ways[0], error);
    for (uint32_t i = 0; i < reduced->count; i++) order[i] = i;
    if (status == CRD_OK)
        status = crd_i_importance_sampler_create(reduced, messages, order, false, &proposal->ways[1], error);
    if (status == CRD_OK)
        status = crd_i_importance_sampler_create(reduced, NULL, order, false, &proposal->ways[2], error);
    crd_i_messages_destroy(messages);
    if (status == CRD_OK) find_scales(proposal);
    return status;
}

crd_status crd_i_proposal_create(const crd_i_reduced *reduced, uint64_t seed, uint64_t draws, crd_i_proposal **out,
                                 crd_error *error) {
    size_t trials = draws / 2 < FEWEST_TRIALS ? FEWEST_TRIALS
                    : draws / 2 > MOST_TRIALS ? MOST_TRIALS
                                              : (size_t)(draws / 2);
    crd_context *context = reduced->context;
    crd_i_draw draw = {0};
    *out = NULL;
    crd_i_proposal *proposal = crd_i_alloc_zeroed(context, 1, sizeof *proposal);
    uint32_t *order = crd_i_alloc(context, reduced->count, sizeof *order);
    bool *is_found = crd_i_alloc_zeroed(context, reduced->count, sizeof *is_found);
    double *ratios = crd_i_alloc(context, trials * CRD_I_WAYS, sizeof *ratios);
    crd_i_scaled_probability *weights = crd_i_alloc(context, trials, sizeof *weights);
    crd_status status = crd_i_fail_memory(error);
    if (proposal != NULL) proposal->reduced = reduced;
    if (proposal != NULL && order != NULL && is_found != NULL && ratios != NULL && weights != NULL &&
        crd_i_draw_open(reduced, &draw))
        status = make_ways(proposal, order, is_found, error);
    if (status == CRD_OK) learn_parts(proposal, seed, trials, &draw, ratios, weights);
    crd_i_draw_close(reduced, &draw);
    crd_free(context, order);
    crd_free(context, is_found);
    crd_free(context, ratios);
    crd_free(context, weights);
    if (status != CRD_OK) {
        crd_i_proposal_destroy(proposal);
        return status;
    }
    *out = proposal;
    return CRD_OK;
}
