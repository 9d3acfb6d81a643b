/* SPDX-License-Identifier: MIT */
/* ngram_counts.c - hash table of n-gram counts. See hmm_internal.h. */
#include "sequence/hmm_internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOL_BITS = 16, FIRST_CAPACITY = 64 };

/* Marks a free entry. No n-gram has this key, because no n-gram consists only of `begin`. */
#define NO_KEY UINT64_MAX

static uint64_t ngram_counts_pack(const uint32_t *symbols, size_t count) {
    uint64_t key = 0;
    for (size_t i = 0; i < count; i++) key = key << SYMBOL_BITS | symbols[i];
    return key;
}

static void ngram_counts_unpack(uint64_t key, uint32_t *symbols, size_t count) {
    for (size_t i = count; i-- > 0; key >>= SYMBOL_BITS) symbols[i] = (uint32_t)(key & 0xffff);
}

/* ---- The table ---- */

/* Multiplicative (Fibonacci) hashing: the constant spreads neighboring keys, and the upper bits are used. */
static size_t ngram_counts_place(uint64_t key, size_t capacity) {
    uint64_t mixed = (key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 20) & (capacity - 1);
}

/* Returns the position of a key, or the free position where it can be inserted. The table is never full. */
static size_t ngram_counts_find(const uint64_t *keys, size_t capacity, uint64_t key) {
    size_t index = ngram_counts_place(key, capacity);
    while (keys[index] != key && keys[index] != NO_KEY) index = (index + 1) & (capacity - 1);
    return index;
}

/* Makes room for `used` n-grams. Returns false if out of memory. */
static bool ngram_counts_reserve(crd_i_ngram_counts *table, size_t used) {
    size_t capacity = table->capacity == 0 ? FIRST_CAPACITY : table->capacity;
    while (used > capacity / 2) {
        if (capacity > SIZE_MAX / 2) return false;
        capacity *= 2;
    }
    if (capacity == table->capacity) return true;
    uint64_t *keys = crd_i_alloc(table->context, capacity, sizeof *keys);
    double *counts = crd_i_alloc_zeroed(table->context, capacity, sizeof *counts);
    if (keys == NULL || counts == NULL) {
        crd_free(table->context, keys);
        crd_free(table->context, counts);
        return false;
    }
    for (size_t i = 0; i < capacity; i++) keys[i] = NO_KEY;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->keys[i] == NO_KEY) continue;
        size_t index = ngram_counts_find(keys, capacity, table->keys[i]);
        keys[index] = table->keys[i];
        counts[index] = table->counts[i];
    }
    crd_free(table->context, table->keys);
    crd_free(table->context, table->counts);
    table->keys = keys;
    table->counts = counts;
    table->capacity = capacity;
    return true;
}

/* Adds to the count of a key. The table must have room for one more key. */
static void add_key(crd_i_ngram_counts *table, uint64_t key, double count) {
    size_t index = ngram_counts_find(table->keys, table->capacity, key);
    table->used += table->keys[index] == NO_KEY;
    table->keys[index] = key;
    table->counts[index] += count;
}

crd_status crd_i_ngram_counts_create(crd_context *context, size_t order, crd_i_ngram_counts **out, crd_error *error) {
    *out = NULL;
    crd_i_ngram_counts *counts = crd_i_alloc_zeroed(context, 1, sizeof *counts);
    if (counts == NULL) return crd_i_fail_memory(error);
    counts->context = context;
    counts->order = order;
    counts->states = crd_i_dictionary_create(context);
    if (counts->states == NULL || !ngram_counts_reserve(counts, 1)) {
        crd_i_ngram_counts_destroy(counts);
        return crd_i_fail_memory(error);
    }
    *out = counts;
    return CRD_OK;
}

void crd_i_ngram_counts_destroy(crd_i_ngram_counts *counts) {
    if (counts == NULL) return;
    crd_i_dictionary_destroy(counts->states);
    crd_free(counts->context, counts->keys);
    crd_free(counts->context, counts->counts);
    crd_free(counts->context, counts);
}

