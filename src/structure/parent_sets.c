/* SPDX-License-Identifier: MIT */
/* parent_sets.c - see parent_sets.h. */
#include "structure/parent_sets.h"

#include "base/call.h"
#include "base/error.h"
#include "base/hash_key.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/functions/elementary.h"
#include "structure/set_terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most sets of one size that are extended. Together with the sets of the next size they take some hundred megabytes. */
enum { MOST_SETS = 1 << 22 };

/* A set whose supersets may be needed, with the best score of itself and its subsets. */
typedef struct open_set {
    uint32_t mask;
    double best;
} open_set;

typedef struct open_sets {
    open_set *sets;
    size_t count, capacity;
} open_sets;

/* Shared by the threads, which take the nodes one after the other. */
typedef struct sets_job {
    const crd_i_case_table *table;
    const crd_i_search_options *options;
    crd_i_family_scores *scores; /* each thread shares these */
    crd_i_set_terms *terms;      /* NULL: scores are not differences of sums over sets */
    crd_i_parent_sets *sets;
    bool has_missing;
    atomic_size_t next;
    _Atomic uint64_t computed;
    _Atomic int status;
    crd_error *error;
    crd_i_stage stage;
} sets_job;

/* The state of one thread. */
typedef struct sets_finder {
    sets_job *shared;
    crd_context *context;
    crd_i_family_scores *scores;
    crd_i_set_counter *counter; /* NULL: there are no terms */
    uint64_t computed;          /* number of scores computed from terms */
    size_t node;
    uint32_t required, candidates;
    size_t most_parents;
    double most_likelihood; /* upper bound of the log-likelihood; INFINITY: unknown */
    open_sets open, next;   /* sets of the current size, and of the next size */
    uint32_t *slots;        /* hash table of positions in `open` */
    size_t slot_capacity;
} sets_finder;

/* ---- Bounds ---- */

/* Returns the penalty of the BIC or AIC score for a parent set. */
static double parent_sets_penalty(const sets_finder *finder, uint32_t mask) {
    const crd_i_case_table *table = finder->shared->table;
    const crd_i_case_column *column = &table->columns[finder->node];
    double numbers = 0, combinations = 1;
    for (size_t i = 0; i < table->column_count; i++) {
        if ((mask >> i & 1) == 0) continue;
        if (table->columns[i].kind == CRD_KIND_NUMBER) numbers++;
        else combinations *= (double)table->columns[i].state_count;
    }
    double parameters =
        combinations * (column->kind == CRD_KIND_NUMBER ? numbers + 2 : (double)column->state_count - 1);
    return finder->shared->options->score.kind == CRD_I_SCORE_BIC ? crd_log(table->total) / 2 * parameters : parameters;
}

/* Returns an upper bound of the scores of the set and all its supersets. */
static double bound_of(const sets_finder *finder, uint32_t mask) {
    crd_i_score_kind kind = finder->shared->options->score.kind;
    if (kind != CRD_I_SCORE_BIC && kind != CRD_I_SCORE_AIC) return INFINITY;
    return finder->most_likelihood - parent_sets_penalty(finder, mask);
}

/* Returns whether no proper superset can score more than the best known score. In the BDeu marginal likelihood, each
 * combination of states of the set and the node that occurs contributes a factor of at most 1 / r, where the node
 * has r states. */
static bool parent_sets_is_closed(const sets_finder *finder, uint32_t mask, double best) {
    if (finder->counter == NULL || finder->shared->options->score.kind != CRD_I_SCORE_BDEU) return false;
    uint32_t with = mask | UINT32_C(1) << finder->node;
    if (!crd_i_set_is_known(finder->shared->terms, with)) return false;
    double states = (double)finder->shared->table->columns[finder->node].state_count;
    return best >= -crd_log(states) * (double)crd_i_set_cells(finder->shared->terms, with);
}

