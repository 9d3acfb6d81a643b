/* SPDX-License-Identifier: MIT */
/* transition_model.c - estimates transition probabilities. See hmm_internal.h for the formulas.
 *
 * Contents:
 *   1. Allowed transitions
 *   2. Transition probabilities */
#include "sequence/hmm_internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>

/* ======== 1. Allowed transitions ========
 *
 * The settings topology, forbidden and ends determine which transitions are allowed. */

/* Maximum number of states. The transitions of this many states take 0.5 GiB as doubles. */
enum { MAX_STATES = 8192 };

static void transition_rules_clear(crd_i_transition_rules *rules) {
    crd_free(rules->context, rules->start);
    crd_free(rules->context, rules->end);
    crd_free(rules->context, rules->next);
    rules->start = rules->end = rules->next = NULL;
}

/* Sets the transitions that the topology allows. Left to right: sequences begin with the first state, never go back,
 * and skip at most `most_skipped` states. */
static void set_topology(crd_i_transition_rules *rules, const crd_settings *settings) {
    size_t states = rules->states;
    bool is_ordered = settings->is_left_to_right;
    for (size_t i = 0; i < states; i++) {
        rules->start[i] = !is_ordered || i == 0;
        rules->end[i] = rules->has_end;
        for (size_t j = 0; j < states; j++)
            rules->next[i * states + j] =
                !is_ordered || (j >= i && (j <= i + 1 || j - i - 1 <= settings->most_skipped));
    }
}

/* Finds the number of a state; `states` for the begin or the end, which is called `mark`. */
static crd_status transition_rules_find_state(const crd_i_dictionary *states, crd_text name, const char *mark,
                                              size_t *out, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    int32_t found = crd_i_dictionary_find(states, name);
    *out = found >= 0 ? (size_t)found : crd_i_dictionary_size(states);
    if (found >= 0 || crd_text_equal(name, crd_text_of(mark))) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_SETTING, "the setting forbidden-transitions names '%s', which is not a state",
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, crd_text_of("forbidden-transitions"));
    return CRD_ERROR_SETTING;
}

/* Forbids one transition between states, from the begin, or to the end. */
static crd_status transition_rules_forbid(crd_i_transition_rules *rules, const crd_i_dictionary *states, crd_text view,
                                          crd_text target_text, crd_error *error) {
    size_t i, j;
    crd_status status = transition_rules_find_state(states, view, "start", &i, error);
    if (status == CRD_OK) status = transition_rules_find_state(states, target_text, "end", &j, error);
    if (status != CRD_OK) return status;
    if (j == rules->states && (i == rules->states || !rules->has_end)) {
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "the setting forbidden-transitions has a transition to the end, which needs end-probabilities=yes");
        crd_i_error_subject(error, crd_text_of("forbidden-transitions"));
        return CRD_ERROR_SETTING;
    }
    if (i == rules->states) rules->start[j] = false;
    else if (j == rules->states) rules->end[i] = false;
    else rules->next[i * rules->states + j] = false;
    return CRD_OK;
}

static crd_status set_forbidden(crd_i_transition_rules *rules, const crd_i_arcs *arcs, const crd_i_dictionary *states,
                                crd_error *error) {
    if (arcs->nodes == NULL) return CRD_OK;
    for (size_t child = 0, index = 0; child < crd_i_dictionary_size(arcs->nodes); child++) {
        for (; index < arcs->ends[child]; index++) {
            crd_status status =
                transition_rules_forbid(rules, states, crd_i_dictionary_text(arcs->nodes, arcs->parents[index]),
                                        crd_i_dictionary_text(arcs->nodes, child), error);
            if (status != CRD_OK) return status;
        }
    }
    return CRD_OK;
}

/* Checks that some state may begin a sequence, and that something may follow each state. */
static crd_status check_ways_on(const crd_i_transition_rules *rules, const crd_i_dictionary *states, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t first = 0, bad = rules->states;
    while (first < rules->states && !rules->start[first]) first++;
    for (size_t i = 0; i < rules->states && bad == rules->states; i++) {
        bool goes_on = rules->end[i];
        for (size_t j = 0; j < rules->states && !goes_on; j++) goes_on = rules->next[i * rules->states + j];
        if (!goes_on) bad = i;
    }
    if (first < rules->states && bad == rules->states) return CRD_OK;
    if (first == rules->states)
        crd_i_fail(error, CRD_ERROR_SETTING, "the forbidden transitions leave no state at which a sequence can begin");
    else
        crd_i_fail(error, CRD_ERROR_SETTING, "the forbidden transitions leave no state that can follow the state '%s'",
                   crd_i_quote(crd_i_dictionary_text(states, bad), quoted));
    crd_i_error_subject(error, crd_text_of("forbidden-transitions"));
    return CRD_ERROR_SETTING;
}

