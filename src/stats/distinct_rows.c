/* SPDX-License-Identifier: MIT */
/* distinct_rows.c - see kept_rows.h. */
#include "stats/kept_rows.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/exact/ieee754.h"
#include "stats/exact_sums_file.h"

#include <stdlib.h>
#include <string.h>

void crd_i_distinct_init(crd_i_distinct *distinct, crd_context *context, size_t width) {
    memset(distinct, 0, sizeof *distinct);
    distinct->context = context;
    distinct->width = width;
    distinct->key = crd_i_hash_key(context, distinct);
    crd_i_sums_init(&distinct->weights, context);
}

void crd_i_distinct_clear(crd_i_distinct *distinct) {
    crd_free(distinct->context, distinct->words);
    crd_free(distinct->context, distinct->places);
    crd_i_sums_clear(&distinct->weights);
}

/* ---- Hash table ---- */

static size_t distinct_rows_hash(const crd_i_distinct *distinct, const uint32_t *words) {
    uint64_t hash = distinct->key;
    for (size_t i = 0; i < distinct->width; i++) {
        hash = (hash + words[i]) * distinct->key;
        hash ^= hash >> 32;
    }
    return (size_t)(hash * distinct->key >> (64 - distinct->place_bits));
}

static uint32_t *distinct_rows_place(const crd_i_distinct *distinct, const uint32_t *words) {
    size_t mask = ((size_t)1 << distinct->place_bits) - 1, place = distinct_rows_hash(distinct, words);
    while (distinct->places[place] != 0 && memcmp(crd_i_distinct_row(distinct, distinct->places[place] - (size_t)1),
                                                  words, distinct->width * sizeof *words) != 0)
        place = (place + 1) & mask;
    return &distinct->places[place];
}

static void distinct_rows_fill_places(crd_i_distinct *distinct) {
    if (distinct->places == NULL) return;
    memset(distinct->places, 0, sizeof *distinct->places << distinct->place_bits);
    for (size_t row = 0; row < distinct->count; row++)
        *distinct_rows_place(distinct, crd_i_distinct_row(distinct, row)) = (uint32_t)(row + 1);
}

/* ---- Rows ---- */

static bool distinct_rows_reserve(crd_i_distinct *distinct, size_t rows) {
    enum { LEAST = 64 };
    crd_context *context = distinct->context;
    if (rows <= distinct->capacity) return true;
    size_t capacity = distinct->capacity == 0 ? LEAST : distinct->capacity * 2;
    if (capacity < rows) capacity = rows;
    unsigned bits = 1;
    while ((size_t)1 << bits < 2 * capacity) bits++;
    if (capacity >= UINT32_MAX || capacity > SIZE_MAX / distinct->width) return false;
    if (!crd_i_sums_extend(&distinct->weights, capacity)) return false;
    uint32_t *words = crd_i_alloc(context, capacity * distinct->width, sizeof *words);
    uint32_t *places = crd_i_alloc(context, (size_t)1 << bits, sizeof *places);
    if (words == NULL || places == NULL) {
        crd_free(context, words);
        crd_free(context, places);
        return false;
    }
    if (distinct->count > 0) memcpy(words, distinct->words, distinct->count * distinct->width * sizeof *words);
    crd_free(context, distinct->words);
    crd_free(context, distinct->places);
    distinct->words = words;
    distinct->places = places;
    distinct->place_bits = bits;
    distinct->capacity = capacity;
    distinct_rows_fill_places(distinct);
    return true;
}

bool crd_i_distinct_copy(crd_i_distinct *distinct, const crd_i_distinct *source_distinct) {
    const crd_i_sums *weights = &source_distinct->weights;
    if (!distinct_rows_reserve(distinct, source_distinct->count) ||
        !crd_i_sums_set_window(&distinct->weights, weights->base, weights->width))
        return false;
    if (source_distinct->count == 0) return true;
    memcpy(distinct->words, source_distinct->words,
           source_distinct->count * source_distinct->width * sizeof *distinct->words);
    if (weights->width > 0)
        memcpy(distinct->weights.limbs, weights->limbs,
               source_distinct->count * weights->width * sizeof *weights->limbs);
    distinct->count = source_distinct->count;
    distinct_rows_fill_places(distinct);
    return true;
}