/* Computes an upper bound of the log-likelihood of the node. For a categorical node it is 0. For a numeric node
 * whose possible parents are all numeric, it is the log-likelihood given all of them, with the maximum likelihood
 * variance RSS / n. (Scores divide by fewer degrees of freedom instead of n.) */
static crd_status bound_likelihood(sets_finder *finder, crd_error *error) {
    const crd_i_case_table *table = finder->shared->table;
    finder->most_likelihood = INFINITY;
    if (table->columns[finder->node].kind != CRD_KIND_NUMBER) {
        finder->most_likelihood = 0;
        return CRD_OK;
    }
    crd_i_score_kind kind = finder->shared->options->score.kind;
    uint32_t parents[CRD_I_MOST_MASK_NODES], all = finder->required | finder->candidates;
    size_t count = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        if ((all >> i & 1) == 0) continue;
        if (table->columns[i].kind != CRD_KIND_NUMBER) return CRD_OK;
        parents[count++] = i;
    }
    double degrees = table->total - (double)count - 1, score;
    if (finder->shared->has_missing || degrees < 1 || (kind != CRD_I_SCORE_BIC && kind != CRD_I_SCORE_AIC))
        return CRD_OK;
    crd_status status = crd_i_family_score(finder->scores, finder->node, parents, count, &score, error);
    if (status == CRD_OK)
        finder->most_likelihood =
            score + parent_sets_penalty(finder, all) + table->total / 2 * crd_log(table->total / degrees);
    return status;
}

/* ---- Sets of one size ---- */

static size_t parent_sets_slot(uint32_t mask, size_t slots) {
    return (size_t)crd_i_hash_scatter(mask) & (slots - 1);
}

static size_t slots_for(size_t count) {
    size_t slots = 16;
    while (slots < 2 * count) slots *= 2;
    return slots;
}

/* Builds the hash table of the open sets. Returns false if memory runs out. */
static bool index_open(sets_finder *finder) {
    size_t slots = slots_for(finder->open.count);
    if (!crd_i_reserve(finder->context, &finder->slots, &finder->slot_capacity, slots, sizeof *finder->slots))
        return false;
    memset(finder->slots, 0xff, slots * sizeof *finder->slots);
    for (size_t i = 0; i < finder->open.count; i++) {
        size_t slot = parent_sets_slot(finder->open.sets[i].mask, slots);
        while (finder->slots[slot] != UINT32_MAX) slot = (slot + 1) & (slots - 1);
        finder->slots[slot] = (uint32_t)i;
    }
    return true;
}

static const open_set *find_open(const sets_finder *finder, uint32_t mask) {
    size_t slots = slots_for(finder->open.count);
    for (size_t slot = parent_sets_slot(mask, slots); finder->slots[slot] != UINT32_MAX;
         slot = (slot + 1) & (slots - 1))
        if (finder->open.sets[finder->slots[slot]].mask == mask) return &finder->open.sets[finder->slots[slot]];
    return NULL;
}

/* Returns the best score of the proper subsets of a set. Returns INFINITY if one of them is not open: then the set
 * is not needed. */
static double best_of_subsets(const sets_finder *finder, uint32_t mask) {
    double best = -INFINITY;
    for (uint32_t left = mask & ~finder->required; left != 0; left &= left - 1) {
        const open_set *subset = find_open(finder, mask & ~(left & (~left + 1)));
        if (subset == NULL) return INFINITY;
        if (subset->best > best) best = subset->best;
    }
    return best;
}

static bool append_set(crd_context *context, crd_i_parent_sets *parent, uint32_t mask, double score) {
    if (!crd_i_reserve(context, &parent->sets, &parent->capacity, parent->count + 1, sizeof *parent->sets))
        return false;
    parent->sets[parent->count++] = (crd_i_parent_set){score, mask};
    return true;
}

static bool append_open(crd_context *context, open_sets *target_sets, uint32_t mask, double best) {
    if (!crd_i_reserve(context, &target_sets->sets, &target_sets->capacity, target_sets->count + 1,
                       sizeof *target_sets->sets))
        return false;
    target_sets->sets[target_sets->count++] = (open_set){mask, best};
    return true;
}

