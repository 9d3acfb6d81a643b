/* SPDX-License-Identifier: MIT */
/* gibbs_sampling.c - posteriors from chains of draws, each a small change of the one before.
 *
 * In a sweep each variable in its turn is drawn anew, given the states of all others (Geman and Geman 1984). Where
 * tables have zeros, or nearly so, one variable at a time may never get from one possible state to another; so after
 * each sweep a draw of all variables by the proposal is offered as the next state, and taken with the probability
 * min(1, w'/w) of its weight and of that of the present state, which leaves the posterior as it is (Metropolis,
 * Hastings; Tierney 1994).
 *
 * Chains begin with one of several draws of the proposal, chosen by their weights, and their first tenth is not
 * counted. They know nothing of each other: how much their means differ is the error, however slowly each of them
 * moves. */
#include "infer/approximate/estimates.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>
#include <string.h>

/* With so many chains, two standard errors of their mean are in fact an interval of 95 %; chains are of SHORTEST sweeps
 * at least, if there are more than FEWEST. The first state is one of STARTS, and where all of these are impossible the
 * first that is not, of MOST_STARTS. */
enum { CHAINS = 64, FEWEST = 8, SHORTEST = 64, STARTS = 32, MOST_STARTS = 10000 };

/* What a chain has to say: by cell, the mean of what its states say. */
typedef struct chain_sums {
    crd_i_weights offered; /* what the proposals are worth, all of them draws by themselves */
    double taken;          /* offers */
    double *means;
    bool is_possible;
} chain_sums;

typedef struct member {
    crd_i_draw draws[2];
    double *look;
} member;

typedef struct gibbs {
    const crd_i_aim *aim;
    const crd_i_proposal *proposal;
    uint64_t draws, chains, seed;
    size_t *cell_of; /* by variable: the first cell of what is asked of it alone; SIZE_MAX: nothing */
    member *members;
    chain_sums slots[CRD_I_MOST_SLOTS];
    /* Of the chains so far: how many, mean and sum of squared differences from it (Welford 1962). */
    double count, *means, *squares, taken;
    bool is_possible;
    crd_i_weights offered;
} gibbs;

/* The ratio of the weights of two draws. */
static double weight_ratio(const crd_i_draw *of, const crd_i_draw *to) {
    int64_t power = of->weight.exponent - to->weight.exponent;
    return of->weight.mantissa / to->weight.mantissa *
           ldexp(1, power < -1000  ? -1000
                    : power > 1000 ? 1000
                                   : (int)power);
}

static void swap(member *own) {
    crd_i_draw kept = own->draws[0];
    own->draws[0] = own->draws[1];
    own->draws[1] = kept;
}

static bool begin_chain(const gibbs *own, member *with, crd_i_random *random) {
    crd_i_weights seen = {0};
    for (size_t i = 0; i < MOST_STARTS && (i < STARTS || seen.sum == 0); i++) {
        double weight;
        if (!crd_i_proposal_draw(own->proposal, random, &with->draws[1])) continue;
        crd_i_weights_add(&seen, &with->draws[1], &weight);
        if (crd_i_random_uniform(random) * seen.sum < weight) swap(with);
    }
    return seen.sum > 0;
}

/* Each variable in its turn; what is asked of one alone is what its chances are just before. */
static void sweep(const gibbs *own, member *with, crd_i_random *random, double *sums) {
    const crd_i_reduced *reduced = own->aim->reduced;
    crd_i_draw *draw = &with->draws[0];
    for (size_t i = 0; i < reduced->count; i++) {
        uint32_t variable = own->proposal->ways[0]->order[i], size = reduced->size_of[variable];
        double sum = crd_i_proposal_conditional(own->proposal, draw, variable, draw->room);
        if (sums != NULL && own->cell_of[variable] != SIZE_MAX)
            for (uint32_t j = 0; j < size; j++) sums[own->cell_of[variable] + j] += draw->room[j] / sum;
        uint32_t state = crd_i_importance_sampler_pick(random, draw->room, size, sum);
        if (state != draw->states[variable]) crd_i_proposal_set(own->proposal, draw, variable, state);
    }
}