size_t crd_i_distinct_find(const crd_i_distinct *distinct, const uint32_t *words) {
    if (distinct->count == 0) return SIZE_MAX;
    uint32_t index = *distinct_rows_place(distinct, words);
    return index == 0 ? SIZE_MAX : index - (size_t)1;
}

bool crd_i_distinct_find_or_add(crd_i_distinct *distinct, const uint32_t *words, size_t *row) {
    *row = crd_i_distinct_find(distinct, words);
    if (*row != SIZE_MAX) return true;
    if (!distinct_rows_reserve(distinct, distinct->count + 1)) return false;
    *row = distinct->count++;
    memcpy(distinct->words + *row * distinct->width, words, distinct->width * sizeof *words);
    *distinct_rows_place(distinct, words) = (uint32_t)distinct->count;
    return true;
}

void crd_i_distinct_keep(crd_i_distinct *distinct, const bool *stays) {
    size_t kept = 0, limbs = distinct->weights.width, length = limbs * sizeof *distinct->weights.limbs;
    for (size_t row = 0; row < distinct->count; row++) {
        if (stays[row] && kept < row) {
            memcpy(distinct->words + kept * distinct->width, crd_i_distinct_row(distinct, row),
                   distinct->width * sizeof *distinct->words);
            if (limbs > 0)
                memcpy(distinct->weights.limbs + kept * limbs, distinct->weights.limbs + row * limbs, length);
        }
        kept += stays[row];
    }
    if (kept == distinct->count) return;
    if (limbs > 0) memset(distinct->weights.limbs + kept * limbs, 0, (distinct->count - kept) * length);
    distinct->count = kept;
    distinct_rows_fill_places(distinct);
}

void crd_i_distinct_drop_empty(crd_i_distinct *distinct, bool *room) {
    for (size_t row = 0; row < distinct->count; row++) room[row] = crd_i_sums_sign(&distinct->weights, row) != 0;
    crd_i_distinct_keep(distinct, room);
}

/* ---- Renumbering ---- */

static bool begin_renumbering(crd_i_renumbering *renumbering, const crd_i_joint_tally *tally) {
    renumbering->context = tally->context;
    renumbering->column_count = tally->column_count;
    renumbering->conditions = crd_i_alloc_zeroed(tally->context, tally->conditions, sizeof *renumbering->conditions);
    renumbering->values = crd_i_alloc_zeroed(tally->context, tally->column_count, sizeof *renumbering->values);
    if (renumbering->conditions == NULL || renumbering->values == NULL) return false;
    for (size_t column = 0; column < tally->column_count; column++) {
        if (tally->types[column] != CRD_TYPE_CATEGORICAL) continue;
        renumbering->values[column] =
            crd_i_alloc_zeroed(tally->context, tally->value_counts[column], sizeof *renumbering->values[column]);
        if (renumbering->values[column] == NULL) return false;
    }
    return true;
}

bool crd_i_renumbering_by_map(crd_i_renumbering *renumbering, const crd_i_joint_tally *tally,
                              const crd_i_joint_tally_map *map) {
    if (!begin_renumbering(renumbering, tally)) return false;
    for (size_t i = 0; i < tally->conditions; i++) renumbering->conditions[i] = (uint32_t)map->conditions[i];
    for (size_t column = 0; column < tally->column_count; column++)
        for (size_t i = 0; renumbering->values[column] != NULL && i < tally->value_counts[column]; i++)
            renumbering->values[column][i] = (uint32_t)map->values[column][i];
    return true;
}

