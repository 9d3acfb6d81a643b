/* SPDX-License-Identifier: MIT */
/* kept_bags.c - see kept_rows.h. */
#include "stats/kept_rows.h"

#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "text/tokens.h"

#include <string.h>

void crd_i_kept_bags_clear(crd_i_kept_bags *bags) {
    crd_context *context = bags->context;
    crd_i_buffer_clear(&bags->bytes);
    crd_free(context, bags->bags);
    crd_free(context, bags->places);
    const crd_i_kept_bags none = {.context = context, .bytes = {.context = context}};
    *bags = none;
}

uint64_t crd_i_kept_bag_key(crd_text bag) {
    uint64_t hash = bag.length;
    for (size_t i = 0; i < bag.length; i++) {
        hash = (hash ^ (unsigned char)bag.bytes[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= hash >> 31;
    return hash == UINT64_MAX ? 0 : hash;
}

/* ---- Hash table ---- */

static uint32_t *kept_bags_place(const crd_i_kept_bags *bags, uint64_t key) {
    size_t mask = ((size_t)1 << bags->place_bits) - 1;
    size_t place = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bags->place_bits));
    while (bags->places[place] != 0 && bags->bags[bags->places[place] - 1].key != key) place = (place + 1) & mask;
    return &bags->places[place];
}

static bool kept_bags_reserve(crd_i_kept_bags *bags, size_t count) {
    if (count >= UINT32_MAX / 4) return false;
    if (!crd_i_reserve(bags->context, &bags->bags, &bags->capacity, count, sizeof *bags->bags)) return false;
    if (bags->places != NULL && 2 * count <= (size_t)1 << bags->place_bits) return true;
    unsigned bits = 6;
    while ((size_t)1 << bits < 4 * count) bits++;
    uint32_t *places = crd_i_alloc_zeroed(bags->context, (size_t)1 << bits, sizeof *places);
    if (places == NULL) return false;
    crd_free(bags->context, bags->places);
    bags->places = places;
    bags->place_bits = bits;
    for (size_t i = 0; i < bags->count; i++) *kept_bags_place(bags, bags->bags[i].key) = (uint32_t)i + 1;
    return true;
}

static crd_text bag_at(const crd_i_kept_bags *bags, size_t i) {
    const crd_text text = {(const char *)bags->bytes.bytes + bags->bags[i].offset, bags->bags[i].length};
    return text;
}

crd_text crd_i_kept_bags_find(const crd_i_kept_bags *bags, uint64_t key) {
    const crd_text none = {NULL, 0};
    if (bags->count == 0) return none;
    const uint32_t index = *kept_bags_place(bags, key);
    return index == 0 ? none : bag_at(bags, index - 1);
}

bool crd_i_kept_bags_add(crd_i_kept_bags *bags, uint64_t key, crd_text bag) {
    if (!kept_bags_reserve(bags, bags->count + 1)) return false;
    uint32_t *place = kept_bags_place(bags, key);
    const bool is_new = *place == 0;
    if (!is_new && crd_i_text_compare(bag_at(bags, *place - 1), bag) <= 0) return true;
    const crd_i_kept_bag kept = {key, bags->bytes.length, bag.length};
    if (!crd_i_buffer_append(&bags->bytes, bag.bytes, bag.length)) return false;
    bags->bags[is_new ? bags->count : *place - 1] = kept;
    if (is_new) *place = (uint32_t)++bags->count;
    return true;
}

/* ---- Files ---- */

/* Writes a number as a base-128 varint, least significant group first; the high bit marks all bytes but the last. */
static bool kept_bags_put_number(crd_i_buffer *buffer, uint64_t number) {
    unsigned char bytes[10];
    size_t length = 0;
    for (; number >= 0x80; number >>= 7) bytes[length++] = (unsigned char)(number | 0x80);
    bytes[length++] = (unsigned char)number;
    return crd_i_buffer_append(buffer, bytes, length);
}

static uint64_t kept_bags_read_number(crd_i_cursor *cursor) {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = crd_i_decode_u8(cursor);
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return number;
    }
    cursor->failed = true;
    return 0;
}

static bool kept_bags_is_never_number(crd_text text, double *value) {
    (void)text, (void)value;
    return false;
}