/* Determines the allowed transitions. The names `start` and `end` mean the begin and the end of a sequence unless they
 * are states. Returns CRD_ERROR_SETTING if a transition names an unknown state, or if nothing may follow some state or
 * the begin. */
static crd_status transition_rules_init(crd_i_transition_rules *rules, const crd_settings *settings,
                                        const crd_i_dictionary *states, crd_error *error) {
    crd_context *context = settings->context;
    size_t count = crd_i_dictionary_size(states);
    if (count > MAX_STATES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "too many states: %zu; transitions can be derived for at most %d",
                          count, MAX_STATES);
    const crd_i_transition_rules transition = {.context = context,
                                               .states = count,
                                               .has_end = settings->has_end_probabilities,
                                               .start = crd_i_alloc(context, count, sizeof(bool)),
                                               .end = crd_i_alloc(context, count, sizeof(bool)),
                                               .next = crd_i_alloc(context, count * count, sizeof(bool))};
    *rules = transition;
    if (transition.start == NULL || transition.end == NULL || transition.next == NULL) {
        transition_rules_clear(rules);
        return crd_i_fail_memory(error);
    }
    set_topology(rules, settings);
    crd_status status = set_forbidden(rules, &settings->forbidden_transitions, states, error);
    if (status == CRD_OK) status = check_ways_on(rules, states, error);
    if (status != CRD_OK) transition_rules_clear(rules);
    return status;
}

/* ======== 2. Transition probabilities ======== */

enum { SYMBOL_BITS = 16 };

/* ---- Counts by context ---- */

typedef struct model_successor {
    uint64_t context;
    uint32_t next;
    double count;
} model_successor;

static int compare_followed(const void *left, const void *right) {
    const model_successor *a = left, *b = right;
    if (a->context != b->context) return a->context < b->context ? -1 : 1;
    return a->next < b->next ? -1 : a->next > b->next;
}

static uint64_t transition_model_pack(const uint32_t *symbols, size_t count) {
    uint64_t key = 0;
    for (size_t i = 0; i < count; i++) key = key << SYMBOL_BITS | symbols[i];
    return key;
}

void crd_i_transition_context(uint64_t packed, size_t length, uint32_t *symbols) {
    for (size_t i = length; i-- > 0; packed >>= SYMBOL_BITS) symbols[i] = (uint32_t)(packed & 0xffff);
}

/* Selects and sorts the n-grams that count for contexts of `length` symbols. Returns their number. */
static size_t select_ngrams(const crd_i_transition_model *model, const crd_i_ngram *ngrams, size_t count, size_t order,
                            size_t length, model_successor *out) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *context = ngrams[i].symbols + order - length;
        uint32_t next = ngrams[i].symbols[order];
        if (next == CRD_I_SYMBOL_END && !model->rules.has_end) continue;
        /* Marks come before all states, so only the first symbol needs a check. */
        if (length > 0 && context[0] == CRD_I_SYMBOL_UNKNOWN) continue;
        model_successor *successor = &out[found++];
        successor->context = transition_model_pack(context, length);
        successor->next = next == CRD_I_SYMBOL_END ? (uint32_t)model->states : next;
        successor->count = ngrams[i].count;
    }
    if (found > 0) qsort(out, found, sizeof *out, compare_followed);
    return found;
}

static void level_clear(crd_context *context, crd_i_transition_level *level) {
    crd_free(context, level->contexts);
    crd_free(context, level->first);
    crd_free(context, level->totals);
    crd_free(context, level->next);
    crd_free(context, level->counts);
}