/* Candidates that are added to a set, one at a time, and the scores of the resulting sets. */
typedef struct sets_extension {
    uint32_t source; /* the set that is extended */
    uint32_t added[CRD_I_MOST_MASK_NODES];
    double subsets[CRD_I_MOST_MASK_NODES]; /* best score of the proper subsets */
    double scores[CRD_I_MOST_MASK_NODES];
    size_t count;
} sets_extension;

/* Chooses the candidates to add to an open set: later than its last candidate, and with a bound above the best
 * subset's score. */
static void choose_added(const sets_finder *finder, sets_extension *extension) {
    uint32_t extra = extension->source & ~finder->required;
    for (uint32_t i = 0; i < finder->shared->table->column_count; i++) {
        uint32_t bit = UINT32_C(1) << i;
        if ((finder->candidates & bit) == 0 || bit <= extra) continue;
        double best = best_of_subsets(finder, extension->source | bit);
        if (best >= bound_of(finder, extension->source | bit)) continue;
        extension->added[extension->count] = i;
        extension->subsets[extension->count++] = best;
    }
}

/* Returns whether neither the set nor any of its supersets is needed, because a column y of the set has too little
 * information beyond the others. Adding y to a superset of the others gains at most -LL(y | others), and costs at
 * least the difference of the penalties here (Correia, Cussens and de Campos 2020). */
static bool has_little_to_add(const sets_finder *finder, uint32_t set) {
    const crd_i_set_terms *terms = finder->shared->terms;
    double cost = parent_sets_penalty(finder, set);
    for (uint32_t left = set & ~finder->required; left != 0; left &= left - 1) {
        uint32_t others = set & ~(left & (~left + 1));
        if (crd_i_set_is_known(terms, others) &&
            -crd_i_set_difference(terms, set, others) <= cost - parent_sets_penalty(finder, others))
            return true;
    }
    return false;
}

/* Computes scores from sums over sets of columns, and drops candidates with too little information. */
static crd_status score_by_terms(sets_finder *finder, sets_extension *extension, crd_error *error) {
    const crd_i_set_terms *terms = finder->shared->terms;
    crd_i_score_kind kind = finder->shared->options->score.kind;
    bool has_penalty = kind == CRD_I_SCORE_BIC || kind == CRD_I_SCORE_AIC;
    crd_status status =
        crd_i_set_counter_fill(finder->counter, extension->source, extension->added, extension->count, error);
    if (status != CRD_OK) return status;
    size_t kept = 0;
    for (size_t i = 0; i < extension->count; i++) {
        if (has_penalty && has_little_to_add(finder, extension->source | UINT32_C(1) << extension->added[i])) continue;
        extension->added[kept] = extension->added[i];
        extension->subsets[kept++] = extension->subsets[i];
    }
    extension->count = kept;
    uint32_t family = extension->source | UINT32_C(1) << finder->node;
    status = crd_i_set_counter_fill(finder->counter, family, extension->added, extension->count, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < extension->count; i++) {
        uint32_t bit = UINT32_C(1) << extension->added[i];
        extension->scores[i] = crd_i_set_difference(terms, family | bit, extension->source | bit);
        if (has_penalty) extension->scores[i] -= parent_sets_penalty(finder, extension->source | bit);
    }
    finder->computed += extension->count;
    return CRD_OK;
}

static crd_status score_by_families(sets_finder *finder, sets_extension *extension, crd_error *error) {
    uint32_t parents[CRD_I_MOST_MASK_NODES];
    size_t count = 0;
    for (uint32_t i = 0; extension->source >> i != 0; i++)
        if ((extension->source >> i & 1) != 0) parents[count++] = i;
    return crd_i_family_scores_toggle(finder->scores, finder->node, parents, count, extension->added, extension->count,
                                      extension->scores, error);
}

