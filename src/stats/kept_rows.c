/* SPDX-License-Identifier: MIT */
/* kept_rows.c - stores training rows: all distinct rows, or a sample of them; see kept_rows.h.
 *
 * While no row was dropped, this is the multiset of rows. If there are more distinct rows than the limit, it is a
 * bottom-k sample (Cohen and Kaplan 2007): only rows whose hash is below a bound stay. The bound is the smallest hash
 * such that at most the allowed number of rows is below it. More rows only ever lower the bound. So a row that is below
 * the final bound was never dropped, and its weight is exact. The bound, and therefore the sample, is a function of the
 * set of rows. Two samples are merged by keeping the rows below the smaller bound. Rows with equal hashes stay or go
 * together.
 *
 * The hash covers names, because the numbers of conditions and values depend on the order of occurrence. It is not
 * keyed, so all machines keep the same rows. Adding may exceed the limit for a while; then all rows above the bound are
 * dropped at once. Readers skip such rows in the meantime.
 *
 * The type `table` has no bound. It stores all rows and is dropped if there are too many for a model.
 *
 * Forgetting is exact while no row was dropped. Afterwards it is an error, because dropped rows would have to come
 * back.
 *
 * Contents:
 *   1. Stored rows
 *   2. Stored rows as a case table
 *   3. File format
 *   4. Types */
#include "stats/kept_rows.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/exact/ieee754.h"
#include "stats/exact_sums_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CRD_I_SAMPLE_SPAN = 2 }; /* words per column */

typedef struct crd_i_hashes {
    uint64_t *each;
    size_t count, capacity;
} crd_i_hashes;

typedef struct crd_i_rows {
    crd_i_joint_tally base;
    bool is_table; /* all rows are stored */
    size_t most;   /* maximum number of rows to store, or of a table */
    crd_i_distinct rows;
    crd_i_hashes row_hashes;
    bool is_bounded; /* some rows were dropped: those with a hash of at least `bound` */
    uint64_t bound;
    crd_i_sums seen; /* for each condition, the weight of all rows */
    crd_i_hashes condition_names;
    crd_i_hashes *value_names; /* for each column */
    crd_i_kept_bags bags;      /* for texts: a text cell contains the key of its bag */
} crd_i_rows;

static inline uint64_t sample_bits(const uint32_t *cell) {
    return (uint64_t)cell[1] << 32 | cell[0];
}

/* ======== 1. Stored rows ======== */

size_t crd_i_rows_most(size_t columns) {
    size_t most = columns == 0 ? CRD_I_ROWS_MOST : CRD_I_ROWS_MOST_CELLS / columns;
    if (most > CRD_I_ROWS_MOST) most = CRD_I_ROWS_MOST;
    return most > 0 ? most : 1;
}

static size_t table_most(size_t columns) {
    return CRD_I_TABLE_MOST_CELLS / (columns + 1);
}

/* ---- Hashes ---- */