crd_status crd_i_ngram_counts_clone(crd_context *context, const crd_i_ngram_counts *counts, crd_i_ngram_counts **out,
                                    crd_error *error) {
    crd_status status = crd_i_ngram_counts_create(context, counts->order, out, error);
    if (status == CRD_OK) status = crd_i_ngram_counts_combine(*out, counts, 1, error);
    if (status == CRD_OK) return CRD_OK;
    crd_i_ngram_counts_destroy(*out);
    *out = NULL;
    return status;
}

crd_status crd_i_ngram_counts_state(crd_i_ngram_counts *counts, crd_text name, uint32_t *state, crd_error *error) {
    int32_t code = crd_i_dictionary_find(counts->states, name);
    if (code < 0 && crd_i_dictionary_size(counts->states) >= CRD_I_MAX_STATES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "a sequence model has at most %d states", CRD_I_MAX_STATES);
    if (code < 0) code = crd_i_dictionary_add(counts->states, name);
    *state = (uint32_t)code;
    return code < 0 ? crd_i_fail_memory(error) : CRD_OK;
}

bool crd_i_ngram_counts_add(crd_i_ngram_counts *counts, const uint32_t *symbols, double count) {
    if (!ngram_counts_reserve(counts, counts->used + 1)) return false;
    add_key(counts, ngram_counts_pack(symbols, counts->order + 1), count);
    return true;
}

/* ---- Sequences ---- */

void crd_i_ngram_counts_begin(const crd_i_ngram_counts *counts, crd_i_ngram_context *ngram) {
    for (size_t i = 0; i < counts->order; i++) ngram->symbols[i] = CRD_I_SYMBOL_BEGIN;
}

static void forget_context(const crd_i_ngram_counts *counts, crd_i_ngram_context *ngram) {
    for (size_t i = 0; i < counts->order; i++) ngram->symbols[i] = CRD_I_SYMBOL_UNKNOWN;
}

bool crd_i_ngram_counts_add_steps(crd_i_ngram_counts *counts, crd_i_ngram_context *ngram, const int32_t *states,
                                  size_t steps) {
    const size_t order = counts->order;
    for (size_t t = 0; t < steps; t++) {
        if (states[t] < 0) {
            forget_context(counts, ngram);
            continue;
        }
        ngram->symbols[order] = (uint32_t)states[t];
        if (!crd_i_ngram_counts_add(counts, ngram->symbols, 1)) return false;
        memmove(ngram->symbols, ngram->symbols + 1, order * sizeof *ngram->symbols);
    }
    return true;
}

bool crd_i_ngram_counts_end(crd_i_ngram_counts *counts, const crd_i_ngram_context *ngram) {
    crd_i_ngram_context last = *ngram;
    uint32_t latest = last.symbols[counts->order - 1];
    if (latest >= CRD_I_MAX_STATES) return true;
    last.symbols[counts->order] = CRD_I_SYMBOL_END;
    return crd_i_ngram_counts_add(counts, last.symbols, 1);
}

/* ---- Combination ---- */

/* Maps the states of `other` to the states of `counts`, adding new states. */
static crd_status ngram_counts_match_states(crd_i_ngram_counts *counts, const crd_i_ngram_counts *other, uint32_t **out,
                                            crd_error *error) {
    size_t count = crd_i_dictionary_size(other->states);
    uint32_t *map = crd_i_alloc(counts->context, count, sizeof *map);
    crd_status status = map == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = crd_i_ngram_counts_state(counts, crd_i_dictionary_text(other->states, i), &map[i], error);
    if (status != CRD_OK) {
        crd_free(counts->context, map);
        map = NULL;
    }
    *out = map;
    return status;
}

static uint64_t mapped_key(uint64_t key, size_t gram, const uint32_t *map) {
    uint32_t symbols[CRD_I_MOST_GRAM];
    ngram_counts_unpack(key, symbols, gram);
    for (size_t i = 0; i < gram; i++)
        if (symbols[i] < CRD_I_MAX_STATES) symbols[i] = map[symbols[i]];
    return ngram_counts_pack(symbols, gram);
}

static const char *symbol_text(const crd_i_ngram_counts *counts, uint32_t symbol, char buffer[CRD_I_QUOTED_ROOM]) {
    if (symbol == CRD_I_SYMBOL_BEGIN) return "the begin";
    if (symbol == CRD_I_SYMBOL_END) return "the end";
    if (symbol == CRD_I_SYMBOL_UNKNOWN) return "a step without a state";
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_quote(crd_i_dictionary_text(counts->states, symbol), quoted);
    snprintf(buffer, CRD_I_QUOTED_ROOM, "'%.*s'", CRD_I_QUOTED_ROOM - 3, quoted);
    return buffer;
}