/* Scores the sets with one candidate more than an open set. Keeps the sets that score more than their subsets, and
 * opens the sets whose supersets may be needed. */
static crd_status parent_sets_extend(sets_finder *finder, const open_set *set, crd_error *error) {
    sets_extension extension = {.source = set->mask};
    choose_added(finder, &extension);
    if (extension.count == 0) return CRD_OK;
    crd_status status = (finder->counter != NULL ? score_by_terms : score_by_families)(finder, &extension, error);
    for (size_t i = 0; status == CRD_OK && i < extension.count; i++) {
        uint32_t mask = set->mask | UINT32_C(1) << extension.added[i];
        bool is_needed = extension.scores[i] > extension.subsets[i];
        double best = is_needed ? extension.scores[i] : extension.subsets[i];
        if ((is_needed &&
             !append_set(finder->context, &finder->shared->sets[finder->node], mask, extension.scores[i])) ||
            (!parent_sets_is_closed(finder, mask, best) && !append_open(finder->context, &finder->next, mask, best)))
            status = crd_i_fail_memory(error);
    }
    return status;
}

static crd_status check_limit(const sets_finder *finder, crd_error *error) {
    if (finder->next.count <= MOST_SETS) return CRD_OK;
    char buffer[CRD_I_QUOTED_ROOM];
    (void)crd_i_fail(error, CRD_ERROR_LIMIT, "%s has more than %d parent sets of one size to score",
                     crd_i_quote(finder->shared->table->columns[finder->node].name, buffer), MOST_SETS);
    crd_i_error_hint(error, "reduce them with most-parents=4");
    return CRD_ERROR_LIMIT;
}

static int compare_sets(const void *a, const void *b) {
    const crd_i_parent_set *one = a, *other = b;
    if (one->score != other->score) return one->score > other->score ? -1 : 1;
    int size = __builtin_popcount(one->mask), other_size = __builtin_popcount(other->mask);
    if (size != other_size) return size < other_size ? -1 : 1;
    return one->mask < other->mask ? -1 : one->mask > other->mask;
}

/* Determines the required and the possible parents of the node. */
static void choose_candidates(sets_finder *finder) {
    const crd_i_case_table *table = finder->shared->table;
    const crd_i_arc_constraints *constraints = finder->shared->options->constraints;
    finder->required = finder->candidates = 0;
    finder->most_parents = constraints == NULL ? SIZE_MAX : constraints->most_parents;
    for (size_t i = 0; i < table->column_count; i++) {
        if (crd_i_arc_is_required(constraints, i, finder->node)) finder->required |= UINT32_C(1) << i;
        else if (crd_i_arc_is_possible(table, constraints, i, finder->node)) finder->candidates |= UINT32_C(1) << i;
    }
}

/* Finds the parent sets of a node, size by size, and sorts them. */
static crd_status find_of_node(sets_finder *finder, crd_error *error) {
    crd_i_parent_sets *parent = &finder->shared->sets[finder->node];
    uint32_t parents[CRD_I_MOST_MASK_NODES];
    size_t size = 0;
    double score;
    choose_candidates(finder);
    for (uint32_t i = 0; i < finder->shared->table->column_count; i++)
        if ((finder->required >> i & 1) != 0) parents[size++] = i;
    crd_status status = bound_likelihood(finder, error);
    if (status == CRD_OK) status = crd_i_family_score(finder->scores, finder->node, parents, size, &score, error);
    if (status != CRD_OK) return status;
    finder->open.count = 0;
    if (!append_set(finder->context, parent, finder->required, score) ||
        !append_open(finder->context, &finder->open, finder->required, score))
        return crd_i_fail_memory(error);
    for (; finder->open.count > 0 && size < finder->most_parents; size++) {
        finder->next.count = 0;
        if (!index_open(finder)) return crd_i_fail_memory(error);
        for (size_t i = 0; i < finder->open.count; i++) {
            if (crd_i_context_cancelled(finder->context)) return crd_i_fail_cancelled(error);
            status = parent_sets_extend(finder, &finder->open.sets[i], error);
            if (status == CRD_OK) status = check_limit(finder, error);
            if (status != CRD_OK) return status;
        }
        open_sets swapped = finder->open;
        finder->open = finder->next;
        finder->next = swapped;
    }
    qsort(parent->sets, parent->count, sizeof *parent->sets, compare_sets);
    return CRD_OK;
}

