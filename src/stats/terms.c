/* SPDX-License-Identifier: MIT */
/* terms.c - the tally of a text column: stores, some of them subtracted, and a table of later additions.
 *
 * Combining appends a store to the list, so nothing is looked up, and undoing it removes the store again. Settling
 * merges all of them into one store; only then do documents show that were subtracted but never added. Settling changes
 * the representation of a tally but not its content. So it is also done for readers, one at a time under a lock.
 *
 * Contents:
 *   1. Addition
 *   2. Settling
 *   3. Merging
 *   4. Access
 *   5. File format */
#include "stats/term_store.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/tokens.h"

#include <pthread.h>
#include <string.h>

/* Maximum number of stores before settling. The array has two more elements: one for the next store, one for
 * undoing. */
enum { MOST_PARTS = 16, ROOM_OF_PARTS = MOST_PARTS + 2 };

typedef struct part {
    crd_i_term_store *store;
    size_t *conditions; /* for each condition of the store, the condition of the tally */
    int sign;
} part;

typedef struct terms_tally {
    crd_i_tally base;
    crd_i_token_rules rules;
    crd_i_tokenizer *tokenizer; /* NULL: no text was tokenized yet */
    crd_i_sums documents;       /* one entry per condition */
    pthread_mutex_t lock;       /* protects the members below */
    crd_i_term_table *table;    /* NULL: nothing was added since */
    part parts[ROOM_OF_PARTS];
    size_t part_count;
    size_t *spare[2]; /* allocated maps for the next two parts */
    crd_i_term_fault fault;
} terms_tally;

static const crd_i_token_rules DEFAULT_RULES = {
    .unit = CRD_I_TOKENS_WORDS, .fold_case = true, .least_ngram = 1, .most_ngram = 1};

static crd_i_tally *terms_create(crd_context *context) {
    terms_tally *tally = crd_i_alloc_zeroed(context, 1, sizeof *tally);
    if (tally == NULL) return NULL;
    if (pthread_mutex_init(&tally->lock, NULL) != 0) {
        crd_free(context, tally);
        return NULL;
    }
    tally->base.type = &crd_i_terms;
    tally->base.context = context;
    tally->rules = DEFAULT_RULES;
    crd_i_sums_init(&tally->documents, context);
    return &tally->base;
}

static void terms_clear_parts(terms_tally *tally) {
    for (size_t i = 0; i < tally->part_count; i++) {
        crd_i_term_store_release(tally->parts[i].store);
        crd_free(tally->base.context, tally->parts[i].conditions);
    }
    tally->part_count = 0;
    crd_i_term_table_destroy(tally->table);
    tally->table = NULL;
}

static void terms_destroy(crd_i_tally *base) {
    terms_tally *tally = (terms_tally *)base;
    terms_clear_parts(tally);
    crd_i_tokenizer_destroy(tally->tokenizer);
    crd_i_sums_clear(&tally->documents);
    crd_free(base->context, tally->spare[0]);
    crd_free(base->context, tally->spare[1]);
    pthread_mutex_destroy(&tally->lock);
    crd_free(base->context, tally);
}

const crd_i_token_rules *crd_i_terms_rules(const crd_i_tally *base) {
    return &((const terms_tally *)base)->rules;
}

void crd_i_terms_set_rules(crd_i_tally *base, const crd_i_token_rules *rules) {
    ((terms_tally *)base)->rules = *rules;
}

static bool terms_extend(crd_i_tally *base, size_t conditions, size_t values) {
    (void)values;
    if (conditions <= base->conditions) return true;
    if (conditions > INT32_MAX || !crd_i_sums_extend(&((terms_tally *)base)->documents, conditions)) return false;
    base->conditions = conditions;
    return true;
}

/* ======== 1. Addition ======== */

static crd_status count_text(terms_tally *tally, crd_text text, crd_error *error) {
    const crd_i_term *terms;
    size_t count;
    crd_status status = CRD_OK;
    if (tally->tokenizer == NULL)
        status = crd_i_tokenizer_create(tally->base.context, &tally->rules, &tally->tokenizer, error);
    if (status == CRD_OK) status = crd_i_tokenizer_begin(tally->tokenizer, text, error);
    while (status == CRD_OK) {
        status = crd_i_tokenizer_next(tally->tokenizer, &terms, &count, error);
        if (status != CRD_OK || count == 0) break;
        if (!crd_i_term_table_count_terms(tally->table, terms, count)) return crd_i_fail_memory(error);
        if (crd_i_context_cancelled(tally->base.context)) status = crd_i_fail_cancelled(error);
    }
    return status;
}

