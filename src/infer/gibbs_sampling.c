/* SPDX-License-Identifier: MIT */
/* gibbs_sampling.c - posteriors from Markov chains of draws.
 *
 * A sweep redraws each variable in turn given the states of all others (Geman and Geman 1984). If tables contain zeros
 * or near-zeros, single-variable moves may never get from one possible state to another. Therefore each sweep ends with
 * an independence Metropolis-Hastings step. A draw of all variables from the proposal is accepted with probability
 * min(1, w'/w). Here w' is its weight, and w is the weight of the current state. This leaves the posterior invariant
 * (Tierney 1994).
 *
 * Each chain starts from one of several proposal draws, chosen by weight. Its first tenth is discarded as burn-in.
 * Chains are independent, so the spread of their means estimates the error even if each chain mixes slowly. */
#include "infer/approximate.h"

#include "base/arena.h"
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* With so many chains, two standard errors of their mean are a valid 95 % interval. If there are more than FEWEST
 * chains, each has at least SHORTEST sweeps. The first state is chosen from STARTS draws. If all of them are
 * impossible, it is the first possible one of MOST_STARTS draws. */
enum { CHAINS = 64, FEWEST = 8, SHORTEST = 64, STARTS = 32, MOST_STARTS = 10000 };

/* Results of one chain: by cell, the mean over its states. */
typedef struct chain_sums {
    crd_i_weights offered; /* weights of the proposals, which are independent draws */
    double taken;          /* number of accepted proposals */
    double *means;
    bool is_possible;
} chain_sums;

typedef struct sampling_member {
    crd_i_draw draws[2];
    double *look;
} sampling_member;

typedef struct sampling_gibbs {
    const crd_i_aim *aim;
    const crd_i_proposal *proposal;
    uint64_t draws, chains, seed;
    size_t *cell_of; /* by variable: first cell of its own marginal target; SIZE_MAX if it has none */
    sampling_member *members;
    chain_sums slots[CRD_I_MOST_SLOTS];
    crd_i_stage stage;
    /* Running statistics over the chains: count, means, and sums of squared deviations (Welford 1962). */
    double count, *means, *squares, taken;
    bool is_possible;
    crd_i_weights offered;
} sampling_gibbs;

/* Returns the ratio of the weights of two draws. */
static double weight_ratio(const crd_i_draw *source_draw, const crd_i_draw *target_draw) {
    int64_t power = source_draw->weight.exponent - target_draw->weight.exponent;
    return source_draw->weight.mantissa / target_draw->weight.mantissa *
           ldexp(1, power < -1000  ? -1000
                    : power > 1000 ? 1000
                                   : (int)power);
}

static void gibbs_sampling_swap(sampling_member *member) {
    crd_i_draw kept = member->draws[0];
    member->draws[0] = member->draws[1];
    member->draws[1] = kept;
}

static bool begin_chain(const sampling_gibbs *gibbs, sampling_member *member, crd_i_random *random) {
    crd_i_weights seen = {0};
    for (size_t i = 0; i < MOST_STARTS && (i < STARTS || seen.sum == 0); i++) {
        double weight;
        if (!crd_i_proposal_draw(gibbs->proposal, random, &member->draws[1])) continue;
        crd_i_weights_add(&seen, &member->draws[1], &weight);
        if (crd_i_random_uniform(random) * seen.sum < weight) gibbs_sampling_swap(member);
    }
    return seen.sum > 0;
}

/* Redraws each variable in turn. Marginal targets of a variable accumulate its conditional probabilities just before
 * it is drawn. */
static void gibbs_sampling_sweep(const sampling_gibbs *gibbs, sampling_member *member, crd_i_random *random,
                                 double *sums) {
    const crd_i_reduced *reduced = gibbs->aim->reduced;
    crd_i_draw *draw = &member->draws[0];
    for (size_t i = 0; i < reduced->count; i++) {
        uint32_t variable = gibbs->proposal->ways[0]->order[i], size = reduced->size_of[variable];
        double sum = crd_i_proposal_conditional(gibbs->proposal, draw, variable, draw->workspace);
        if (sums != NULL && gibbs->cell_of[variable] != SIZE_MAX)
            for (uint32_t j = 0; j < size; j++) sums[gibbs->cell_of[variable] + j] += draw->workspace[j] / sum;
        uint32_t state = crd_i_importance_sampler_pick(random, draw->workspace, size, sum);
        if (state != draw->states[variable]) crd_i_proposal_set(gibbs->proposal, draw, variable, state);
    }
}