/* Fills a level from the sorted n-grams. Returns false if out of memory. */
static bool fill_level(crd_context *context, crd_i_transition_level *level, const model_successor *successor,
                       size_t count) {
    level->contexts = crd_i_alloc(context, count, sizeof *level->contexts);
    level->first = crd_i_alloc_zeroed(context, count + 1, sizeof *level->first);
    level->totals = crd_i_alloc_zeroed(context, count, sizeof *level->totals);
    level->next = crd_i_alloc(context, count, sizeof *level->next);
    level->counts = crd_i_alloc(context, count, sizeof *level->counts);
    if (level->contexts == NULL || level->first == NULL || level->totals == NULL || level->next == NULL ||
        level->counts == NULL)
        return false;
    size_t entries = 0, contexts = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new = i == 0 || successor[i].context != successor[i - 1].context;
        if (is_new) {
            level->contexts[contexts] = successor[i].context;
            level->first[contexts++] = entries;
        }
        if (is_new || successor[i].next != successor[i - 1].next) {
            level->next[entries] = successor[i].next;
            level->counts[entries++] = 0;
        }
        level->counts[entries - 1] += successor[i].count;
        level->totals[contexts - 1] += successor[i].count;
    }
    level->first[contexts] = entries;
    level->context_count = contexts;
    return true;
}

/* Returns the index of a context; SIZE_MAX: it never occurred. */
static size_t transition_model_find_context(const crd_i_transition_level *level, uint64_t context) {
    size_t begin = 0, end = level->context_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (level->contexts[middle] < context) begin = middle + 1;
        else end = middle;
    }
    return begin < level->context_count && level->contexts[begin] == context ? begin : SIZE_MAX;
}

/* ---- Deleted interpolation ---- */

static double transition_model_count(const crd_i_transition_level *level, size_t context, uint32_t next) {
    size_t begin = level->first[context], end = level->first[context + 1];
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (level->next[middle] < next) begin = middle + 1;
        else end = middle;
    }
    return begin < level->first[context + 1] && level->next[begin] == next ? level->counts[begin] : 0;
}

/* Returns the context length that best predicts the next symbol after one of its occurrences is removed. Ties go to the
 * longest context. */
static size_t best_length(const crd_i_transition_model *model, uint64_t context, uint32_t next) {
    size_t best = 0;
    double greatest = -1;
    for (size_t length = 0; length <= model->order; length++) {
        const crd_i_transition_level *level = &model->levels[length];
        uint64_t mask = length == 0 ? 0 : UINT64_MAX >> (64 - SYMBOL_BITS * length);
        size_t index = transition_model_find_context(level, context & mask);
        double count = transition_model_count(level, index, next) - 1, total = level->totals[index] - 1;
        double left = count > 0 && total > 0 ? count / total : 0;
        if (left < greatest) continue;
        greatest = left;
        best = length;
    }
    return best;
}

/* Estimates the interpolation weights. */
static void transition_model_interpolate(crd_i_transition_model *model) {
    const crd_i_transition_level *longest = &model->levels[model->order];
    double total = (double)(model->order + 1);
    for (size_t length = 0; length <= model->order; length++) model->weights[length] = 1;
    for (size_t i = 0; i < longest->context_count; i++) {
        for (size_t entry = longest->first[i]; entry < longest->first[i + 1]; entry++) {
            model->weights[best_length(model, longest->contexts[i], longest->next[entry])] += longest->counts[entry];
            total += longest->counts[entry];
        }
    }
    for (size_t length = 0; length <= model->order; length++) model->weights[length] /= total;
}

/* ---- Derivation ---- */

/* Chooses the estimate that the settings specify for this order. */
static void choose_estimate(crd_i_transition_model *model, const crd_settings *settings, bool is_hidden) {
    static const crd_i_transition_estimate of_smoothing[] = {[CRD_I_SMOOTHING_NONE] = CRD_I_TRANSITIONS_NONE,
                                                             [CRD_I_SMOOTHING_M] = CRD_I_TRANSITIONS_M,
                                                             [CRD_I_SMOOTHING_LAPLACE] = CRD_I_TRANSITIONS_LAPLACE};
    model->estimate = settings->transitions;
    model->strength = settings->transition_strength;
    if (settings->transitions > CRD_I_TRANSITIONS_SMOOTHING) return;
    /* Deleted interpolation gives some weight to the overall state frequencies, which shortens long-lasting regimes.
     * Labels seldom form such regimes, but hidden states often do. */
    if (settings->transitions == CRD_I_TRANSITIONS_AUTO && model->order > 1 && !is_hidden) {
        model->estimate = CRD_I_TRANSITIONS_INTERPOLATED;
        return;
    }
    model->estimate = of_smoothing[settings->smoothing];
    model->strength =
        settings->smoothing_bdeu > 0 ? settings->smoothing_bdeu / (double)model->states : settings->smoothing_strength;
    model->is_marginal = settings->smoothing_marginal;
}

