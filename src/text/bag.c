/* SPDX-License-Identifier: MIT */
/* bag.c - see bag.h. A hash table finds the distinct terms, so memory grows with their number and not with the text. */
#include "text/bag.h"

#include "base/error.h"
#include "base/hash_key.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct bag_term {
    size_t offset; /* in the bytes */
    uint32_t length, times;
    uint64_t hash;
} bag_term;

typedef struct bag_table {
    crd_context *context;
    uint64_t key;
    crd_i_buffer bytes;
    bag_term *terms;
    size_t count, capacity;
    uint32_t *slots; /* 1 + the index of the term; 0: empty */
    size_t slot_count;
} bag_table;

static uint64_t bag_hash(const bag_table *table, const char *bytes, size_t length) {
    uint64_t hash = table->key;
    for (; length >= 8; bytes += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = crd_i_hash_scatter(hash ^ word) * table->key;
    }
    uint64_t word = length;
    memcpy((char *)&word + 1, bytes, length);
    return crd_i_hash_scatter(hash ^ word);
}

static bool bag_grow_slots(bag_table *table) {
    size_t slot_count = table->slot_count == 0 ? 64 : 2 * table->slot_count;
    uint32_t *slots = crd_i_alloc_zeroed(table->context, slot_count, sizeof *slots);
    if (slots == NULL) return false;
    for (size_t i = 0; i < table->count; i++) {
        size_t slot = table->terms[i].hash & (slot_count - 1);
        while (slots[slot] != 0) slot = (slot + 1) & (slot_count - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    crd_free(table->context, table->slots);
    table->slots = slots;
    table->slot_count = slot_count;
    return true;
}

/* Counts a term: increments its entry, or adds a new one. false: out of memory. */
static bool bag_count_term(bag_table *table, const crd_i_term *term) {
    if (2 * (table->count + 1) > table->slot_count && !bag_grow_slots(table)) return false;
    uint64_t hash = bag_hash(table, term->bytes, term->length);
    size_t slot = hash & (table->slot_count - 1);
    for (; table->slots[slot] != 0; slot = (slot + 1) & (table->slot_count - 1)) {
        bag_term *known = &table->terms[table->slots[slot] - 1];
        if (known->hash != hash || known->length != term->length ||
            memcmp(table->bytes.bytes + known->offset, term->bytes, term->length) != 0)
            continue;
        if (known->times < UINT32_MAX) known->times++;
        return true;
    }
    if (table->count == UINT32_MAX - 1 ||
        !crd_i_reserve(table->context, &table->terms, &table->capacity, table->count + 1, sizeof *table->terms))
        return false;
    table->terms[table->count] = (bag_term){table->bytes.length, term->length, 1, hash};
    if (!crd_i_buffer_append(&table->bytes, term->bytes, term->length)) return false;
    table->slots[slot] = (uint32_t)++table->count;
    return true;
}

/* ---- Sorting by bytes ---- */

typedef struct sorted_term {
    const char *bytes;
    uint32_t length, times;
} sorted_term;

static int bag_compare_terms(const void *a, const void *b) {
    const sorted_term *first = a, *second = b;
    return crd_i_text_compare((crd_text){first->bytes, first->length}, (crd_text){second->bytes, second->length});
}

static bool bag_put_number(crd_i_buffer *out, uint64_t value) {
    unsigned char digits[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7) digits[count++] = (unsigned char)(value | 0x80);
    digits[count++] = (unsigned char)value;
    return crd_i_buffer_append(out, digits, count);
}

bool crd_i_bag_put_count(crd_i_buffer *out, size_t terms) {
    return bag_put_number(out, terms);
}

bool crd_i_bag_put_term(crd_i_buffer *out, crd_text term, uint32_t times) {
    return bag_put_number(out, term.length) && crd_i_buffer_append(out, term.bytes, term.length) &&
           bag_put_number(out, times);
}

/* Appends the bag with sorted terms. false: out of memory. */
static bool bag_put(const bag_table *table, crd_i_buffer *out) {
    sorted_term *sorted = crd_i_alloc(table->context, table->count, sizeof *sorted);
    if (sorted == NULL) return false;
    for (size_t i = 0; i < table->count; i++) {
        const bag_term *term = &table->terms[i];
        sorted[i] = (sorted_term){(const char *)table->bytes.bytes + term->offset, term->length, term->times};
    }
    if (table->count > 1) qsort(sorted, table->count, sizeof *sorted, bag_compare_terms);
    bool done = crd_i_bag_put_count(out, table->count);
    for (size_t i = 0; done && i < table->count; i++)
        done = crd_i_bag_put_term(out, (crd_text){sorted[i].bytes, sorted[i].length}, sorted[i].times);
    crd_free(table->context, sorted);
    return done;
}

crd_status crd_i_bag_encode(crd_i_tokenizer *tokenizer, crd_text text, crd_i_buffer *out, crd_error *error) {
    bag_table table = {.context = out->context, .bytes = {.context = out->context}};
    table.key = crd_i_hash_key(out->context, &table);
    const size_t length = out->length;
    const crd_i_term *terms = NULL;
    size_t count = 1;
    bool done = true;
    crd_status status = crd_i_tokenizer_begin(tokenizer, text, error);
    while (status == CRD_OK && done && count > 0) {
        status = crd_i_tokenizer_next(tokenizer, &terms, &count, error);
        for (size_t i = 0; status == CRD_OK && done && i < count; i++) done = bag_count_term(&table, &terms[i]);
    }
    if (status == CRD_OK && (!done || !bag_put(&table, out))) status = crd_i_fail_memory(error);
    if (status != CRD_OK) out->length = length;
    crd_i_buffer_clear(&table.bytes);
    crd_free(table.context, table.terms);
    crd_free(table.context, table.slots);
    return status;
}

/* ---- Reading ---- */

static crd_status bag_damaged(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the terms of a text are cut short or altered");
}

/* Reads a number. Accepts only its shortest form, so that each bag has exactly one representation. */
static bool bag_take_number(crd_i_bag_cursor *cursor, uint64_t most, uint64_t *out) {
    *out = 0;
    for (unsigned shift = 0; shift < 63 && cursor->cursor < cursor->end; shift += 7) {
        unsigned char byte = *cursor->cursor++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return *out <= most && (byte != 0 || shift == 0);
    }
    return false;
}

crd_status crd_i_bag_begin(crd_text bag, crd_i_bag_cursor *cursor, crd_error *error) {
    cursor->cursor = (const unsigned char *)bag.bytes;
    cursor->end = cursor->cursor + bag.length;
    /* A term takes at least two bytes. */
    return bag_take_number(cursor, bag.length / 2, &cursor->left) ? CRD_OK : bag_damaged(error);
}

crd_status crd_i_bag_next(crd_i_bag_cursor *cursor, crd_text *term, uint32_t *times, bool *more, crd_error *error) {
    uint64_t length, value;
    *more = cursor->left > 0;
    if (cursor->left == 0) return cursor->cursor == cursor->end ? CRD_OK : bag_damaged(error);
    cursor->left--;
    if (!bag_take_number(cursor, (uint64_t)(cursor->end - cursor->cursor), &length) ||
        length > (uint64_t)(cursor->end - cursor->cursor))
        return bag_damaged(error);
    *term = (crd_text){(const char *)cursor->cursor, (size_t)length};
    cursor->cursor += length;
    if (!bag_take_number(cursor, UINT32_MAX, &value) || value == 0) return bag_damaged(error);
    *times = (uint32_t)value;
    return CRD_OK;
}
