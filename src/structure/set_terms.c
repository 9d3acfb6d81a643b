/* SPDX-License-Identifier: MIT */
/* set_terms.c - see structure_search.h. */
#include "structure/structure_search.h"

#include "base/arena.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "structure/counted_rows.h"

#include <math.h>
#include <string.h>

enum {
    TERM_TABLES = 64,    /* tables for different pseudo-counts, one per slot of a hash table */
    MOST_BASE = 65534,   /* most table entries of a base: see counted_rows.h */
    TABULATED = 1 << 10, /* counts below this are tabulated for each pseudo-count */
    MOST_CELLS = 1 << 20
};

struct crd_i_set_counter {
    crd_i_arena *arena;
    crd_i_set_terms *terms;
    crd_i_counter *counter;
    crd_i_count_terms tables[TERM_TABLES];
    /* For sets with far more combinations of states than rows: partitions of the rows by the first columns of the
     * last base, by one column more at each level. The last partition is by the base and one more column. `counts`
     * are its counts. */
    crd_i_row_partition parts[CRD_I_MOST_SET_NODES + 2];
    uint32_t columns[CRD_I_MOST_SET_NODES];
    size_t column_count;
    uint32_t *slots, *counts;
    uint64_t *keys;
};

/* Returns whether the score of the table is a difference of sums over sets. */
static bool is_for(const crd_i_case_table *table, crd_i_score score) {
    if (score.kind == CRD_I_SCORE_K2 || score.kind == CRD_I_SCORE_BGE || table->rows == 0) return false;
    if (table->column_count == 0 || table->column_count > CRD_I_MOST_SET_NODES) return false;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].type == CRD_TYPE_NUMERIC || table->columns[i].has_missing ||
            table->columns[i].state_count == 0)
            return false;
    return true;
}

static double set_terms_combinations(const crd_i_set_terms *terms, uint32_t set) {
    double combinations = 1;
    for (size_t i = 0; set >> i != 0; i++)
        if ((set >> i & 1) != 0) combinations *= (double)terms->table->columns[i].state_count;
    return combinations;
}

static double pseudo_of(const crd_i_set_terms *terms, double combinations) {
    return terms->score.kind == CRD_I_SCORE_BDEU ? terms->score.sample_size / combinations : 0;
}

crd_status crd_i_set_terms_create(const crd_i_case_table *table, crd_i_score score, crd_i_set_terms **out,
                                  crd_error *error) {
    *out = NULL;
    if (!is_for(table, score)) return CRD_OK;
    crd_i_set_terms *terms = crd_i_arena_object(table->context, sizeof *terms);
    if (terms == NULL) return crd_i_fail_memory(error);
    size_t sets = (size_t)1 << table->column_count;
    terms->context = table->context;
    terms->table = table;
    terms->score = score;
    terms->scale = crd_i_count_terms_scale(table->total, score.kind == CRD_I_SCORE_BDEU ? 1e-300 : 0);
    crd_status status = crd_i_counted_rows_create(table, &terms->counted, error);
    if (status != CRD_OK) goto fail;
    if (!terms->counted->is_whole) {
        crd_i_set_terms_destroy(terms);
        return CRD_OK;
    }
    terms->most_cells = crd_i_counter_most_cells(terms->counted);
    if (terms->most_cells > MOST_CELLS) terms->most_cells = MOST_CELLS;
    terms->sums = crd_i_arena_alloc(terms->arena, sets, sizeof *terms->sums);
    terms->cells = crd_i_arena_alloc_zeroed(terms->arena, sets, sizeof *terms->cells);
    if (terms->cells == NULL ||
        !crd_i_count_terms_init(&terms->entropy, table->context, 0, terms->scale, table->total)) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    /* The empty set: all rows are in one table entry. */
    crd_i_count_terms whole = {.pseudo = pseudo_of(terms, 1), .scale = terms->scale};
    atomic_store(&terms->sums[0], crd_i_count_term_far(&whole, table->total));
    atomic_store(&terms->cells[0], 1);
    *out = terms;
    return CRD_OK;

fail:
    crd_i_set_terms_destroy(terms);
    return status;
}

void crd_i_set_terms_destroy(crd_i_set_terms *terms) {
    if (terms == NULL) return;
    crd_i_count_terms_clear(&terms->entropy);
    crd_i_counted_rows_destroy(terms->counted);
    crd_i_arena_destroy(terms->arena);
}

crd_status crd_i_set_counter_create(crd_i_set_terms *terms, crd_i_set_counter **out, crd_error *error) {
    *out = NULL;
    crd_i_set_counter *counter = crd_i_arena_object(terms->context, sizeof *counter);
    if (counter == NULL) return crd_i_fail_memory(error);
    crd_i_arena *arena = counter->arena;
    size_t rows = terms->table->rows, levels = terms->table->column_count + 2;
    counter->terms = terms;
    uint32_t *ids = crd_i_arena_alloc_zeroed(arena, levels * rows, sizeof *ids);
    counter->counts = crd_i_arena_alloc(arena, rows, sizeof *counter->counts);
    counter->keys = crd_i_arena_alloc(arena, rows, sizeof *counter->keys);
    counter->slots = crd_i_arena_alloc(arena, crd_i_row_partition_slots(rows), sizeof *counter->slots);
    for (size_t i = 0; ids != NULL && i < levels; i++) counter->parts[i] = (crd_i_row_partition){ids + i * rows, 1};
    crd_status status = crd_i_arena_check(arena, error);
    if (status == CRD_OK) status = crd_i_counter_create(terms->counted, &counter->counter, error);
    if (status == CRD_OK) *out = counter;
    else crd_i_set_counter_destroy(counter);
    return status;
}