/* Computes the counts for all context lengths from 0 to the order. */
static crd_status count_levels(crd_i_transition_model *model, const crd_i_ngram_counts *counts, const uint32_t *ranks,
                               crd_error *error) {
    crd_i_ngram *ngrams;
    size_t count;
    crd_status status = crd_i_ngram_counts_list(counts, ranks, &ngrams, &count, error);
    if (status != CRD_OK) return status;
    model_successor *selected = crd_i_alloc(model->context, count, sizeof *selected);
    if (selected == NULL) status = crd_i_fail_memory(error);
    for (size_t length = 0; status == CRD_OK && length <= model->order; length++) {
        size_t found = select_ngrams(model, ngrams, count, counts->order, length, selected);
        if (!fill_level(model->context, &model->levels[length], selected, found)) status = crd_i_fail_memory(error);
    }
    crd_free(model->context, selected);
    crd_free(model->context, ngrams);
    return status;
}

crd_status crd_i_transition_model_create(const crd_i_ngram_counts *counts, const uint32_t *ranks,
                                         const crd_i_dictionary *states, bool is_hidden, const crd_settings *settings,
                                         crd_i_transition_model **out, crd_error *error) {
    *out = NULL;
    if (settings->order > counts->order) {
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "the model has counts of transitions up to order %zu: a higher order needs a new training",
                   counts->order);
        crd_i_error_subject(error, crd_text_of("order"));
        return CRD_ERROR_SETTING;
    }
    crd_i_transition_model *model = crd_i_alloc_zeroed(counts->context, 1, sizeof *model);
    if (model == NULL) return crd_i_fail_memory(error);
    model->context = counts->context;
    model->states = crd_i_dictionary_size(states);
    model->order = settings->order;
    crd_status status = transition_rules_init(&model->rules, settings, states, error);
    if (status == CRD_OK) status = count_levels(model, counts, ranks, error);
    if (status != CRD_OK) {
        crd_i_transition_model_destroy(model);
        return status;
    }
    choose_estimate(model, settings, is_hidden);
    if (model->estimate == CRD_I_TRANSITIONS_INTERPOLATED) transition_model_interpolate(model);
    *out = model;
    return CRD_OK;
}

void crd_i_transition_model_destroy(crd_i_transition_model *model) {
    if (model == NULL) return;
    transition_rules_clear(&model->rules);
    for (size_t i = 0; i <= CRD_I_MOST_ORDER; i++) level_clear(model->context, &model->levels[i]);
    crd_free(model->context, model);
}

/* ---- Probabilities ---- */

/* Returns whether a symbol may follow the latest one. */
static bool may_follow(const crd_i_transition_rules *rules, uint32_t latest, size_t next) {
    if (latest == CRD_I_SYMBOL_BEGIN) return next < rules->states && rules->start[next];
    return next < rules->states ? rules->next[latest * rules->states + next] : rules->end[latest];
}

/* Counts after a context, of the symbols that may follow. */
typedef struct model_count {
    const crd_i_transition_level *level;
    size_t begin, end;
    double total; /* 0: no counts */
} model_count;

static model_count count_behind(const crd_i_transition_model *model, const uint32_t *context, size_t length) {
    const crd_i_transition_level *level = &model->levels[length];
    uint32_t latest = context[model->order - 1];
    size_t index = transition_model_find_context(level, transition_model_pack(context + model->order - length, length));
    model_count counted = {level, 0, 0, 0};
    if (index == SIZE_MAX) return counted;
    counted.begin = level->first[index];
    counted.end = level->first[index + 1];
    for (size_t i = counted.begin; i < counted.end; i++)
        if (may_follow(&model->rules, latest, level->next[i])) counted.total += level->counts[i];
    return counted;
}

static void transition_model_add_share(const crd_i_transition_model *model, uint32_t latest, const model_count *counted,
                                       double weight, double *destination) {
    for (size_t i = counted->begin; i < counted->end; i++)
        if (may_follow(&model->rules, latest, counted->level->next[i]))
            destination[counted->level->next[i]] += weight * (counted->level->counts[i] / counted->total);
}