static crd_status count_bag(terms_tally *tally, crd_text bag, crd_error *error) {
    crd_i_bag_cursor cursor;
    crd_status status = crd_i_bag_begin(bag, &cursor, error);
    while (status == CRD_OK) {
        crd_text term;
        uint32_t times;
        bool more;
        status = crd_i_bag_next(&cursor, &term, &times, &more, error);
        if (status != CRD_OK || !more) break;
        if (!crd_i_term_table_count(tally->table, term, times)) return crd_i_fail_memory(error);
    }
    return status;
}

/* Merges the parts from `first` on, and the table, into one store that replaces them. */
static crd_status merge_from(terms_tally *tally, size_t first, crd_error *error) {
    crd_context *context = tally->base.context;
    size_t known = tally->base.conditions, count = 0;
    crd_i_term_input inputs[ROOM_OF_PARTS + 1];
    crd_i_term_store *store = NULL;
    size_t *conditions = crd_i_alloc(context, known, sizeof *conditions);
    if (conditions == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < known; i++) conditions[i] = i;
    for (size_t i = first; i < tally->part_count; i++) {
        const part *source_part = &tally->parts[i];
        inputs[count++] = (crd_i_term_input){
            .store = source_part->store, .conditions = source_part->conditions, .sign = source_part->sign};
    }
    inputs[count++] = (crd_i_term_input){.table = tally->table, .conditions = conditions, .sign = 1};
    crd_status status = crd_i_term_merge(context, inputs, count, known, &store, &tally->fault, error);
    if (store == NULL) {
        crd_free(context, conditions);
        return status;
    }
    while (tally->part_count > first) {
        crd_i_term_store_release(tally->parts[--tally->part_count].store);
        crd_free(context, tally->parts[tally->part_count].conditions);
    }
    crd_i_term_table_destroy(tally->table);
    tally->table = NULL;
    tally->parts[tally->part_count++] = (part){store, conditions, 1};
    return CRD_OK;
}

/* A table needs ten times the memory of a store. So a table with this many terms becomes a store. If there are many
 * parts, the preceding stores that are not much larger are merged with it. */
enum { MOST_TERMS = 1 << 20 };

/* Turns the table into a store, together with preceding stores if there are too many. */
static crd_status empty_table(terms_tally *tally, crd_error *error) {
    size_t first = tally->part_count;
    uint64_t bytes = 0;
    if (tally->part_count >= MOST_PARTS - 1) {
        do bytes += crd_i_term_store_page_bytes(tally->parts[--first].store);
        while (first > 0 && crd_i_term_store_page_bytes(tally->parts[first - 1].store) <= 2 * bytes);
    }
    return merge_from(tally, first, error);
}

/* Counts one text. Missing texts and texts of weight zero are skipped. */
static crd_status add_document(terms_tally *tally, const crd_i_cells *cells, size_t row, size_t condition,
                               double weight, crd_error *error) {
    crd_text text = cells->texts[row];
    if (text.bytes == NULL || weight == 0) return CRD_OK;
    if (tally->table == NULL) tally->table = crd_i_term_table_create(tally->base.context);
    if (tally->table == NULL) return crd_i_fail_memory(error);
    crd_i_term_table_begin(tally->table);
    crd_status status = cells->are_bags ? count_bag(tally, text, error) : count_text(tally, text, error);
    if (status == CRD_OK) status = crd_i_term_table_end(tally->table, (uint32_t)condition, weight, error);
    if (status == CRD_OK && !crd_i_sums_add(&tally->documents, condition, weight)) status = crd_i_fail_memory(error);
    bool is_full = status == CRD_OK && crd_i_term_table_terms(tally->table) >= MOST_TERMS;
    return is_full ? empty_table(tally, error) : status;
}

crd_status crd_i_terms_add(crd_i_tally *base, const crd_i_cells *cells, const int32_t *conditions,
                           const double *weights, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t row = 0; status == CRD_OK && row < cells->rows; row++)
        if (conditions[row] >= 0)
            status = add_document((terms_tally *)base, cells, row, (size_t)conditions[row],
                                  weights == NULL ? 1 : weights[row], error);
    return status;
}