static void offer(const gibbs *own, member *with, crd_i_random *random, chain_sums *to) {
    double weight;
    bool is_possible = crd_i_proposal_draw(own->proposal, random, &with->draws[1]);
    double chance = crd_i_random_uniform(random);
    crd_i_weights_add(&to->offered, &with->draws[1], &weight);
    if (!is_possible || !crd_i_proposal_weigh(own->proposal, &with->draws[0])) return;
    if (chance >= weight_ratio(&with->draws[1], &with->draws[0])) return;
    swap(with);
    to->taken++;
}

static bool is_alone(const crd_i_target *target, const gibbs *own) {
    return own->cell_of[own->aim->variables[target->begin]] == target->cell;
}

static void look(const gibbs *own, member *with, double *sums) {
    const crd_i_aim *aim = own->aim;
    for (size_t i = 0; i < aim->target_count; i++) {
        size_t first, count;
        if (is_alone(&aim->targets[i], own)) continue;
        crd_i_aim_look(aim, &aim->targets[i], own->proposal, &with->draws[0], with->look, &first, &count);
        for (size_t j = 0; j < count; j++) sums[first + j] += with->look[j];
    }
}

static void make_chain(void *state, unsigned number, uint64_t chain, size_t slot) {
    const gibbs *own = state;
    chain_sums *to = &((gibbs *)state)->slots[slot];
    member *with = &own->members[number];
    uint64_t length = own->draws / own->chains + (chain < own->draws % own->chains), unused = length / 10 + 1;
    crd_i_random random = crd_i_random_at(own->seed, CRD_I_STREAM_CHAINS + chain);
    const crd_i_weights none = {0};
    to->offered = none;
    to->taken = 0;
    memset(to->means, 0, own->aim->cells * sizeof *to->means);
    to->is_possible = begin_chain(own, with, &random);
    for (uint64_t i = 0; to->is_possible && i < unused + length; i++) {
        if (i % 256 == 0 && crd_i_context_cancelled(own->aim->reduced->context)) return;
        sweep(own, with, &random, i < unused ? NULL : to->means);
        offer(own, with, &random, to);
        if (i >= unused) look(own, with, to->means);
    }
    for (size_t i = 0; i < own->aim->cells; i++) to->means[i] /= (double)length;
}

static void take_chain(void *state, uint64_t chain, size_t slot) {
    gibbs *own = state;
    const chain_sums *from = &own->slots[slot];
    double ours, theirs;
    (void)chain;
    own->is_possible = own->is_possible && from->is_possible;
    own->taken += from->taken;
    crd_i_weights_merge(&own->offered, &from->offered, &ours, &theirs);
    own->count++;
    for (size_t i = 0; i < own->aim->cells; i++) {
        double difference = from->means[i] - own->means[i];
        own->means[i] += difference / own->count;
        own->squares[i] += difference * (from->means[i] - own->means[i]);
    }
}

/* Few chains know their own spread badly: their errors are those of Student's distribution. What may have been missed
 * depends on how many draws had nothing to do with each other: those that were taken as they were offered, and on how
 * much those weigh that are seldom offered. */
static void estimate(const gibbs *own, crd_inference_result *asked) {
    const crd_i_aim *aim = own->aim;
    double chains = own->count, worst = -1, shown = own->taken + chains;
    double surely = crd_i_weights_surely(&own->offered);
    if (surely > 0 && surely < shown) shown = surely;
    asked->draws = (double)own->draws;
    asked->effective_draws = asked->draws;
    for (size_t i = 0; i < aim->cells; i++) {
        double p = own->means[i], variance = own->squares[i] / (chains - 1) / chains * (chains - 1) / (chains - 3);
        aim->estimates[i] = p;
        aim->errors[i] = crd_i_honest_error(variance, shown);
        if (variance <= worst) continue;
        worst = variance;
        asked->effective_draws = p * (1 - p) < variance * asked->draws ? p * (1 - p) / variance : asked->draws;
    }
    crd_i_weights_evidence(&own->offered, own->proposal, asked);
}