void crd_i_set_counter_destroy(crd_i_set_counter *counter) {
    if (counter == NULL) return;
    for (size_t i = 0; i < TERM_TABLES; i++) crd_i_count_terms_clear(&counter->tables[i]);
    crd_i_counter_destroy(counter->counter);
    crd_i_arena_destroy(counter->arena);
}

/* Returns the terms for a table with `combinations` entries; NULL: out of memory. */
static const crd_i_count_terms *terms_for(crd_i_set_counter *counter, double combinations) {
    double pseudo = pseudo_of(counter->terms, combinations), rows = counter->terms->table->total;
    if (pseudo == 0) return &counter->terms->entropy;
    uint64_t bits;
    memcpy(&bits, &pseudo, sizeof bits);
    crd_i_count_terms *table = &counter->tables[crd_i_hash_scatter(bits) % TERM_TABLES];
    if (table->values != NULL && table->pseudo == pseudo) return table;
    crd_i_count_terms_clear(table);
    bool is_made = crd_i_count_terms_init(table, counter->terms->context, pseudo, counter->terms->scale,
                                          rows < TABULATED ? rows : TABULATED);
    return is_made ? table : NULL;
}

/* Computes and stores the sum over a set with `combinations` combinations of states. The combinations that occur are
 * among the `count` counts. */
static crd_status set_terms_add_up(crd_i_set_counter *counter, uint32_t set, double combinations,
                                   const uint32_t *counts, size_t count, crd_error *error) {
    const crd_i_count_terms *terms = terms_for(counter, combinations);
    if (terms == NULL) return crd_i_fail_memory(error);
    int64_t sum = 0;
    uint32_t cells = 0;
    for (size_t i = 0; i < count; i++) {
        if (counts[i] == 0) continue;
        sum += crd_i_count_term(terms, counts[i]);
        cells++;
    }
    atomic_store_explicit(&counter->terms->sums[set], sum, memory_order_relaxed);
    atomic_store_explicit(&counter->terms->cells[set], cells, memory_order_release);
    return CRD_OK;
}

/* A set of columns to which others are added one at a time. */
typedef struct terms_base {
    uint32_t set, columns[CRD_I_MOST_SET_NODES];
    size_t count;
    double combinations;
    bool is_counted, is_parted; /* the base of the counter is set to it; the rows are partitioned by it */
} terms_base;

/* Partitions the rows by the base. Reuses the levels for the columns that the last base begins with. */
static void set_terms_part_rows(crd_i_set_counter *counter, const terms_base *base) {
    size_t same = 0;
    while (same < base->count && same < counter->column_count && counter->columns[same] == base->columns[same]) same++;
    for (size_t i = same; i < base->count; i++) {
        crd_i_row_partition_divide(counter->terms->table, &counter->parts[i], base->columns[i], &counter->parts[i + 1],
                                   counter->keys, counter->slots);
        counter->columns[i] = base->columns[i];
    }
    counter->column_count = base->count;
}

/* Counts the combinations of the base and another column that occur, and stores their sum. */
static crd_status count_parts(crd_i_set_counter *counter, terms_base *base, uint32_t added, double combinations,
                              crd_error *error) {
    const crd_i_case_table *table = counter->terms->table;
    crd_i_row_partition *parts = &counter->parts[table->column_count + 1];
    if (!base->is_parted) set_terms_part_rows(counter, base);
    base->is_parted = true;
    crd_i_row_partition_divide(table, &counter->parts[base->count], added, parts, counter->keys, counter->slots);
    memset(counter->counts, 0, parts->parts * sizeof *counter->counts);
    for (size_t row = 0; row < table->rows; row++)
        counter->counts[parts->ids[row]] += (uint32_t)crd_i_case_weight(table, row);
    return set_terms_add_up(counter, base->set | UINT32_C(1) << added, combinations, counter->counts, parts->parts,
                            error);
}

/* Counts the table of the base and another column densely, and stores its sum. */
static crd_status set_terms_count_cells(crd_i_set_counter *set_counter, terms_base *base, uint32_t added,
                                        double combinations, crd_error *error) {
    const uint32_t *counts;
    size_t cells;
    crd_status status = CRD_OK;
    if (!base->is_counted)
        status = crd_i_counter_set_base(set_counter->counter, base->columns, base->count, &counts, &cells, error);
    base->is_counted = true;
    if (status == CRD_OK) status = crd_i_counter_count(set_counter->counter, added, &counts, error);
    return status != CRD_OK ? status
                            : set_terms_add_up(set_counter, base->set | UINT32_C(1) << added, combinations, counts,
                                               (size_t)combinations, error);
}

crd_status crd_i_set_counter_fill(crd_i_set_counter *counter, uint32_t set, const uint32_t *added, size_t count,
                                  crd_error *error) {
    const crd_i_set_terms *terms = counter->terms;
    terms_base base = {.set = set, .combinations = set_terms_combinations(terms, set)};
    crd_status status = CRD_OK;
    for (uint32_t i = 0; set >> i != 0; i++)
        if ((set >> i & 1) != 0) base.columns[base.count++] = i;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        if (crd_i_set_is_known(terms, set | UINT32_C(1) << added[i])) continue;
        double combinations = base.combinations * (double)terms->table->columns[added[i]].state_count;
        bool is_dense = base.combinations <= MOST_BASE && combinations <= (double)terms->most_cells;
        status = (is_dense ? set_terms_count_cells : count_parts)(counter, &base, added[i], combinations, error);
    }
    return status;
}