static bool gather_terms(const crd_i_kept_bags *bags, const uint64_t *keys, size_t count, crd_i_dictionary *terms) {
    for (size_t i = 0; i < count; i++) {
        crd_i_bag_cursor cursor;
        crd_text term;
        uint32_t times;
        bool more = true;
        if (crd_i_bag_begin(crd_i_kept_bags_find(bags, keys[i]), &cursor, NULL) != CRD_OK) return false;
        while (crd_i_bag_next(&cursor, &term, &times, &more, NULL) == CRD_OK && more)
            if (crd_i_dictionary_add(terms, term) < 0) return false;
    }
    return true;
}

/* Writes the sorted terms, front-coded: for each term the length of the prefix that it shares with the previous term,
 * the length of the remainder, and the remainder. */
static bool put_terms(const crd_i_dictionary *terms, const int32_t *order, size_t count, crd_i_buffer *buffer) {
    crd_text before = {"", 0};
    if (!kept_bags_put_number(buffer, count)) return false;
    for (size_t i = 0; i < count; i++) {
        const crd_text term = crd_i_dictionary_text(terms, (size_t)order[i]);
        size_t shared = 0;
        while (shared < before.length && shared < term.length && before.bytes[shared] == term.bytes[shared]) shared++;
        if (!kept_bags_put_number(buffer, shared) || !kept_bags_put_number(buffer, term.length - shared) ||
            !crd_i_buffer_append(buffer, term.bytes + shared, term.length - shared))
            return false;
        before = term;
    }
    return true;
}

/* Writes a bag: its term count, then for each term the difference to the next expected rank, and its count. */
static bool kept_bags_put(crd_text bag, const crd_i_dictionary *terms, const uint32_t *ranks, crd_i_buffer *buffer) {
    crd_i_bag_cursor cursor;
    crd_text term;
    uint32_t times, next = 0;
    bool more = true;
    if (crd_i_bag_begin(bag, &cursor, NULL) != CRD_OK || !kept_bags_put_number(buffer, cursor.left)) return false;
    while (crd_i_bag_next(&cursor, &term, &times, &more, NULL) == CRD_OK && more) {
        const uint32_t rank = ranks[crd_i_dictionary_find(terms, term)];
        if (!kept_bags_put_number(buffer, rank - next) || !kept_bags_put_number(buffer, times)) return false;
        next = rank + 1;
    }
    return true;
}

void crd_i_kept_bags_write(const crd_i_kept_bags *bags, const uint64_t *keys, size_t count, crd_i_encoder *encoder) {
    crd_context *context = bags->context;
    crd_i_buffer buffer = {.context = context};
    crd_i_dictionary *terms = crd_i_dictionary_create(context);
    bool done = terms != NULL && gather_terms(bags, keys, count, terms);
    const size_t size = done ? crd_i_dictionary_size(terms) : 0;
    int32_t *order = crd_i_alloc(context, size, sizeof *order);
    uint32_t *ranks = crd_i_alloc(context, size, sizeof *ranks);
    done = done && order != NULL && ranks != NULL &&
           crd_i_dictionary_order(terms, NULL, kept_bags_is_never_number, order) == size &&
           put_terms(terms, order, size, &buffer);
    for (size_t i = 0; done && i < size; i++) ranks[order[i]] = (uint32_t)i;
    for (size_t i = 0; done && i < count; i++)
        done = kept_bags_put(crd_i_kept_bags_find(bags, keys[i]), terms, ranks, &buffer);
    if (done) crd_i_encode_bytes(encoder, buffer.bytes, buffer.length);
    else encoder->failed = true;
    crd_i_dictionary_destroy(terms);
    crd_free(context, order);
    crd_free(context, ranks);
    crd_i_buffer_clear(&buffer);
}

/* Terms, concatenated in `bytes`. ends[i] is the end of term i. */
typedef struct listed_terms {
    crd_i_buffer bytes;
    size_t *ends;
    size_t count, capacity;
} listed_terms;

static crd_text term_at(const listed_terms *terms, size_t i) {
    const size_t begin = i == 0 ? 0 : terms->ends[i - 1];
    const crd_text term = {(const char *)terms->bytes.bytes + begin, terms->ends[i] - begin};
    return term;
}