static uint64_t kept_rows_join(uint64_t hash, uint64_t with) {
    hash = (hash ^ with) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t hash_of_name(crd_text text) {
    uint64_t hash = text.length;
    for (size_t i = 0; i < text.length; i++) hash = kept_rows_join(hash, (unsigned char)text.bytes[i]);
    return crd_i_hash_scatter(hash);
}

static bool rows_note_hash(crd_context *context, crd_i_hashes *hashes, size_t index, uint64_t hash) {
    if (!crd_i_reserve(context, &hashes->each, &hashes->capacity, index + 1, sizeof *hashes->each)) return false;
    for (; hashes->count <= index; hashes->count++) hashes->each[hashes->count] = 0;
    hashes->each[index] = hash;
    return true;
}

static uint64_t hash_at(const crd_i_hashes *hashes, size_t i) {
    return i < hashes->count ? hashes->each[i] : 0;
}

/* Returns the hash of a row's content.
 *
 * Hashes a row. Missing cells have all bits set, whatever the type of their column. */
static uint64_t rows_hash(const crd_i_rows *joint_tally, const uint32_t *words) {
    uint64_t hash = hash_at(&joint_tally->condition_names, words[joint_tally->rows.width - 1]);
    for (size_t column = 0; column < joint_tally->base.column_count; column++) {
        const uint32_t *cell = words + column * CRD_I_SAMPLE_SPAN;
        bool is_named = joint_tally->base.types[column] == CRD_TYPE_CATEGORICAL && cell[0] != CRD_I_MISSING_WORD;
        hash = kept_rows_join(hash, is_named ? hash_at(&joint_tally->value_names[column], cell[0]) : sample_bits(cell));
    }
    return crd_i_hash_scatter(hash);
}

/* ---- Memory ---- */

static void kept_rows_destroy(crd_i_joint_tally *base) {
    crd_i_rows *joint_tally = (crd_i_rows *)base;
    crd_context *context = base->context;
    for (size_t column = 0; joint_tally->value_names != NULL && column < base->column_count; column++)
        crd_free(context, joint_tally->value_names[column].each);
    crd_free(context, joint_tally->value_names);
    crd_free(context, joint_tally->condition_names.each);
    crd_free(context, joint_tally->row_hashes.each);
    crd_i_kept_bags_clear(&joint_tally->bags);
    crd_i_sums_clear(&joint_tally->seen);
    crd_i_distinct_clear(&joint_tally->rows);
    crd_i_joint_tally_free(base);
}

static crd_i_joint_tally *create_of(const crd_i_joint_tally_type *type, crd_context *context, size_t columns) {
    crd_i_rows *joint_tally = crd_i_alloc_zeroed(context, 1, sizeof *joint_tally);
    if (joint_tally == NULL) return NULL;
    bool done = crd_i_joint_tally_init(&joint_tally->base, type, context, columns);
    joint_tally->is_table = type == &crd_i_kept_table;
    joint_tally->bags.context = context;
    joint_tally->bags.bytes.context = context;
    joint_tally->most = joint_tally->is_table ? table_most(columns) : crd_i_rows_most(columns);
    crd_i_sums_init(&joint_tally->seen, context);
    crd_i_distinct_init(&joint_tally->rows, context, columns * CRD_I_SAMPLE_SPAN + 1);
    joint_tally->value_names = crd_i_alloc_zeroed(context, columns, sizeof *joint_tally->value_names);
    if (done && joint_tally->value_names != NULL) return &joint_tally->base;
    kept_rows_destroy(&joint_tally->base);
    return NULL;
}

static crd_i_joint_tally *kept_rows_create(crd_context *context, size_t columns) {
    return create_of(&crd_i_kept_rows, context, columns);
}

static crd_i_joint_tally *create_table(crd_context *context, size_t columns) {
    return create_of(&crd_i_kept_table, context, columns);
}

static bool copy_hashes(crd_context *context, crd_i_hashes *hashes, const crd_i_hashes *source_hashes) {
    if (!crd_i_reserve(context, &hashes->each, &hashes->capacity, source_hashes->count, sizeof *hashes->each))
        return false;
    if (source_hashes->count > 0)
        memcpy(hashes->each, source_hashes->each, source_hashes->count * sizeof *hashes->each);
    hashes->count = source_hashes->count;
    return true;
}

/* Resets a column's type. All its cells are missing and are hashed as such. false: rows were dropped. */
static bool kept_rows_unsettle(crd_i_joint_tally *base, size_t column) {
    crd_i_rows *joint_tally = (crd_i_rows *)base;
    joint_tally->value_names[column].count = 0;
    return crd_i_distinct_unsettle(base, column) && !joint_tally->is_bounded;
}

static bool kept_rows_extend(crd_i_joint_tally *base, size_t conditions, const size_t *value_counts) {
    if (!crd_i_sums_extend(&((crd_i_rows *)base)->seen, conditions)) return false;
    crd_i_joint_tally_note_extent(base, conditions, value_counts);
    return true;
}

static bool kept_rows_spell(crd_i_joint_tally *base, size_t column, size_t value, crd_text text) {
    crd_i_rows *joint_tally = (crd_i_rows *)base;
    crd_i_hashes *names = column == SIZE_MAX ? &joint_tally->condition_names : &joint_tally->value_names[column];
    return rows_note_hash(base->context, names, value, hash_of_name(text));
}

/* Returns whether a column contains texts. */
static bool rows_have_texts(const crd_i_joint_tally *base) {
    for (size_t column = 0; column < base->column_count; column++)
        if (base->types[column] == CRD_TYPE_TEXT) return true;
    return false;
}

/* Adds the bags of another tally's row. The keys of bags do not depend on the numbers of values. */
static bool take_bags_of(crd_i_kept_bags *kept, const crd_i_rows *source_rows, size_t row) {
    const uint32_t *words = crd_i_distinct_row(&source_rows->rows, row);
    for (size_t column = 0; column < source_rows->base.column_count; column++) {
        const uint64_t key = sample_bits(words + column * CRD_I_SAMPLE_SPAN);
        if (source_rows->base.types[column] == CRD_TYPE_TEXT && key != UINT64_MAX &&
            !crd_i_kept_bags_add(kept, key, crd_i_kept_bags_find(&source_rows->bags, key)))
            return false;
    }
    return true;
}

static bool take_bags(crd_i_rows *target_rows, const crd_i_rows *source_rows) {
    for (size_t row = 0; rows_have_texts(&source_rows->base) && row < source_rows->rows.count; row++)
        if (!take_bags_of(&target_rows->bags, source_rows, row)) return false;
    return true;
}

/* Drops the bags that no row refers to. */
static bool drop_bags(crd_i_rows *joint_tally) {
    if (!rows_have_texts(&joint_tally->base)) return true;
    crd_i_kept_bags left = {.context = joint_tally->base.context, .bytes = {.context = joint_tally->base.context}};
    for (size_t row = 0; row < joint_tally->rows.count; row++)
        if (!take_bags_of(&left, joint_tally, row)) {
            crd_i_kept_bags_clear(&left);
            return false;
        }
    crd_i_kept_bags_clear(&joint_tally->bags);
    joint_tally->bags = left;
    return true;
}

static crd_i_joint_tally *kept_rows_clone(const crd_i_joint_tally *base) {
    const crd_i_rows *source_rows = (const crd_i_rows *)base;
    crd_context *context = base->context;
    crd_i_rows *new_rows = (crd_i_rows *)create_of(base->type, context, base->column_count);
    if (new_rows == NULL) return NULL;
    crd_i_distinct_copy_extent(&new_rows->base, base);
    bool done = crd_i_sums_extend(&new_rows->seen, base->conditions) &&
                crd_i_distinct_copy(&new_rows->rows, &source_rows->rows) &&
                crd_i_sums_combine_all(&new_rows->seen, &source_rows->seen, NULL, 1) &&
                copy_hashes(context, &new_rows->row_hashes, &source_rows->row_hashes) &&
                copy_hashes(context, &new_rows->condition_names, &source_rows->condition_names);
    for (size_t column = 0; done && column < base->column_count; column++)
        done = copy_hashes(context, &new_rows->value_names[column], &source_rows->value_names[column]);
    new_rows->is_bounded = source_rows->is_bounded;
    new_rows->bound = source_rows->bound;
    done = done && take_bags(new_rows, source_rows);
    if (done) return &new_rows->base;
    kept_rows_destroy(&new_rows->base);
    return NULL;
}

/* ---- Sampling ---- */

/* Returns the total length of a row's bags in bytes. */
static size_t bytes_of_row(const crd_i_rows *joint_tally, size_t row) {
    const uint32_t *words = crd_i_distinct_row(&joint_tally->rows, row);
    size_t bytes = 0;
    for (size_t column = 0; column < joint_tally->base.column_count; column++) {
        const uint64_t key = sample_bits(words + column * CRD_I_SAMPLE_SPAN);
        if (joint_tally->base.types[column] == CRD_TYPE_TEXT && key != UINT64_MAX)
            bytes += crd_i_kept_bags_find(&joint_tally->bags, key).length;
    }
    return bytes;
}

typedef struct sized_hash {
    uint64_t hash;
    size_t bytes;
} sized_hash;

static int compare_hashes(const void *a, const void *b) {
    const sized_hash *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Finds the bound after all rows were considered: the smallest hash that would exceed the limit of rows or of bytes in
 * bags. */
static bool find_bound(const crd_i_rows *joint_tally, bool *is_bounded, uint64_t *bound) {
    size_t most = joint_tally->most, count = joint_tally->row_hashes.count;
    const bool has_sizes = rows_have_texts(&joint_tally->base);
    *is_bounded = joint_tally->is_bounded;
    *bound = joint_tally->bound;
    if (joint_tally->is_table || (count <= most && !has_sizes)) return true;
    sized_hash *sorted = crd_i_alloc(joint_tally->base.context, count, sizeof *sorted);
    if (sorted == NULL) return false;
    for (size_t row = 0; row < count; row++) {
        const sized_hash sized = {joint_tally->row_hashes.each[row], has_sizes ? bytes_of_row(joint_tally, row) : 0};
        sorted[row] = sized;
    }
    qsort(sorted, count, sizeof *sorted, compare_hashes);
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += sorted[i].bytes;
        if (i < most && bytes <= CRD_I_BAGS_MOST_BYTES) continue;
        *is_bounded = true;
        *bound = sorted[i].hash;
        break;
    }
    crd_free(joint_tally->base.context, sorted);
    return true;
}

/* Returns which rows stay, and the hash bound after all rows were considered; free it with crd_free; NULL: out of
 * memory. */
static bool *rows_staying(const crd_i_rows *joint_tally, bool *is_bounded, uint64_t *bound) {
    bool *stays = crd_i_alloc(joint_tally->base.context, joint_tally->rows.count, sizeof *stays);
    if (stays == NULL || !find_bound(joint_tally, is_bounded, bound)) {
        crd_free(joint_tally->base.context, stays);
        return NULL;
    }
    for (size_t row = 0; row < joint_tally->rows.count; row++)
        stays[row] = !*is_bounded || joint_tally->row_hashes.each[row] < *bound;
    return stays;
}

/* Drops the rows that are not marked, and their hashes. */
static void kept_rows_keep(crd_i_rows *joint_tally, const bool *stays) {
    size_t kept = 0;
    for (size_t row = 0; row < joint_tally->rows.count; row++) {
        joint_tally->row_hashes.each[kept] = joint_tally->row_hashes.each[row];
        kept += stays[row];
    }
    joint_tally->row_hashes.count = kept;
    crd_i_distinct_keep(&joint_tally->rows, stays);
}

/* Drops the rows above the bound, and the bags that only they refer to. */
static bool kept_rows_prune(crd_i_rows *joint_tally) {
    bool *stays = rows_staying(joint_tally, &joint_tally->is_bounded, &joint_tally->bound);
    if (stays == NULL) return false;
    kept_rows_keep(joint_tally, stays);
    crd_free(joint_tally->base.context, stays);
    return drop_bags(joint_tally);
}

/* Finds the row with these words, or adds it. *row is SIZE_MAX if its hash is above the bound. */
static bool kept_rows_find_or_add(crd_i_rows *joint_tally, const uint32_t *words, size_t *row) {
    if (!joint_tally->is_bounded) { /* known rows need no hash */
        *row = crd_i_distinct_find(&joint_tally->rows, words);
        if (*row != SIZE_MAX) return true;
    }
    uint64_t hash = rows_hash(joint_tally, words);
    *row = SIZE_MAX;
    if (joint_tally->is_bounded && hash >= joint_tally->bound) return true;
    bool has_too_many = joint_tally->rows.count > joint_tally->most + joint_tally->most / 4 ||
                        joint_tally->bags.bytes.length > CRD_I_BAGS_MOST_BYTES + CRD_I_BAGS_MOST_BYTES / 4;
    if (has_too_many && !joint_tally->is_table && !kept_rows_prune(joint_tally)) return false;
    if (joint_tally->is_bounded && hash >= joint_tally->bound) return true;
    crd_i_hashes *hashes = &joint_tally->row_hashes;
    if (!crd_i_reserve(joint_tally->base.context, &hashes->each, &hashes->capacity, hashes->count + 1, sizeof hash) ||
        !crd_i_distinct_find_or_add(&joint_tally->rows, words, row))
        return false;
    if (*row == hashes->count) hashes->each[hashes->count++] = hash;
    return true;
}

/* ---- Adding ---- */

static void put_bits(uint32_t *cell, uint64_t bits) {
    cell[0] = (uint32_t)bits;
    cell[1] = (uint32_t)(bits >> 32);
}

static void kept_rows_put_cell(uint32_t *cell, const crd_i_cells *cells, size_t row) {
    cell[0] = cell[1] = CRD_I_MISSING_WORD;
    if (cells->texts != NULL) {
        if (cells->texts[row].length > 0) put_bits(cell, crd_i_kept_bag_key(cells->texts[row]));
    } else if (cells->numbers != NULL) {
        /* -0 becomes 0 */
        if (crd_i_number_present(cells, row)) put_bits(cell, crd_i_bits_of(cells->numbers[row] + 0.0));
    } else if (cells->codes != NULL && cells->codes[row] >= 0) {
        cell[0] = (uint32_t)cells->codes[row];
    }
}

/* Stores the bags of a row's texts. The texts are bags already. */
static bool put_bags(crd_i_rows *joint_tally, const crd_i_joint_tally_rows *rows, size_t row, const uint32_t *words) {
    for (size_t column = 0; column < joint_tally->base.column_count; column++) {
        const uint64_t key = sample_bits(words + column * CRD_I_SAMPLE_SPAN);
        if (joint_tally->base.types[column] == CRD_TYPE_TEXT && key != UINT64_MAX &&
            !crd_i_kept_bags_add(&joint_tally->bags, key, rows->columns[column].texts[row]))
            return false;
    }
    return true;
}

/* Returns whether a table has more rows or text than the limits; then it is dropped. */
static bool is_too_large(const crd_i_rows *joint_tally) {
    return joint_tally->is_table &&
           (joint_tally->rows.count > joint_tally->most || joint_tally->bags.bytes.length > CRD_I_BAGS_MOST_BYTES);
}

static crd_status kept_rows_add(crd_i_joint_tally *base, const crd_i_joint_tally_rows *rows, crd_error *error) {
    crd_i_rows *joint_tally = (crd_i_rows *)base;
    size_t width = joint_tally->rows.width;
    uint32_t *words = crd_i_alloc(base->context, width, sizeof *words);
    bool done = words != NULL;
    for (size_t i = 0; done && i < rows->rows; i++) {
        double weight = rows->weights == NULL ? 1 : rows->weights[i];
        /* A row of weight zero must not be stored. */
        if (rows->conditions[i] < 0 || weight == 0) continue;
        size_t row, condition = (size_t)rows->conditions[i];
        for (size_t column = 0; column < base->column_count; column++)
            kept_rows_put_cell(words + column * CRD_I_SAMPLE_SPAN, &rows->columns[column], i);
        words[width - 1] = (uint32_t)condition;
        done = kept_rows_find_or_add(joint_tally, words, &row) &&
               (row == SIZE_MAX || put_bags(joint_tally, rows, i, words));
        if (rows->weights == NULL)
            done = done && crd_i_sums_count(&joint_tally->seen, condition, 1) &&
                   (row == SIZE_MAX || crd_i_sums_count(&joint_tally->rows.weights, row, 1));
        else
            done = done && crd_i_sums_add(&joint_tally->seen, condition, weight) &&
                   (row == SIZE_MAX || crd_i_sums_add(&joint_tally->rows.weights, row, weight));
    }
    crd_free(base->context, words);
    if (!done) return crd_i_fail_memory(error);
    return is_too_large(joint_tally) ? CRD_ERROR_LIMIT : CRD_OK;
}

/* ---- Combining ---- */

/* Adds the second tally's names, under the numbers of the first, and its column types. */
static bool kept_rows_take_names(crd_i_rows *new_rows, const crd_i_rows *second, const crd_i_joint_tally_map *map) {
    crd_context *context = new_rows->base.context;
    bool done = crd_i_distinct_take_extent(&new_rows->base, &second->base, map) &&
                crd_i_sums_extend(&new_rows->seen, new_rows->base.conditions);
    for (size_t i = 0; done && i < second->condition_names.count; i++)
        done = rows_note_hash(context, &new_rows->condition_names, map->conditions[i], second->condition_names.each[i]);
    for (size_t column = 0; column < new_rows->base.column_count; column++)
        for (size_t i = 0; done && i < second->value_names[column].count; i++)
            done = rows_note_hash(context, &new_rows->value_names[column], map->values[column][i],
                                  second->value_names[column].each[i]);
    return done;
}

/* Adds the second tally's rows that are below both bounds. */
static bool add_rows_of(crd_i_rows *new_rows, const crd_i_rows *second, const crd_i_renumbering *numbers,
                        uint32_t *words) {
    if (second->is_bounded && (!new_rows->is_bounded || second->bound < new_rows->bound)) {
        new_rows->is_bounded = true;
        new_rows->bound = second->bound;
        if (!kept_rows_prune(new_rows)) return false;
    }
    for (size_t i = 0; i < second->rows.count; i++) {
        size_t row;
        crd_i_renumber(numbers, CRD_I_SAMPLE_SPAN, crd_i_distinct_row(&second->rows, i), words);
        if (!kept_rows_find_or_add(new_rows, words, &row)) return false;
        if (row != SIZE_MAX && (!crd_i_sums_combine(&new_rows->rows.weights, row, &second->rows.weights, i, 1) ||
                                !take_bags_of(&new_rows->bags, second, i)))
            return false;
    }
    return true;
}

/* Subtracts the second tally's rows. *is_part: all of them were present. */
static bool take_rows_of(crd_i_rows *new_rows, const crd_i_rows *second, const crd_i_renumbering *numbers,
                         uint32_t *words, bool *is_part) {
    /* A tally with a bound had more distinct rows than this one has. */
    *is_part = !second->is_bounded;
    for (size_t i = 0; *is_part && i < second->rows.count; i++) {
        crd_i_renumber(numbers, CRD_I_SAMPLE_SPAN, crd_i_distinct_row(&second->rows, i), words);
        size_t row = crd_i_distinct_find(&new_rows->rows, words);
        *is_part = row != SIZE_MAX;
        if (!*is_part) break;
        if (!crd_i_sums_combine(&new_rows->rows.weights, row, &second->rows.weights, i, -1)) return false;
        *is_part = crd_i_sums_sign(&new_rows->rows.weights, row) >= 0;
    }
    bool *stays = crd_i_alloc(new_rows->base.context, new_rows->rows.count, sizeof *stays);
    if (stays == NULL) return false;
    for (size_t row = 0; row < new_rows->rows.count; row++)
        stays[row] = crd_i_sums_sign(&new_rows->rows.weights, row) != 0;
    kept_rows_keep(new_rows, stays);
    crd_free(new_rows->base.context, stays);
    return drop_bags(new_rows);
}

static crd_i_joint_tally *kept_rows_combined(const crd_i_joint_tally *first_base, const crd_i_joint_tally *second_base,
                                             const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                             crd_error *error) {
    const crd_i_rows *second = (const crd_i_rows *)second_base;
    crd_context *context = first_base->context;
    crd_i_rows *new_rows = (crd_i_rows *)kept_rows_clone(first_base);
    uint32_t *words = crd_i_alloc(context, second->rows.width, sizeof *words);
    crd_i_renumbering numbers = {.context = context};
    bool is_part = true;
    /* Apply the bound now, because the result must not depend on when rows above it are dropped. */
    bool done = new_rows != NULL && words != NULL && crd_i_renumbering_by_map(&numbers, second_base, map) &&
                kept_rows_take_names(new_rows, second, map) && kept_rows_prune(new_rows);
    if (done && sign > 0) done = add_rows_of(new_rows, second, &numbers, words) && kept_rows_prune(new_rows);
    if (done && sign < 0 && new_rows->is_bounded && second->rows.count > 0) {
        *why = crd_i_fail(error, CRD_ERROR_CANNOT_FORGET,
                          "rows cannot be forgotten: there were more than %lu different rows%s, so only a sample is "
                          "stored, and the other rows cannot be recovered",
                          (unsigned long)new_rows->most,
                          rows_have_texts(&new_rows->base) ? ", or too much text in them" : "");
        done = false;
    } else if (done && sign < 0) {
        done = take_rows_of(new_rows, second, &numbers, words, &is_part);
    }
    done = done && crd_i_sums_combine_all(&new_rows->seen, &second->seen, map->conditions, sign);
    if (done && is_too_large(new_rows)) {
        *why = CRD_ERROR_LIMIT;
        done = false;
    }
    if (done && !is_part) {
        *why = crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row to forget is not among the learned rows");
        done = false;
    }
    crd_i_renumbering_clear(&numbers);
    crd_free(context, words);
    if (done) return &new_rows->base;
    crd_i_joint_tally_destroy(new_rows == NULL ? NULL : &new_rows->base);
    return NULL;
}

/* ======== 2. Stored rows as a case table ======== */

/* Fills in the cells of a column. Texts point into bytes that the sample owns. false: out of memory. */
static bool sample_fill_column(crd_i_sample *sample, size_t number, const crd_i_rows *joint_tally,
                               const crd_i_arranged *arranged) {
    crd_i_case_column *column = &sample->table->columns[number];
    const size_t rows = sample->table->rows;
    column->type = joint_tally->base.types[number];
    switch (column->type) {
    case CRD_TYPE_NUMERIC: column->numbers = crd_i_alloc(sample->context, rows, sizeof *column->numbers); break;
    case CRD_TYPE_CATEGORICAL: column->codes32 = crd_i_alloc(sample->context, rows, sizeof *column->codes32); break;
    case CRD_TYPE_TEXT: column->texts = crd_i_alloc_zeroed(sample->context, rows, sizeof *column->texts); break;
    case CRD_TYPE_NONE: return true;
    }
    if (column->numbers == NULL && column->codes32 == NULL && column->texts == NULL) return false;
    for (size_t i = 0; i < rows; i++) {
        const uint32_t *cell = arranged->words + arranged->order[i] * arranged->width + number * CRD_I_SAMPLE_SPAN;
        const uint64_t bits = sample_bits(cell);
        if (column->numbers != NULL) column->numbers[i] = bits == UINT64_MAX ? (double)NAN : crd_i_double_of(bits);
        else if (column->codes32 != NULL) column->codes32[i] = cell[0]; /* CRD_I_MISSING_WORD is the missing code */
        else if (bits != UINT64_MAX) {
            const crd_text bag = crd_i_kept_bags_find(&joint_tally->bags, bits);
            if (bag.bytes == NULL) continue;
            column->texts[i].bytes = sample->bags + (bag.bytes - (const char *)joint_tally->bags.bytes.bytes);
            column->texts[i].length = bag.length;
        }
    }
    return true;
}

/* Copies the stored rows, in the order of `arranged`, into the table of the sample. false: out of memory; the caller
 * clears the sample. */
static bool fill_sample(crd_i_sample *sample, const crd_i_rows *joint_tally, const crd_i_joint_tally_view *view,
                        const crd_i_arranged *arranged) {
    crd_context *context = sample->context;
    const crd_i_buffer *bytes = &joint_tally->bags.bytes;
    const size_t columns = joint_tally->base.column_count, rows = arranged->count;
    sample->condition_count = view->condition_count;
    crd_i_case_table *table = sample->table = crd_i_case_table_create(context, columns + 1);
    sample->hashes = crd_i_alloc(context, rows, sizeof *sample->hashes);
    sample->seen = crd_i_alloc_zeroed(context, view->condition_count, sizeof *sample->seen);
    sample->bags = crd_i_alloc(context, bytes->length, 1);
    if (table == NULL || sample->hashes == NULL || sample->seen == NULL || sample->bags == NULL) return false;
    crd_i_case_column *conditions = &table->columns[columns];
    table->rows = rows;
    table->target = columns;
    table->weights = crd_i_alloc(context, rows, sizeof *table->weights);
    conditions->type = CRD_TYPE_CATEGORICAL;
    conditions->codes32 = crd_i_alloc(context, rows, sizeof *conditions->codes32);
    if (table->weights == NULL || conditions->codes32 == NULL) return false;
    for (size_t i = 0; i < rows; i++) {
        size_t row = arranged->order[i];
        conditions->codes32[i] = arranged->words[(row + 1) * arranged->width - 1];
        table->weights[i] = crd_i_sums_value(&joint_tally->rows.weights, row);
        sample->hashes[i] = joint_tally->row_hashes.each[row];
    }
    for (size_t i = 0; i < view->condition_count; i++)
        if ((size_t)view->conditions[i] < joint_tally->base.conditions)
            sample->seen[i] = crd_i_sums_value(&joint_tally->seen, (size_t)view->conditions[i]);
    if (bytes->length > 0) memcpy(sample->bags, bytes->bytes, bytes->length);
    for (size_t column = 0; column < columns; column++)
        if (!sample_fill_column(sample, column, joint_tally, arranged)) return false;
    return true;
}

bool crd_i_sample_init(crd_i_sample *sample, crd_context *context, const crd_i_joint_tally *rows,
                       const crd_i_joint_tally_view *view) {
    const crd_i_rows *joint_tally = (const crd_i_rows *)rows;
    bool is_bounded;
    uint64_t bound;
    crd_i_arranged arranged;
    *sample = (crd_i_sample){.context = context};
    bool *stays = rows_staying(joint_tally, &is_bounded, &bound);
    bool done = stays != NULL && crd_i_arranged_init(&arranged, rows, &joint_tally->rows, CRD_I_SAMPLE_SPAN, view,
                                                     joint_tally->row_hashes.each, stays);
    if (done) {
        sample->is_complete = !is_bounded;
        done = fill_sample(sample, joint_tally, view, &arranged);
        crd_i_arranged_clear(&arranged);
    }
    crd_free(rows->context, stays);
    if (!done) crd_i_sample_clear(sample);
    return done;
}

void crd_i_sample_clear(crd_i_sample *sample) {
    crd_context *context = sample->context;
    crd_i_case_table_destroy(sample->table);
    crd_free(context, sample->bags);
    crd_free(context, sample->hashes);
    crd_free(context, sample->seen);
    *sample = (crd_i_sample){.context = context};
}

/* ======== 3. File format ========
 *
 * A u8, which is 1 if rows were dropped; the bound as u64, 0 if no rows were dropped; the rows (kept_rows.h); the
 * weight of all rows of each condition in a window; and the bags (kept_rows.h) if there is a text column. */

static int kept_rows_file_compare_keys(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the distinct keys of the rows' texts in ascending order; free them with crd_free. NULL: out of memory.
 * `stays` marks the rows to use; NULL: all. */
static uint64_t *keys_of(const crd_i_rows *joint_tally, const bool *stays, size_t *count) {
    const size_t columns = joint_tally->base.column_count;
    uint64_t *keys = crd_i_alloc(joint_tally->base.context, joint_tally->rows.count * columns, sizeof *keys);
    size_t found = 0;
    for (size_t row = 0; keys != NULL && row < joint_tally->rows.count; row++)
        for (size_t column = 0; (stays == NULL || stays[row]) && column < columns; column++) {
            const uint32_t *cell = crd_i_distinct_row(&joint_tally->rows, row) + column * CRD_I_SAMPLE_SPAN;
            if (joint_tally->base.types[column] == CRD_TYPE_TEXT && sample_bits(cell) != UINT64_MAX)
                keys[found++] = sample_bits(cell);
        }
    if (found > 1) qsort(keys, found, sizeof *keys, kept_rows_file_compare_keys);
    *count = 0;
    for (size_t i = 0; i < found; i++)
        if (i == 0 || keys[i] != keys[i - 1]) keys[(*count)++] = keys[i];
    return keys;
}

static void write_bags(const crd_i_rows *joint_tally, const bool *stays, crd_i_encoder *encoder) {
    size_t count = 0;
    if (!rows_have_texts(&joint_tally->base)) return;
    uint64_t *keys = keys_of(joint_tally, stays, &count);
    if (keys == NULL) encoder->failed = true;
    else crd_i_kept_bags_write(&joint_tally->bags, keys, count, encoder);
    crd_free(joint_tally->base.context, keys);
}

static crd_status read_bags(crd_i_rows *joint_tally, crd_i_cursor *cursor, crd_error *error) {
    size_t count = 0;
    if (!rows_have_texts(&joint_tally->base)) return CRD_OK;
    uint64_t *keys = keys_of(joint_tally, NULL, &count);
    if (keys == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_kept_bags_read(&joint_tally->bags, keys, count, cursor, error);
    crd_free(joint_tally->base.context, keys);
    return status;
}

static void rows_write(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view, crd_i_encoder *encoder) {
    const crd_i_rows *joint_tally = (const crd_i_rows *)base;
    bool is_bounded;
    uint64_t bound;
    crd_i_arranged arranged;
    bool *stays = rows_staying(joint_tally, &is_bounded, &bound);
    if (stays == NULL || !crd_i_arranged_init(&arranged, base, &joint_tally->rows, CRD_I_SAMPLE_SPAN, view,
                                              joint_tally->row_hashes.each, stays)) {
        crd_free(base->context, stays);
        encoder->failed = true;
        return;
    }
    crd_i_encode_u8(encoder, is_bounded);
    crd_i_encode_u64(encoder, is_bounded ? bound : 0);
    crd_i_arranged_write(&arranged, base, &joint_tally->rows, CRD_I_SAMPLE_SPAN, encoder);
    crd_i_window window = crd_i_window_begin(encoder, &joint_tally->seen);
    for (size_t i = 0; i < view->condition_count; i++) {
        if ((size_t)view->conditions[i] < base->conditions)
            crd_i_window_cell(encoder, window, &joint_tally->seen, (size_t)view->conditions[i]);
        else
            for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
    }
    write_bags(joint_tally, stays, encoder);
    crd_i_arranged_clear(&arranged);
    crd_free(base->context, stays);
}

/* Computes the hashes of the rows, and checks that the rows are sorted by hash and below the bound. */
static crd_status kept_rows_file_check(crd_i_rows *joint_tally, crd_error *error) {
    for (size_t row = 0; row < joint_tally->rows.count; row++) {
        uint64_t hash = rows_hash(joint_tally, crd_i_distinct_row(&joint_tally->rows, row));
        if (!rows_note_hash(joint_tally->base.context, &joint_tally->row_hashes, row, hash))
            return crd_i_fail_memory(error);
        bool is_right = !joint_tally->is_bounded || hash < joint_tally->bound;
        uint64_t before = row == 0 ? 0 : joint_tally->row_hashes.each[row - 1];
        is_right = is_right && hash >= before;
        if (is_right && row > 0 && hash == before) {
            const uint32_t *words = crd_i_distinct_row(&joint_tally->rows, row);
            const uint32_t *others = crd_i_distinct_row(&joint_tally->rows, row - 1);
            for (size_t i = 0; i < joint_tally->rows.width; i++) {
                if (words[i] == others[i]) continue; /* no two rows are equal */
                is_right = words[i] > others[i];
                break;
            }
        }
        if (!is_right)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "the rows of a sample are not in the order of their hashes");
    }
    return CRD_OK;
}

/* Checks that the weight of all rows equals the weight of the stored rows, or exceeds it if rows were dropped. */
static crd_status check_seen(const crd_i_rows *joint_tally, crd_error *error) {
    crd_i_sums left;
    crd_i_sums_init(&left, joint_tally->base.context);
    bool done = crd_i_sums_extend(&left, joint_tally->base.conditions) &&
                crd_i_sums_combine_all(&left, &joint_tally->seen, NULL, 1);
    for (size_t row = 0; done && row < joint_tally->rows.count; row++)
        done = crd_i_sums_combine(&left, crd_i_distinct_row(&joint_tally->rows, row)[joint_tally->rows.width - 1],
                                  &joint_tally->rows.weights, row, -1);
    bool is_right = true, is_more = false;
    for (size_t i = 0; done && i < joint_tally->base.conditions; i++) {
        int sign = crd_i_sums_sign(&left, i);
        is_right = is_right && sign >= 0 && crd_i_sums_value(&joint_tally->seen, i) <= CRD_I_MOST_ROWS;
        is_more = is_more || sign > 0;
    }
    crd_i_sums_clear(&left);
    if (!done) return crd_i_fail_memory(error);
    if (is_right && is_more == joint_tally->is_bounded) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "a sample of rows does not have the stated number of rows");
}

static crd_status kept_rows_read(crd_i_joint_tally *base, crd_i_cursor *cursor, crd_error *error) {
    crd_i_rows *joint_tally = (crd_i_rows *)base;
    uint8_t is_bounded = crd_i_decode_u8(cursor);
    joint_tally->bound = crd_i_decode_u64(cursor);
    joint_tally->is_bounded = is_bounded == 1;
    if (cursor->failed || is_bounded > 1 || (is_bounded == 0 && joint_tally->bound != 0) ||
        (joint_tally->is_table && is_bounded != 0))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a sample of rows is inconsistent");
    crd_status status =
        crd_i_distinct_read(&joint_tally->rows, base, CRD_I_SAMPLE_SPAN, joint_tally->most, cursor, error);
    if (status == CRD_OK) status = kept_rows_file_check(joint_tally, error);
    if (status != CRD_OK) return status;
    crd_i_sums seen;
    crd_i_sums_init(&seen, base->context);
    status = crd_i_window_read(cursor, &seen, base->conditions, error);
    if (status == CRD_OK && !crd_i_sums_combine_all(&joint_tally->seen, &seen, NULL, 1))
        status = crd_i_fail_memory(error);
    crd_i_sums_clear(&seen);
    if (status == CRD_OK) status = check_seen(joint_tally, error);
    return status == CRD_OK ? read_bags(joint_tally, cursor, error) : status;
}

/* ======== 4. Types ======== */

static crd_status refuse_table(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view, crd_error *error) {
    (void)view;
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "there are more than %zu different rows of %zu columns, the maximum that a model stores: learn "
                      "from fewer columns or rows",
                      table_most(base->column_count), base->column_count + 1);
}

/* The functions that both types have. */
#define KEPT_ROWS_FUNCTIONS                                                                                            \
    .destroy = kept_rows_destroy, .clone = kept_rows_clone, .settle = crd_i_distinct_settle,                           \
    .unsettle = kept_rows_unsettle, .extend = kept_rows_extend, .spell = kept_rows_spell, .add = kept_rows_add,        \
    .combined = kept_rows_combined, .write = rows_write, .read = kept_rows_read

const crd_i_joint_tally_type crd_i_kept_rows = {
    .name = "rows",
    .summary = "the different rows, or a sample of them",
    .create = kept_rows_create,
    KEPT_ROWS_FUNCTIONS,
};

const crd_i_joint_tally_type crd_i_kept_table = {
    .name = "row-table",
    .former_name = "table",
    .summary = "all different rows",
    .create = create_table,
    .refuse = refuse_table,
    KEPT_ROWS_FUNCTIONS,
};