static void gibbs_sampling_offer(const sampling_gibbs *gibbs, sampling_member *member, crd_i_random *random,
                                 chain_sums *chain) {
    double weight;
    bool is_possible = crd_i_proposal_draw(gibbs->proposal, random, &member->draws[1]);
    double chance = crd_i_random_uniform(random);
    crd_i_weights_add(&chain->offered, &member->draws[1], &weight);
    if (!is_possible || !crd_i_proposal_weigh(gibbs->proposal, &member->draws[0])) return;
    if (chance >= weight_ratio(&member->draws[1], &member->draws[0])) return;
    gibbs_sampling_swap(member);
    chain->taken++;
}

static bool is_alone(const crd_i_target *target, const sampling_gibbs *gibbs) {
    return gibbs->cell_of[gibbs->aim->variables[target->begin]] == target->cell;
}

static void gibbs_sampling_look(const sampling_gibbs *gibbs, sampling_member *member, double *sums) {
    const crd_i_aim *aim = gibbs->aim;
    for (size_t i = 0; i < aim->target_count; i++) {
        size_t first, count;
        if (is_alone(&aim->targets[i], gibbs)) continue;
        crd_i_aim_look(aim, &aim->targets[i], gibbs->proposal, &member->draws[0], member->look, &first, &count);
        for (size_t j = 0; j < count; j++) sums[first + j] += member->look[j];
    }
}

static crd_status make_chain(void *state, unsigned number, size_t chain, unsigned slot, crd_error *error) {
    sampling_gibbs *gibbs = state;
    chain_sums *target_sums = &gibbs->slots[slot];
    sampling_member *member = &gibbs->members[number];
    uint64_t length = gibbs->draws / gibbs->chains + (chain < gibbs->draws % gibbs->chains), unused = length / 10 + 1;
    crd_i_random random = crd_i_random_at(gibbs->seed, CRD_I_STREAM_CHAINS + chain);
    const crd_i_weights none = {0};
    target_sums->offered = none;
    target_sums->taken = 0;
    memset(target_sums->means, 0, gibbs->aim->cells * sizeof *target_sums->means);
    target_sums->is_possible = begin_chain(gibbs, member, &random);
    for (uint64_t i = 0; target_sums->is_possible && i < unused + length; i++) {
        if (i % 256 == 0 && crd_i_context_cancelled(gibbs->aim->reduced->context)) return crd_i_fail_cancelled(error);
        gibbs_sampling_sweep(gibbs, member, &random, i < unused ? NULL : target_sums->means);
        gibbs_sampling_offer(gibbs, member, &random, target_sums);
        if (i >= unused) gibbs_sampling_look(gibbs, member, target_sums->means);
    }
    for (size_t i = 0; i < gibbs->aim->cells; i++) target_sums->means[i] /= (double)length;
    crd_i_stage_add(&gibbs->stage, 1);
    return CRD_OK;
}

static crd_status take_chain(void *state, size_t chain, unsigned slot, crd_error *error) {
    sampling_gibbs *gibbs = state;
    const chain_sums *source_sums = &gibbs->slots[slot];
    double ours, theirs;
    (void)chain;
    (void)error;
    gibbs->is_possible = gibbs->is_possible && source_sums->is_possible;
    gibbs->taken += source_sums->taken;
    crd_i_weights_merge(&gibbs->offered, &source_sums->offered, &ours, &theirs);
    gibbs->count++;
    for (size_t i = 0; i < gibbs->aim->cells; i++) {
        double difference = source_sums->means[i] - gibbs->means[i];
        gibbs->means[i] += difference / gibbs->count;
        gibbs->squares[i] += difference * (source_sums->means[i] - gibbs->means[i]);
    }
    return CRD_OK;
}

/* Sets estimates and standard errors. With few chains the spread is itself uncertain, so errors use Student's t
 * distribution. The bound for missed events depends on the number of independent draws, which are the accepted
 * proposals, and on the weight of rarely proposed states. */
static void gibbs_sampling_estimate(const sampling_gibbs *gibbs, crd_inference_result *result) {
    const crd_i_aim *aim = gibbs->aim;
    double chains = gibbs->count, worst = -1, shown = gibbs->taken + chains;
    double surely = crd_i_weights_surely(&gibbs->offered);
    if (surely > 0 && surely < shown) shown = surely;
    result->draws = (double)gibbs->draws;
    result->effective_draws = result->draws;
    for (size_t i = 0; i < aim->cells; i++) {
        double p = gibbs->means[i], variance = gibbs->squares[i] / (chains - 1) / chains * (chains - 1) / (chains - 3);
        aim->estimates[i] = p;
        aim->errors[i] = crd_i_honest_error(variance, shown);
        if (variance <= worst) continue;
        worst = variance;
        result->effective_draws = p * (1 - p) < variance * result->draws ? p * (1 - p) / variance : result->draws;
    }
    crd_i_weights_evidence(&gibbs->offered, gibbs->proposal, result);
}