static crd_status fail_damaged(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the texts of stored rows are invalid");
}

/* Reads front-coded terms. */
static crd_status read_terms(crd_context *context, listed_terms *terms, crd_i_cursor *cursor, crd_error *error) {
    const uint64_t count = kept_bags_read_number(cursor);
    if (cursor->failed || !crd_i_cursor_holds(cursor, count, 2)) return fail_damaged(error);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t shared = kept_bags_read_number(cursor), remainder = kept_bags_read_number(cursor);
        const crd_text before = i == 0 ? crd_text_of("") : term_at(terms, (size_t)i - 1);
        if (cursor->failed || shared > before.length || remainder > crd_i_cursor_left(cursor) ||
            terms->bytes.length > CRD_I_BAGS_MOST_BYTES)
            return fail_damaged(error);
        const size_t begin = terms->bytes.length, first = begin - before.length;
        /* Reserve memory first, because the shared prefix is copied within the same buffer. */
        unsigned char *buffer = crd_i_buffer_room(&terms->bytes, (size_t)(shared + remainder) + 1);
        if (buffer == NULL || !crd_i_reserve(context, &terms->ends, &terms->capacity, terms->count + 1, sizeof(size_t)))
            return crd_i_fail_memory(error);
        memmove(buffer, terms->bytes.bytes + first, (size_t)shared);
        for (uint64_t k = 0; k < remainder; k++) buffer[shared + k] = crd_i_decode_u8(cursor);
        terms->bytes.length += (size_t)(shared + remainder);
        terms->ends[terms->count++] = terms->bytes.length;
    }
    return CRD_OK;
}

/* Reads a bag and appends its canonical bytes to `bag`. */
static crd_status kept_bags_read(const listed_terms *terms, crd_i_cursor *cursor, crd_i_buffer *bag, crd_error *error) {
    const uint64_t count = kept_bags_read_number(cursor);
    uint64_t next = 0;
    if (cursor->failed || !crd_i_cursor_holds(cursor, count, 2)) return fail_damaged(error);
    if (!kept_bags_put_number(bag, count)) return crd_i_fail_memory(error);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t step = kept_bags_read_number(cursor), times = kept_bags_read_number(cursor);
        if (cursor->failed || step >= terms->count || next + step >= terms->count ||
            bag->length > CRD_I_BAGS_MOST_BYTES)
            return fail_damaged(error);
        const crd_text term = term_at(terms, (size_t)(next + step));
        if (!kept_bags_put_number(bag, term.length) || !crd_i_buffer_append(bag, term.bytes, term.length) ||
            !kept_bags_put_number(bag, times))
            return crd_i_fail_memory(error);
        next += step + 1;
    }
    return CRD_OK;
}

/* Checks that a bag is canonical: its terms are in order, each with a count. */
static crd_status check_bag(crd_text bag, crd_error *error) {
    crd_i_bag_cursor cursor;
    crd_text term;
    uint32_t times;
    bool more = true;
    crd_status status = crd_i_bag_begin(bag, &cursor, error);
    while (status == CRD_OK && more) status = crd_i_bag_next(&cursor, &term, &times, &more, error);
    return status;
}

crd_status crd_i_kept_bags_read(crd_i_kept_bags *bags, const uint64_t *keys, size_t count, crd_i_cursor *cursor,
                                crd_error *error) {
    crd_context *context = bags->context;
    listed_terms terms = {.bytes = {.context = context}};
    crd_i_buffer bag = {.context = context};
    crd_status status = read_terms(context, &terms, cursor, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        bag.length = 0;
        status = kept_bags_read(&terms, cursor, &bag, error);
        const crd_text text = {(const char *)bag.bytes, bag.length};
        if (status == CRD_OK) status = check_bag(text, error);
        if (status == CRD_OK &&
            (crd_i_kept_bag_key(text) != keys[i] || bags->bytes.length > 2 * (size_t)CRD_I_BAGS_MOST_BYTES))
            status = fail_damaged(error);
        if (status == CRD_OK && !crd_i_kept_bags_add(bags, keys[i], text)) status = crd_i_fail_memory(error);
    }
    crd_i_buffer_clear(&terms.bytes);
    crd_free(context, terms.ends);
    crd_i_buffer_clear(&bag);
    return status;
}