static bool renumber_by_view(crd_i_renumbering *renumbering, const crd_i_joint_tally *tally,
                             const crd_i_joint_tally_view *view) {
    if (!begin_renumbering(renumbering, tally)) return false;
    /* The owner may have more conditions and values than this joint tally. */
    for (size_t i = 0; i < view->condition_count; i++)
        if ((size_t)view->conditions[i] < tally->conditions) renumbering->conditions[view->conditions[i]] = (uint32_t)i;
    for (size_t column = 0; column < tally->column_count; column++)
        for (size_t i = 0; renumbering->values[column] != NULL && i < view->columns[column].value_count; i++) {
            size_t value = (size_t)view->columns[column].values[i];
            if (value < tally->value_counts[column]) renumbering->values[column][value] = (uint32_t)i;
        }
    return true;
}

void crd_i_renumbering_clear(crd_i_renumbering *renumbering) {
    for (size_t column = 0; renumbering->values != NULL && column < renumbering->column_count; column++)
        crd_free(renumbering->context, renumbering->values[column]);
    crd_free(renumbering->context, renumbering->values);
    crd_free(renumbering->context, renumbering->conditions);
}

void crd_i_renumber(const crd_i_renumbering *renumbering, size_t span, const uint32_t *source, uint32_t *destination) {
    size_t width = renumbering->column_count * span + 1;
    memcpy(destination, source, width * sizeof *destination);
    for (size_t column = 0; column < renumbering->column_count; column++)
        if (renumbering->values[column] != NULL && source[column * span] != CRD_I_MISSING_WORD)
            destination[column * span] = renumbering->values[column][source[column * span]];
    destination[width - 1] = renumbering->conditions[source[width - 1]];
}

/* ---- Rows in order ---- */

typedef struct rows_ranking {
    uint64_t rank;
    const uint32_t *words;
    size_t width, row;
} rows_ranking;

static int distinct_rows_compare(const void *a, const void *b) {
    const rows_ranking *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    for (size_t i = 0; i < x->width; i++)
        if (x->words[i] != y->words[i]) return x->words[i] < y->words[i] ? -1 : 1;
    return 0;
}

bool crd_i_arranged_init(crd_i_arranged *arranged, const crd_i_joint_tally *joint_tally, const crd_i_distinct *distinct,
                         size_t span, const crd_i_joint_tally_view *view, const uint64_t *ranks, const bool *stays) {
    crd_context *context = joint_tally->context;
    size_t rows = distinct->count;
    memset(arranged, 0, sizeof *arranged);
    arranged->context = context;
    arranged->width = distinct->width;
    crd_i_renumbering numbers = {.context = context};
    bool done = renumber_by_view(&numbers, joint_tally, view);
    arranged->words = crd_i_alloc(context, rows * distinct->width, sizeof *arranged->words);
    arranged->order = crd_i_alloc(context, rows, sizeof *arranged->order);
    rows_ranking *sorted = crd_i_alloc(context, rows, sizeof *sorted);
    done = done && arranged->words != NULL && arranged->order != NULL && sorted != NULL;
    for (size_t row = 0; done && row < rows; row++) {
        if (stays != NULL && !stays[row]) continue;
        uint32_t *words = arranged->words + row * distinct->width;
        crd_i_renumber(&numbers, span, crd_i_distinct_row(distinct, row), words);
        const rows_ranking ranking = {ranks == NULL ? 0 : ranks[row], words, distinct->width, row};
        sorted[arranged->count++] = ranking;
    }
    if (done && arranged->count > 1) qsort(sorted, arranged->count, sizeof *sorted, distinct_rows_compare);
    for (size_t i = 0; done && i < arranged->count; i++) arranged->order[i] = sorted[i].row;
    crd_free(context, sorted);
    crd_i_renumbering_clear(&numbers);
    if (!done) crd_i_arranged_clear(arranged);
    return done;
}

void crd_i_arranged_clear(crd_i_arranged *arranged) {
    crd_free(arranged->context, arranged->words);
    crd_free(arranged->context, arranged->order);
    arranged->words = NULL;
    arranged->order = NULL;
}

/* ---- Files ---- */