static bool terms_add(crd_i_tally *base, const crd_i_cells *cells, const crd_i_groups *groups) {
    crd_status status = CRD_OK;
    for (size_t i = 0; i < groups->count; i++) {
        const crd_i_row_group *group = &groups->groups[i];
        for (size_t k = 0; status == CRD_OK && k < group->count; k++)
            status = add_document((terms_tally *)base, cells, group->origin + group->rows[k], group->condition,
                                  group->weights == NULL ? 1 : group->weights[k], NULL);
    }
    return status == CRD_OK;
}

/* ======== 2. Settling ======== */

static bool terms_is_settled(const terms_tally *tally) {
    return tally->table == NULL && (tally->part_count == 0 || (tally->part_count == 1 && tally->parts[0].sign > 0));
}

/* Returns whether the tally is settled and its only store has these conditions in this order. */
static bool terms_fits(const terms_tally *tally, const int32_t *conditions, size_t count) {
    const part *only = &tally->parts[0];
    if (!terms_is_settled(tally) || tally->part_count == 0 || crd_i_term_store_conditions(only->store) != count)
        return false;
    bool fits = true;
    for (size_t i = 0; fits && i < count; i++) fits = only->conditions[i] == (size_t)conditions[i];
    return fits;
}

/* Inputs of a merge: all parts, then the table. maps[i] contains the position of each of its conditions among the
 * wanted conditions. */
typedef struct terms_inputs {
    crd_i_term_input input[ROOM_OF_PARTS + 1];
    size_t *maps[ROOM_OF_PARTS + 1];
    size_t count;
} terms_inputs;

static bool make_inputs(const terms_tally *tally, const int32_t *conditions, size_t count, terms_inputs *out) {
    crd_context *context = tally->base.context;
    size_t known = tally->base.conditions;
    size_t *places = crd_i_alloc(context, known, sizeof *places);
    memset(out, 0, sizeof *out);
    if (places == NULL) return false;
    for (size_t i = 0; i < known; i++) places[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if ((size_t)conditions[i] < known) places[conditions[i]] = i;
    for (size_t p = 0; p < tally->part_count; p++) {
        const part *source_part = &tally->parts[p];
        size_t own = crd_i_term_store_conditions(source_part->store);
        size_t *map = out->maps[out->count] = crd_i_alloc(context, own, sizeof *map);
        for (size_t i = 0; map != NULL && i < own; i++) map[i] = places[source_part->conditions[i]];
        const crd_i_term_input input = {.store = source_part->store, .conditions = map, .sign = source_part->sign};
        out->input[out->count++] = input;
        if (map != NULL) continue;
        crd_free(context, places);
        return false;
    }
    const crd_i_term_input input = {.table = tally->table, .conditions = places, .sign = 1};
    out->maps[out->count] = places;
    out->input[out->count] = input;
    if (tally->table != NULL) out->count++;
    return true;
}

/* Replaces all parts by one store with these conditions, unless a fault is found. The caller holds the lock. */
static crd_status settle_by(terms_tally *tally, const int32_t *conditions, size_t count, crd_error *error) {
    crd_context *context = tally->base.context;
    terms_inputs inputs;
    crd_i_term_store *store = NULL;
    size_t *map = crd_i_alloc(context, count, sizeof *map);
    bool done = make_inputs(tally, conditions, count, &inputs) && map != NULL;
    crd_status status = CRD_OK;
    if (done) status = crd_i_term_merge(context, inputs.input, inputs.count, count, &store, &tally->fault, error);
    else status = crd_i_fail_memory(error);
    for (size_t i = 0; i <= ROOM_OF_PARTS; i++) crd_free(context, inputs.maps[i]);
    if (store == NULL) {
        if (status == CRD_OK) tally->fault.condition = (size_t)conditions[tally->fault.condition];
        crd_free(context, map);
        return status;
    }
    for (size_t i = 0; i < count; i++) map[i] = (size_t)conditions[i];
    terms_clear_parts(tally);
    const part only = {store, map, 1};
    tally->parts[tally->part_count++] = only;
    return CRD_OK;
}

/* Settles the tally. The conditions of the first store come first, then the others. The caller holds the lock. */
static crd_status settle_locked(terms_tally *tally, crd_error *error) {
    size_t known = tally->base.conditions, count = 0;
    tally->fault.is_found = false;
    if (terms_is_settled(tally)) return CRD_OK;
    int32_t *conditions = crd_i_alloc(tally->base.context, known, sizeof *conditions);
    bool *is_listed = crd_i_alloc_zeroed(tally->base.context, known, sizeof *is_listed);
    crd_status status = conditions == NULL || is_listed == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) {
        const part *first = tally->part_count == 0 ? NULL : &tally->parts[0];
        size_t own = first == NULL ? 0 : crd_i_term_store_conditions(first->store);
        for (size_t i = 0; i < own; i++) {
            conditions[count++] = (int32_t)first->conditions[i];
            is_listed[first->conditions[i]] = true;
        }
        for (size_t i = 0; i < known; i++)
            if (!is_listed[i]) conditions[count++] = (int32_t)i;
        status = settle_by(tally, conditions, count, error);
    }
    crd_free(tally->base.context, conditions);
    crd_free(tally->base.context, is_listed);
    return status;
}