/* ---- All nodes ---- */

static crd_status parent_sets_find_nodes(sets_finder *own, crd_error *error) {
    const crd_i_case_table *table = own->shared->table;
    while (atomic_load(&own->shared->status) == CRD_OK) {
        own->node = atomic_fetch_add(&own->shared->next, 1);
        if (own->node >= table->column_count) break;
        crd_status status = find_of_node(own, error);
        if (status != CRD_OK) return status;
        crd_i_stage_add(&own->shared->stage, 1);
    }
    return CRD_OK;
}

/* Runs one thread, with its share of the scores and its own counter. */
static void find_as_member(void *state, unsigned member) {
    sets_job *shared = state;
    sets_finder own = {.shared = shared, .context = shared->table->context};
    crd_error error = {0};
    /* The first thread uses the scores themselves, which exist without another allocation. */
    crd_status status = CRD_OK;
    if (member == 0) own.scores = shared->scores;
    else status = crd_i_family_scores_share(shared->scores, &own.scores, &error);
    if (status == CRD_OK && shared->terms != NULL)
        status = crd_i_set_counter_create(shared->terms, &own.counter, &error);
    if (status == CRD_OK) {
        status = parent_sets_find_nodes(&own, &error);
        atomic_fetch_add(&shared->computed, own.computed);
    }
    int none = CRD_OK;
    if (status != CRD_OK && atomic_compare_exchange_strong(&shared->status, &none, (int)status) &&
        shared->error != NULL)
        *shared->error = error;
    crd_free(own.context, own.open.sets);
    crd_free(own.context, own.next.sets);
    crd_free(own.context, own.slots);
    crd_i_set_counter_destroy(own.counter);
    if (member > 0) crd_i_family_scores_destroy(own.scores);
}

crd_status crd_i_parent_sets_find(const crd_i_case_table *table, const crd_i_search_options *options,
                                  crd_i_parent_sets *sets, uint64_t *computed, crd_error *error) {
    sets_job shared = {.table = table, .options = options, .sets = sets, .error = error};
    *computed = 0;
    crd_status status = crd_i_family_scores_create(table, options->score, &shared.scores, error);
    if (status == CRD_OK) status = crd_i_set_terms_create(table, options->score, &shared.terms, error);
    if (status != CRD_OK) {
        crd_i_family_scores_destroy(shared.scores);
        return status;
    }
    for (size_t i = 0; i < table->column_count; i++) shared.has_missing |= table->columns[i].has_missing;
    unsigned threads = crd_i_thread_pool_size(options->threads);
    if (threads > table->column_count) threads = table->column_count > 0 ? (unsigned)table->column_count : 1;
    crd_i_stage_begin(&shared.stage, "scoring parents", table->column_count);
    crd_i_thread_pool_run(table->context, threads, find_as_member, &shared);
    crd_i_stage_end(&shared.stage);
    /* Scores computed by family are in the cache that all threads share. */
    *computed = atomic_load(&shared.computed) + crd_i_family_scores_computed(shared.scores);
    crd_i_set_terms_destroy(shared.terms);
    crd_i_family_scores_destroy(shared.scores);
    return (crd_status)atomic_load(&shared.status);
}

void crd_i_parent_sets_clear(crd_context *context, crd_i_parent_sets *parent, size_t count) {
    for (size_t i = 0; i < count; i++) crd_free(context, parent[i].sets);
    if (count > 0) memset(parent, 0, count * sizeof *parent);
}