/* Returns whether the cells of a column have two words: the bits of a number, or the key of a text. */
static bool is_of_bits(const crd_i_joint_tally *joint_tally, size_t column, size_t span) {
    return span == 2 && (joint_tally->types[column] == CRD_TYPE_NUMERIC || joint_tally->types[column] == CRD_TYPE_TEXT);
}

void crd_i_arranged_write(const crd_i_arranged *arranged, const crd_i_joint_tally *joint_tally,
                          const crd_i_distinct *distinct, size_t span, crd_i_encoder *encoder) {
    crd_i_encode_u32(encoder, (uint32_t)arranged->count);
    for (size_t i = 0; i < arranged->count; i++) {
        const uint32_t *words = arranged->words + arranged->order[i] * arranged->width;
        for (size_t column = 0; column < joint_tally->column_count; column++) {
            if (joint_tally->types[column] == CRD_TYPE_CATEGORICAL) crd_i_encode_u32(encoder, words[column * span]);
            else if (is_of_bits(joint_tally, column, span))
                crd_i_encode_u64(encoder, (uint64_t)words[column * span + 1] << 32 | words[column * span]);
        }
        crd_i_encode_u32(encoder, words[arranged->width - 1]);
    }
    /* Rows that are not shown may have wider weights. So the written weights are copied first, and their window is the
     * smallest that holds them. */
    crd_i_sums shown;
    crd_i_sums_init(&shown, joint_tally->context);
    bool done = crd_i_sums_extend(&shown, arranged->count);
    for (size_t i = 0; done && i < arranged->count; i++)
        done = crd_i_sums_combine(&shown, i, &distinct->weights, arranged->order[i], 1);
    if (done) {
        crd_i_window window = crd_i_window_begin(encoder, &shown);
        for (size_t i = 0; i < arranged->count; i++) crd_i_window_cell(encoder, window, &shown, i);
    }
    if (!done) encoder->failed = true;
    crd_i_sums_clear(&shown);
}

/* Reads one cell into `words`. false: it is not a known category, a finite number other than -0, or missing. */
static bool read_cell(const crd_i_joint_tally *joint_tally, size_t column, size_t span, crd_i_cursor *cursor,
                      uint32_t *words) {
    for (size_t i = 0; i < span; i++) words[i] = CRD_I_MISSING_WORD;
    if (joint_tally->types[column] == CRD_TYPE_CATEGORICAL) {
        words[0] = crd_i_decode_u32(cursor);
        return words[0] == CRD_I_MISSING_WORD || words[0] < joint_tally->value_counts[column];
    }
    if (!is_of_bits(joint_tally, column, span)) return true;
    uint64_t bits = crd_i_decode_u64(cursor), infinite = UINT64_C(0x7ff) << 52;
    words[0] = (uint32_t)bits;
    words[1] = (uint32_t)(bits >> 32);
    if (joint_tally->types[column] == CRD_TYPE_TEXT) return true;
    return bits == UINT64_MAX || ((bits & infinite) != infinite && bits != UINT64_C(1) << 63);
}

static size_t written_size(const crd_i_joint_tally *joint_tally, size_t span) {
    size_t size = sizeof(uint32_t);
    for (size_t column = 0; column < joint_tally->column_count; column++) {
        if (joint_tally->types[column] == CRD_TYPE_CATEGORICAL) size += sizeof(uint32_t);
        else if (is_of_bits(joint_tally, column, span)) size += sizeof(uint64_t);
    }
    return size;
}