static void spread_evenly(const crd_i_transition_model *model, uint32_t latest, double weight, double *destination) {
    size_t ways = 0;
    for (size_t i = 0; i <= model->states; i++) ways += may_follow(&model->rules, latest, i);
    for (size_t i = 0; i <= model->states; i++)
        if (may_follow(&model->rules, latest, i)) destination[i] += weight / (double)ways;
}

/* Adds the relative frequencies after the longest suffix of the context that occurred. */
static void add_longest(const crd_i_transition_model *model, const uint32_t *context, double *destination) {
    uint32_t latest = context[model->order - 1];
    for (size_t length = model->order + 1; length-- > 0;) {
        model_count counted = count_behind(model, context, length);
        if (counted.total > 0) {
            transition_model_add_share(model, latest, &counted, 1, destination);
            return;
        }
    }
    spread_evenly(model, latest, 1, destination);
}

/* Adds the interpolated probabilities. Context lengths without counts are skipped and the other weights scaled up. */
static void add_interpolated(const crd_i_transition_model *model, const uint32_t *context, double *destination) {
    uint32_t latest = context[model->order - 1];
    model_count counted[CRD_I_MOST_ORDER + 1];
    double weights = 0;
    for (size_t length = 0; length <= model->order; length++) {
        counted[length] = count_behind(model, context, length);
        if (counted[length].total > 0) weights += model->weights[length];
    }
    for (size_t length = 0; weights > 0 && length <= model->order; length++)
        if (counted[length].total > 0)
            transition_model_add_share(model, latest, &counted[length], model->weights[length] / weights, destination);
    if (!(weights > 0)) add_longest(model, context, destination);
}

/* Adds the counts of the context, smoothed with `pseudo` pseudo-counts that are distributed evenly or by relative
 * frequency. */
static void add_smoothed(const crd_i_transition_model *model, const uint32_t *context, double pseudo,
                         double *destination) {
    uint32_t latest = context[model->order - 1];
    model_count counted = count_behind(model, context, model->order), all = count_behind(model, context, 0);
    double total = counted.total + pseudo;
    if (model->is_marginal && all.total > 0)
        transition_model_add_share(model, latest, &all, pseudo / total, destination);
    else spread_evenly(model, latest, pseudo / total, destination);
    if (counted.total > 0) transition_model_add_share(model, latest, &counted, counted.total / total, destination);
}

void crd_i_transition_model_row(const crd_i_transition_model *model, const uint32_t *context, double *probabilities) {
    size_t ways = 0;
    for (size_t i = 0; i <= model->states; i++) {
        probabilities[i] = 0;
        ways += may_follow(&model->rules, context[model->order - 1], i);
    }
    switch (model->estimate) {
    case CRD_I_TRANSITIONS_INTERPOLATED: add_interpolated(model, context, probabilities); return;
    case CRD_I_TRANSITIONS_M: add_smoothed(model, context, model->strength, probabilities); return;
    case CRD_I_TRANSITIONS_LAPLACE: add_smoothed(model, context, model->strength * (double)ways, probabilities); return;
    default: add_longest(model, context, probabilities);
    }
}

size_t crd_i_transition_model_parameters(const crd_i_transition_model *model) {
    size_t states = model->states, free_ones = 0, starts = 0, contexts = 1;
    for (size_t i = 0; i < states; i++) {
        size_t ways = 0;
        starts += model->rules.start[i];
        for (size_t j = 0; j <= states; j++) ways += may_follow(&model->rules, (uint32_t)i, j);
        free_ones += ways - 1;
    }
    for (size_t i = 1; i < model->order; i++) contexts *= states;
    return starts - 1 + free_ones * contexts;
}

double crd_i_transition_model_ruled_out(const crd_i_transition_model *model, double *all) {
    const crd_i_transition_level *level = &model->levels[1];
    double ruled_out = 0;
    *all = 0;
    for (size_t i = 0; i < level->context_count; i++) {
        for (size_t entry = level->first[i]; entry < level->first[i + 1]; entry++) {
            *all += level->counts[entry];
            if (!may_follow(&model->rules, (uint32_t)level->contexts[i], level->next[entry]))
                ruled_out += level->counts[entry];
        }
    }
    return ruled_out;
}