/* Locks a tally. Only its representation may change while it is locked. */
static terms_tally *terms_lock(const crd_i_tally *base) {
    terms_tally *tally = (terms_tally *)(uintptr_t)base;
    pthread_mutex_lock(&tally->lock);
    return tally;
}

static void terms_unlock(terms_tally *tally) {
    pthread_mutex_unlock(&tally->lock);
}

static crd_status terms_settle(const crd_i_tally *base, crd_error *error) {
    terms_tally *tally = terms_lock(base);
    crd_status status = settle_locked(tally, error);
    terms_unlock(tally);
    return status;
}

crd_status crd_i_terms_store(const crd_i_tally *base, const crd_i_view *view, crd_i_term_store **out,
                             crd_error *error) {
    *out = NULL;
    terms_tally *tally = terms_lock(base);
    crd_status status = CRD_OK;
    if (!terms_fits(tally, view->conditions, view->condition_count))
        status = settle_by(tally, view->conditions, view->condition_count, error);
    if (status == CRD_OK && !terms_fits(tally, view->conditions, view->condition_count))
        status = crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "term '%s' is in a negative number of documents",
                            tally->fault.term);
    if (status == CRD_OK) {
        *out = tally->parts[0].store;
        crd_i_term_store_retain(*out);
    }
    terms_unlock(tally);
    return status;
}

/* ======== 3. Merging ======== */

static bool terms_prepare(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map) {
    terms_tally *tally = (terms_tally *)base;
    const terms_tally *other = (const terms_tally *)other_base;
    size_t conditions = 0;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    if (!terms_extend(base, conditions, 0) || terms_settle(other_base, NULL) != CRD_OK) return false;
    if (tally->part_count >= MOST_PARTS && terms_settle(base, NULL) != CRD_OK) return false;
    for (size_t i = 0; i < other_base->conditions; i++)
        if (!crd_i_sums_reserve(&tally->documents, map->conditions[i], &other->documents, i)) return false;
    /* A store has all conditions of the view for which it was made, even those without any document in the tally. */
    for (size_t i = 0; i < 2; i++) {
        crd_free(base->context, tally->spare[i]);
        tally->spare[i] = crd_i_alloc(base->context, map->condition_count, sizeof *tally->spare[i]);
        if (tally->spare[i] == NULL) return false;
    }
    return true;
}

/* Appends a part; or removes the last part if this one undoes it. */
static void put_part(terms_tally *tally, const part *of_other, const crd_i_tally_map *map, int sign) {
    part *last = tally->part_count == 0 ? NULL : &tally->parts[tally->part_count - 1];
    size_t *conditions = tally->spare[0] != NULL ? tally->spare[0] : tally->spare[1];
    if (last != NULL && last->store == of_other->store && last->sign == -sign) {
        crd_i_term_store_release(last->store);
        crd_free(tally->base.context, last->conditions);
        tally->part_count--;
        return;
    }
    if (conditions == tally->spare[0]) tally->spare[0] = NULL;
    else tally->spare[1] = NULL;
    size_t count = crd_i_term_store_conditions(of_other->store);
    for (size_t i = 0; i < count; i++) conditions[i] = map->conditions[of_other->conditions[i]];
    crd_i_term_store_retain(of_other->store);
    const part next = {of_other->store, conditions, sign};
    tally->parts[tally->part_count++] = next;
}

static bool terms_combine(crd_i_tally *base, const crd_i_tally *other_base, const crd_i_tally_map *map, int sign) {
    terms_tally *tally = (terms_tally *)base, *other = terms_lock(other_base);
    bool done = terms_is_settled(other);
    for (size_t i = 0; done && i < other_base->conditions; i++)
        done = crd_i_sums_combine(&tally->documents, map->conditions[i], &other->documents, i, sign);
    if (done && other->part_count > 0) put_part(tally, &other->parts[0], map, sign);
    terms_unlock(other);
    return done;
}