crd_status crd_i_distinct_read(crd_i_distinct *distinct, const crd_i_joint_tally *joint_tally, size_t span, size_t most,
                               crd_i_cursor *cursor, crd_error *error) {
    uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || count > most || !crd_i_cursor_holds(cursor, count, written_size(joint_tally, span)))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a joint statistic has too many rows");
    uint32_t *words = crd_i_alloc(joint_tally->context, distinct->width, sizeof *words);
    if (words == NULL || !distinct_rows_reserve(distinct, count)) {
        crd_free(joint_tally->context, words);
        return crd_i_fail_memory(error);
    }
    bool is_right = true;
    for (uint32_t i = 0; is_right && i < count; i++) {
        size_t row;
        for (size_t column = 0; column < joint_tally->column_count; column++)
            is_right = read_cell(joint_tally, column, span, cursor, words + column * span) && is_right;
        words[distinct->width - 1] = crd_i_decode_u32(cursor);
        is_right = is_right && !cursor->failed && words[distinct->width - 1] < joint_tally->conditions;
        /* Memory is reserved, so this cannot fail. A row that occurs twice gets an earlier index. */
        is_right = is_right && crd_i_distinct_find_or_add(distinct, words, &row) && row == i;
    }
    crd_free(joint_tally->context, words);
    if (!is_right) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a row of a joint statistic is invalid");
    crd_i_sums weights;
    crd_i_sums_init(&weights, joint_tally->context);
    crd_status status = crd_i_window_read(cursor, &weights, count, error);
    if (status == CRD_OK && !crd_i_sums_combine_all(&distinct->weights, &weights, NULL, 1))
        status = crd_i_fail_memory(error);
    crd_i_sums_clear(&weights);
    for (uint32_t i = 0; status == CRD_OK && i < count; i++)
        if (crd_i_sums_sign(&distinct->weights, i) <= 0 || crd_i_sums_value(&distinct->weights, i) > CRD_I_MOST_ROWS)
            status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a row of a joint statistic has an impossible weight");
    return status;
}

/* ---- Conditions and values ---- */

void crd_i_joint_tally_note_extent(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts) {
    if (conditions > joint_tally->conditions) joint_tally->conditions = conditions;
    for (size_t column = 0; column < joint_tally->column_count; column++)
        if (value_counts[column] > joint_tally->value_counts[column])
            joint_tally->value_counts[column] = value_counts[column];
}

/* Computes the conditions and values after those of a map are added to a joint tally. value_counts has one element
 * per column. */
static size_t distinct_map_extent(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_map *map,
                                  size_t *value_counts) {
    size_t conditions = joint_tally->conditions;
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= conditions) conditions = map->conditions[i] + 1;
    for (size_t column = 0; column < joint_tally->column_count; column++) {
        value_counts[column] = joint_tally->value_counts[column];
        const size_t *values = map->values == NULL ? NULL : map->values[column];
        for (size_t i = 0; values != NULL && i < map->value_counts[column]; i++)
            if (values[i] >= value_counts[column]) value_counts[column] = values[i] + 1;
    }
    return conditions;
}

bool crd_i_distinct_settle(crd_i_joint_tally *joint_tally, size_t column, crd_column_type type) {
    joint_tally->types[column] = type;
    return true;
}

bool crd_i_distinct_unsettle(crd_i_joint_tally *joint_tally, size_t column) {
    joint_tally->types[column] = CRD_TYPE_NONE;
    joint_tally->value_counts[column] = 0;
    return true;
}

bool crd_i_distinct_extend(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts) {
    crd_i_joint_tally_note_extent(joint_tally, conditions, value_counts);
    return true;
}

void crd_i_distinct_copy_extent(crd_i_joint_tally *tally, const crd_i_joint_tally *joint) {
    crd_i_joint_tally_note_extent(tally, joint->conditions, joint->value_counts);
    for (size_t column = 0; column < joint->column_count; column++) tally->types[column] = joint->types[column];
}

bool crd_i_distinct_take_extent(crd_i_joint_tally *tally, const crd_i_joint_tally *second,
                                const crd_i_joint_tally_map *map) {
    size_t *value_counts = crd_i_alloc(tally->context, tally->column_count, sizeof *value_counts);
    if (value_counts == NULL) return false;
    size_t conditions = distinct_map_extent(tally, map, value_counts);
    crd_i_joint_tally_note_extent(tally, conditions, value_counts);
    for (size_t column = 0; column < tally->column_count; column++)
        if (tally->types[column] == CRD_TYPE_NONE) tally->types[column] = second->types[column];
    crd_free(tally->context, value_counts);
    return true;
}