static crd_status ngram_counts_not_learned(const crd_i_ngram_counts *counts, uint64_t key, double left,
                                           crd_error *error) {
    uint32_t symbols[CRD_I_MOST_GRAM];
    char rooms[2][CRD_I_QUOTED_ROOM], number[CRD_NUMBER_ROOM];
    ngram_counts_unpack(key, symbols, counts->order + 1);
    crd_number_format(left, number);
    return crd_i_fail(
        error, CRD_ERROR_NOT_LEARNED,
        "these sequences were not all learned: the transition from %s to %s would be left with the count %s",
        symbol_text(counts, symbols[counts->order - 1], rooms[0]),
        symbol_text(counts, symbols[counts->order], rooms[1]), number);
}

static crd_status check_learned(const crd_i_ngram_counts *counts, const crd_i_ngram_counts *other, const uint32_t *map,
                                crd_error *error) {
    for (size_t i = 0; i < other->capacity; i++) {
        if (other->keys[i] == NO_KEY) continue;
        uint64_t key = mapped_key(other->keys[i], counts->order + 1, map);
        size_t index = ngram_counts_find(counts->keys, counts->capacity, key);
        double left = counts->counts[index] - other->counts[i];
        if (left < 0) return ngram_counts_not_learned(counts, key, left, error);
    }
    return CRD_OK;
}

crd_status crd_i_ngram_counts_combine(crd_i_ngram_counts *counts, const crd_i_ngram_counts *other, int sign,
                                      crd_error *error) {
    uint32_t *map;
    if (counts->order != other->order)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
                          "one model has counts of transitions of order %zu, but the other of order %zu", counts->order,
                          other->order);
    crd_status status = ngram_counts_match_states(counts, other, &map, error);
    if (status != CRD_OK) return status;
    if (sign < 0) status = check_learned(counts, other, map, error);
    if (status == CRD_OK && !ngram_counts_reserve(counts, counts->used + other->used))
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < other->capacity; i++)
        if (other->keys[i] != NO_KEY)
            add_key(counts, mapped_key(other->keys[i], counts->order + 1, map), sign * other->counts[i]);
    crd_free(counts->context, map);
    return status;
}

/* ---- Listing ---- */

static int compare_ngrams(const void *left, const void *right) {
    const crd_i_ngram *a = left, *b = right;
    for (size_t i = 0; i < CRD_I_MOST_GRAM; i++)
        if (a->symbols[i] != b->symbols[i]) return a->symbols[i] < b->symbols[i] ? -1 : 1;
    return 0;
}

crd_status crd_i_ngram_counts_list(const crd_i_ngram_counts *counts, const uint32_t *ranks, crd_i_ngram **out,
                                   size_t *count, crd_error *error) {
    *count = 0;
    *out = crd_i_alloc_zeroed(counts->context, counts->used, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < counts->capacity; i++) {
        if (counts->keys[i] == NO_KEY || counts->counts[i] == 0) continue;
        crd_i_ngram *ngram = &(*out)[(*count)++];
        ngram_counts_unpack(counts->keys[i], ngram->symbols, counts->order + 1);
        for (size_t s = 0; s <= counts->order; s++)
            if (ngram->symbols[s] < CRD_I_MAX_STATES) ngram->symbols[s] = ranks[ngram->symbols[s]];
        ngram->count = counts->counts[i];
    }
    if (*count > 0) qsort(*out, *count, sizeof **out, compare_ngrams);
    return CRD_OK;
}

void crd_i_ngram_counts_visits(const crd_i_ngram_counts *counts, double *visits) {
    for (size_t i = 0; i < crd_i_dictionary_size(counts->states); i++) visits[i] = 0;
    for (size_t i = 0; i < counts->capacity; i++) {
        uint64_t last = counts->keys[i] & 0xffff;
        if (counts->keys[i] != NO_KEY && last < CRD_I_MAX_STATES) visits[last] += counts->counts[i];
    }
}