/* Any term may show that the subtracted documents were never added. Settling has checked all terms. */
static bool terms_find_impossible(const crd_i_tally *base, const crd_i_tally *other, const crd_i_tally_map *map,
                                  crd_i_impossible *out) {
    const terms_tally *tally = (const terms_tally *)base;
    (void)other;
    (void)map;
    if (terms_settle(base, NULL) != CRD_OK) return false;
    out->found = tally->fault.is_found;
    out->has_value = false;
    out->condition = tally->fault.condition;
    out->left = tally->fault.left;
    out->term = tally->fault.is_found ? &tally->fault : NULL;
    return true;
}

/* ======== 4. Access ======== */

static uint64_t terms_size(const crd_i_tally *base) {
    const terms_tally *tally = (const terms_tally *)base;
    uint64_t count = base->conditions;
    if (tally->table != NULL) count += crd_i_term_table_terms(tally->table) + crd_i_term_table_counts(tally->table);
    for (size_t i = 0; i < tally->part_count; i++) count += crd_i_term_store_page_bytes(tally->parts[i].store) / 8;
    return count;
}

static const crd_i_sums *terms_total(const crd_i_tally *base, size_t condition, size_t *cell) {
    *cell = condition;
    return condition < base->conditions ? &((const terms_tally *)base)->documents : NULL;
}

static bool terms_next_total(const crd_i_tally *base, crd_i_total_cursor *cursor) {
    const crd_i_sums *documents = &((const terms_tally *)base)->documents;
    while (cursor->next < base->conditions && crd_i_sums_sign(documents, cursor->next) == 0) cursor->next++;
    if (cursor->next >= base->conditions) return false;
    cursor->condition = cursor->next++;
    return true;
}

/* ======== 5. File format ======== */

/* Writes the head of the store, settled in the order of the view. */
static void terms_write(const crd_i_tally *base, const crd_i_view *view, crd_i_encoder *encoder) {
    crd_i_term_store *store;
    if (crd_i_terms_store(base, view, &store, NULL) != CRD_OK) {
        encoder->failed = true;
        return;
    }
    crd_i_term_store_write_head(store, 0, encoder);
    crd_i_term_store_release(store);
}

static crd_status terms_read(crd_i_tally *base, size_t conditions, size_t values, crd_i_cursor *cursor,
                             crd_error *error) {
    terms_tally *tally = (terms_tally *)base;
    crd_i_term_store *store;
    if (values > 0) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a text column has values");
    crd_status status = crd_i_term_store_read_head(base->context, conditions, cursor, &store, error);
    if (status != CRD_OK) return status;
    size_t *map = crd_i_alloc(base->context, conditions, sizeof *map);
    if (map == NULL || !terms_extend(base, conditions, 0) ||
        !crd_i_sums_combine_all(&tally->documents, &store->documents, NULL, 1)) {
        crd_free(base->context, map);
        crd_i_term_store_release(store);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < conditions; i++) map[i] = i;
    const part only = {store, map, 1};
    tally->parts[tally->part_count++] = only;
    return CRD_OK;
}

crd_status crd_i_terms_attach(crd_i_tally *base, crd_i_page_source *source, uint64_t *begin, crd_error *error) {
    const terms_tally *tally = (const terms_tally *)base;
    crd_i_term_store *store = tally->parts[0].store;
    crd_status status = crd_i_term_store_attach(store, source, *begin, error);
    *begin += crd_i_term_store_page_bytes(store);
    return status;
}

crd_status crd_i_terms_check(const crd_i_tally *base, bool is_ours, crd_error *error) {
    return crd_i_term_store_check(((const terms_tally *)base)->parts[0].store, is_ours, error);
}

const crd_i_tally_type crd_i_terms = {
    .name = "terms",
    .type = CRD_TYPE_TEXT,
    .is_main = true,
    .create = terms_create,
    .destroy = terms_destroy,
    .extend = terms_extend,
    .add = terms_add,
    .settle = terms_settle,
    .prepare = terms_prepare,
    .combine = terms_combine,
    .find_impossible = terms_find_impossible,
    .size = terms_size,
    .total = terms_total,
    .next_total = terms_next_total,
    .write = terms_write,
    .read = terms_read,
};