static bool open_members(gibbs *own, unsigned threads) {
    const crd_i_reduced *reduced = own->aim->reduced;
    own->members = crd_i_alloc_zeroed(reduced->context, threads, sizeof *own->members);
    bool done = own->members != NULL;
    for (unsigned i = 0; done && i < threads; i++) {
        own->members[i].look = crd_i_alloc(reduced->context, reduced->widest, sizeof(double));
        done = own->members[i].look != NULL && crd_i_draw_open(reduced, &own->members[i].draws[0]) &&
               crd_i_draw_open(reduced, &own->members[i].draws[1]);
    }
    return done;
}

static void close_members(const gibbs *own, unsigned threads) {
    const crd_i_reduced *reduced = own->aim->reduced;
    for (unsigned i = 0; own->members != NULL && i < threads; i++) {
        crd_free(reduced->context, own->members[i].look);
        crd_i_draw_close(reduced, &own->members[i].draws[0]);
        crd_i_draw_close(reduced, &own->members[i].draws[1]);
    }
    crd_free(reduced->context, own->members);
}

static void find_single_cells(gibbs *own) {
    const crd_i_aim *aim = own->aim;
    for (size_t i = 0; i < aim->reduced->count; i++) own->cell_of[i] = SIZE_MAX;
    for (size_t i = 0; i < aim->target_count; i++) {
        const crd_i_target *target = &aim->targets[i];
        size_t *cell = &own->cell_of[aim->variables[target->begin]];
        if (target->end == target->begin + 1 && *cell == SIZE_MAX) *cell = target->cell;
    }
}

crd_status crd_i_gibbs(const crd_i_aim *aim, const crd_i_proposal *proposal, crd_inference_result *asked,
                       crd_error *error) {
    const crd_i_reduced *reduced = aim->reduced;
    const crd_inference_options *options = &aim->question->options;
    crd_context *context = reduced->context;
    unsigned threads = crd_i_thread_pool_size(options->threads);
    size_t slots = crd_i_pieces_slots(aim->cells), cells = aim->cells;
    gibbs own = {.aim = aim, .proposal = proposal, .seed = options->seed, .is_possible = true};
    own.draws = crd_i_draw_count(options);
    if (own.draws < FEWEST) own.draws = FEWEST;
    own.chains = own.draws / SHORTEST;
    own.chains = own.chains < FEWEST ? FEWEST : own.chains > CHAINS ? CHAINS : own.chains;
    if (threads > slots) threads = (unsigned)slots;
    own.cell_of = crd_i_alloc(context, reduced->count, sizeof *own.cell_of);
    own.means = crd_i_alloc_zeroed(context, cells, sizeof *own.means);
    own.squares = crd_i_alloc_zeroed(context, cells, sizeof *own.squares);
    double *numbers = crd_i_alloc(context, slots * cells, sizeof *numbers);
    bool done = open_members(&own, threads) && own.cell_of != NULL && own.means != NULL && own.squares != NULL &&
                numbers != NULL;
    if (done) find_single_cells(&own);
    for (size_t i = 0; done && i < slots; i++) own.slots[i].means = numbers + i * cells;
    const crd_i_pieces pieces = {.context = context,
                                 .count = own.chains,
                                 .slots = slots,
                                 .threads = threads,
                                 .state = &own,
                                 .make = make_chain,
                                 .take = take_chain};
    crd_status status = done ? crd_i_pieces_run(&pieces, error) : crd_i_fail_memory(error);
    if (status == CRD_OK && !own.is_possible) status = crd_i_fail_no_draw(MOST_STARTS, error);
    if (status == CRD_OK) estimate(&own, asked);
    close_members(&own, threads);
    crd_free(context, own.cell_of);
    crd_free(context, own.means);
    crd_free(context, own.squares);
    crd_free(context, numbers);
    return status;
}