static bool open_members(sampling_gibbs *gibbs, crd_i_arena *arena, unsigned threads) {
    const crd_i_reduced *reduced = gibbs->aim->reduced;
    bool done = true;
    for (unsigned i = 0; done && i < threads; i++) {
        gibbs->members[i].look = crd_i_arena_alloc(arena, reduced->widest, sizeof(double));
        done = gibbs->members[i].look != NULL && crd_i_draw_open(reduced, &gibbs->members[i].draws[0]) &&
               crd_i_draw_open(reduced, &gibbs->members[i].draws[1]);
    }
    return done;
}

static void gibbs_sampling_close_members(const sampling_gibbs *gibbs, unsigned threads) {
    for (unsigned i = 0; gibbs->members != NULL && i < threads; i++) {
        crd_i_draw_close(&gibbs->members[i].draws[0]);
        crd_i_draw_close(&gibbs->members[i].draws[1]);
    }
}

static void find_single_cells(sampling_gibbs *gibbs) {
    const crd_i_aim *aim = gibbs->aim;
    for (size_t i = 0; i < aim->reduced->count; i++) gibbs->cell_of[i] = SIZE_MAX;
    for (size_t i = 0; i < aim->target_count; i++) {
        const crd_i_target *target = &aim->targets[i];
        size_t *cell = &gibbs->cell_of[aim->variables[target->begin]];
        if (target->end == target->begin + 1 && *cell == SIZE_MAX) *cell = target->cell;
    }
}

crd_status crd_i_gibbs(const crd_i_aim *aim, const crd_i_proposal *proposal, crd_inference_result *result,
                       crd_error *error) {
    const crd_i_reduced *reduced = aim->reduced;
    const crd_inference_options *options = &aim->query->options;
    crd_context *context = reduced->context;
    const unsigned threads = crd_i_sampling_threads(options->threads, aim->cells);
    const size_t slots = (size_t)threads * CRD_I_SLOTS_OF_THREAD, cells = aim->cells;
    sampling_gibbs gibbs = {.aim = aim, .proposal = proposal, .seed = options->seed, .is_possible = true};
    gibbs.draws = crd_i_draw_count(options);
    if (gibbs.draws < FEWEST) gibbs.draws = FEWEST;
    gibbs.chains = gibbs.draws / SHORTEST;
    gibbs.chains = gibbs.chains < FEWEST ? FEWEST : gibbs.chains > CHAINS ? CHAINS : gibbs.chains;
    crd_i_arena *arena = crd_i_arena_create(context);
    gibbs.cell_of = crd_i_arena_alloc(arena, reduced->count, sizeof *gibbs.cell_of);
    gibbs.means = crd_i_arena_alloc_zeroed(arena, cells, sizeof *gibbs.means);
    gibbs.squares = crd_i_arena_alloc_zeroed(arena, cells, sizeof *gibbs.squares);
    gibbs.members = crd_i_arena_alloc_zeroed(arena, threads, sizeof *gibbs.members);
    double *numbers = crd_i_arena_alloc(arena, slots * cells, sizeof *numbers);
    bool done = !crd_i_arena_failed(arena) && open_members(&gibbs, arena, threads);
    if (done) find_single_cells(&gibbs);
    for (size_t i = 0; done && i < slots; i++) gibbs.slots[i].means = numbers + i * cells;
    const crd_i_ordered_work work = {
        .user = &gibbs, .tasks = (size_t)gibbs.chains, .threads = threads, .work = make_chain, .take = take_chain};
    crd_i_stage_begin(&gibbs.stage, "sampling", gibbs.chains);
    crd_status status = done ? crd_i_ordered_work_run(context, &work, error) : crd_i_fail_memory(error);
    crd_i_stage_end(&gibbs.stage);
    if (status == CRD_OK && !gibbs.is_possible) status = crd_i_fail_no_draw(MOST_STARTS, error);
    if (status == CRD_OK) gibbs_sampling_estimate(&gibbs, result);
    gibbs_sampling_close_members(&gibbs, threads);
    crd_i_arena_destroy(arena);
    return status;
}
