/* SPDX-License-Identifier: MIT */
/* term_pages.c - encodes terms with their counts in pages, and sorts texts in byte order. See term_store.h.
 *
 * Contents:
 *   1. Term encoding
 *   2. Text sorting */
#include "stats/term_store.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Term encoding ======== */

/* ---- Counts of one term ---- */

void crd_i_term_entries_init(crd_i_term_entries *entries, crd_context *context) {
    memset(entries, 0, sizeof *entries);
    entries->context = context;
    crd_i_sums_init(&entries->sums, context);
}

void crd_i_term_entries_clear(crd_i_term_entries *entries) {
    crd_free(entries->context, entries->entry);
    crd_i_sums_clear(&entries->sums);
    crd_i_term_entries_init(entries, entries->context);
}

void crd_i_term_entries_empty(crd_i_term_entries *entries) {
    entries->count = entries->cells = 0;
}

bool crd_i_term_entries_add(crd_i_term_entries *entries, uint32_t condition, uint32_t times, int64_t whole) {
    if (entries->count == entries->capacity && !crd_i_reserve(entries->context, &entries->entry, &entries->capacity,
                                                              entries->count + 1, sizeof *entries->entry))
        return false;
    const crd_i_term_entry entry = {condition, times, whole, SIZE_MAX};
    entries->entry[entries->count++] = entry;
    return true;
}

/* Gives an entry an exact sum, with value zero. */
static bool term_pages_widen(crd_i_term_entries *entries, crd_i_term_entry *entry) {
    crd_i_sums *sums = &entries->sums;
    if (!crd_i_sums_extend(sums, entries->cells + 1)) return false;
    entry->cell = entries->cells++;
    if (sums->width > 0) memset(sums->limbs + entry->cell * sums->width, 0, sums->width * sizeof *sums->limbs);
    return true;
}

bool crd_i_term_entries_add_sum(crd_i_term_entries *entries, uint32_t condition, uint32_t times, const crd_i_sums *sums,
                                size_t cell, int sign) {
    bool is_whole = sums->width == 0 || (sums->width == 1 && sums->base == 0);
    int64_t whole = is_whole && sums->width > 0 ? (int64_t)sums->limbs[cell] : 0;
    if (whole > INT64_MAX / 4 || whole < INT64_MIN / 4) is_whole = false;
    if (is_whole) return crd_i_term_entries_add(entries, condition, times, sign * whole);
    if (!crd_i_term_entries_add(entries, condition, times, 0)) return false;
    crd_i_term_entry *entry = &entries->entry[entries->count - 1];
    return term_pages_widen(entries, entry) && crd_i_sums_combine(&entries->sums, entry->cell, sums, cell, sign);
}

static int term_pages_compare_entries(const void *left, const void *right) {
    const crd_i_term_entry *a = left, *b = right;
    if (a->condition != b->condition) return a->condition < b->condition ? -1 : 1;
    return a->times == b->times ? 0 : a->times < b->times ? -1 : 1;
}

static void sort_entries(crd_i_term_entry *term_entry, size_t count) {
    enum { FEW = 16 };
    if (count > FEW) {
        qsort(term_entry, count, sizeof *term_entry, term_pages_compare_entries);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        crd_i_term_entry entry = term_entry[i];
        size_t k = i;
        for (; k > 0 && term_pages_compare_entries(&term_entry[k - 1], &entry) > 0; k--)
            term_entry[k] = term_entry[k - 1];
        term_entry[k] = entry;
    }
}

/* Adds an entry to another. Integers far from the limits of int64_t stay integers; otherwise an exact sum is used. */
static bool term_pages_join(crd_i_term_entries *entries, crd_i_term_entry *entry, const crd_i_term_entry *term_entry) {
    const int64_t MOST = INT64_MAX / 4;
    bool fits =
        entry->whole <= MOST && entry->whole >= -MOST && term_entry->whole <= MOST && term_entry->whole >= -MOST;
    if (fits) entry->whole += term_entry->whole;
    if (fits && term_entry->cell == SIZE_MAX) return true;
    if (entry->cell == SIZE_MAX && !term_pages_widen(entries, entry)) return false;
    return (fits || crd_i_sums_add_integer(&entries->sums, entry->cell, term_entry->whole)) &&
           (term_entry->cell == SIZE_MAX ||
            crd_i_sums_combine(&entries->sums, entry->cell, &entries->sums, term_entry->cell, 1));
}

/* Moves the integer part of an entry with an exact sum into the sum. If the total is a small integer, makes it an
 * integer again. */
static bool term_pages_gather(crd_i_term_entries *entries, crd_i_term_entry *entry) {
    if (entry->cell == SIZE_MAX) return true;
    if (entry->whole != 0 && !crd_i_sums_add_integer(&entries->sums, entry->cell, entry->whole)) return false;
    entry->whole = 0;
    crd_i_magnitude magnitude = crd_i_sums_magnitude(&entries->sums, entry->cell);
    bool is_zero = magnitude.low == magnitude.end;
    uint64_t limb = is_zero ? 0 : crd_i_magnitude_limb(&magnitude, magnitude.low);
    if (!is_zero && (magnitude.low != 0 || magnitude.end != 1 || limb >> 62 != 0)) return true;
    entry->whole = magnitude.negative ? -(int64_t)limb : (int64_t)limb;
    entry->cell = SIZE_MAX;
    return true;
}

bool crd_i_term_entries_sort(crd_i_term_entries *entries) {
    bool is_sorted = true;
    for (size_t i = 1; is_sorted && i < entries->count; i++)
        is_sorted = term_pages_compare_entries(&entries->entry[i - 1], &entries->entry[i]) < 0;
    if (!is_sorted) sort_entries(entries->entry, entries->count);
    size_t kept = 0;
    for (size_t i = 0; i < entries->count;) {
        crd_i_term_entry entry = entries->entry[i++];
        for (; i < entries->count && term_pages_compare_entries(&entry, &entries->entry[i]) == 0; i++)
            if (!term_pages_join(entries, &entry, &entries->entry[i])) return false;
        if (!term_pages_gather(entries, &entry)) return false;
        entries->entry[kept] = entry;
        kept += crd_i_term_entries_sign(entries, kept) != 0;
    }
    entries->count = kept;
    return true;
}

double crd_i_term_entries_value(const crd_i_term_entries *entries, size_t i) {
    const crd_i_term_entry *entry = &entries->entry[i];
    return entry->cell == SIZE_MAX ? (double)entry->whole : crd_i_sums_value(&entries->sums, entry->cell);
}

int crd_i_term_entries_sign(const crd_i_term_entries *entries, size_t i) {
    const crd_i_term_entry *entry = &entries->entry[i];
    if (entry->cell != SIZE_MAX) return crd_i_sums_sign(&entries->sums, entry->cell);
    return (entry->whole > 0) - (entry->whole < 0);
}

/* ---- Amounts ---- */

/* Limits of an amount m 2^-e: it is a sum of doubles, which are multiples of 2^-1074, and its value is at most 2^63. */
enum { MOST_EXPONENT = 1074, MOST_BYTES = (MOST_EXPONENT + 64) / 8 + 1 };

static unsigned term_pages_trailing_zeros(uint64_t limb) {
    unsigned zeros = 0;
    while ((limb >> zeros & 1) == 0) zeros++;
    return zeros;
}

/* Writes an exact sum as an amount. */
static void encode_sum(crd_i_encoder *encoder, const crd_i_sums *sums, size_t cell) {
    crd_i_magnitude magnitude = crd_i_sums_magnitude(sums, cell);
    uint64_t lowest = crd_i_magnitude_limb(&magnitude, magnitude.low);
    if (magnitude.low == 0 && magnitude.end == 1 && lowest >> 63 == 0) {
        crd_i_encode_varint(encoder, lowest << 1);
        return;
    }
    /* The exponent is the lowest set bit if it is below 2^0, otherwise 0. */
    int32_t exponent = magnitude.low * 64 + (int32_t)term_pages_trailing_zeros(lowest);
    if (exponent > 0) exponent = 0;
    unsigned char bytes[MOST_BYTES + 8];
    size_t length = 0;
    for (int32_t bit = exponent; bit < magnitude.end * 64 && length < sizeof bytes; bit += 8) {
        unsigned value = 0;
        for (int32_t k = 0; k < 8; k++) {
            int32_t limb = (bit + k) >> 6;
            if (limb >= magnitude.low && limb < magnitude.end)
                value |= (unsigned)(crd_i_magnitude_limb(&magnitude, limb) >> ((bit + k) & 63) & 1) << k;
        }
        bytes[length++] = (unsigned char)value;
    }
    while (length > 0 && bytes[length - 1] == 0) length--;
    crd_i_encode_varint(encoder, (uint64_t)(uint32_t)-exponent << 1 | 1);
    crd_i_encode_varint(encoder, length);
    crd_i_encode_bytes(encoder, bytes, length);
}

static void encode_amount(crd_i_encoder *encoder, const crd_i_term_entries *entries, const crd_i_term_entry *entry) {
    if (entry->cell == SIZE_MAX) crd_i_encode_varint(encoder, (uint64_t)entry->whole << 1);
    else encode_sum(encoder, &entries->sums, entry->cell);
}

/* Reads the amount m 2^-e of a fraction, or of an integer of 2^63 or more, into the last entry. entries NULL: skips
 * it. */
static bool decode_fraction(crd_i_cursor *cursor, uint64_t exponent, int sign, crd_i_term_entries *entries) {
    uint64_t length = crd_i_decode_varint(cursor);
    if (exponent > MOST_EXPONENT || length == 0 || length > MOST_BYTES || !crd_i_cursor_holds(cursor, length, 1)) {
        cursor->failed = true;
        return true;
    }
    const unsigned char *bytes = cursor->at;
    cursor->at += length;
    bool is_large = length > 8 || (length == 8 && bytes[7] >= 0x80);
    bool is_canonical = bytes[length - 1] != 0 && (exponent > 0 ? (bytes[0] & 1) != 0 : is_large);
    /* At most 2^64, the sum of the two largest possible weights; rounded up to bytes. */
    if (!is_canonical || length * 8 > exponent + 72) {
        cursor->failed = true;
        return true;
    }
    if (entries == NULL) return true;
    crd_i_term_entry *entry = &entries->entry[entries->count - 1];
    bool done = term_pages_widen(entries, entry);
    for (size_t i = 0; done && i < length; i++)
        if (bytes[i] != 0)
            done = crd_i_sums_add(&entries->sums, entry->cell, sign * ldexp(bytes[i], (int)(8 * i) - (int)exponent));
    return done;
}

/* ---- Terms in a page ---- */

bool crd_i_term_begins_page(crd_text term) {
    return (crd_i_checksum((const unsigned char *)term.bytes, term.length) & ((1u << CRD_I_PAGE_BITS) - 1)) == 0;
}

void crd_i_term_encode(crd_i_encoder *encoder, crd_text before, crd_text term, const crd_i_term_entries *entries) {
    size_t shared = 0, least = before.length < term.length ? before.length : term.length;
    while (shared < least && before.bytes[shared] == term.bytes[shared]) shared++;
    crd_i_encode_varint(encoder, shared);
    crd_i_encode_varint(encoder, term.length - shared);
    if (shared < term.length) crd_i_encode_bytes(encoder, term.bytes + shared, term.length - shared);
    crd_i_encode_varint(encoder, entries->count);
    uint64_t condition = 0, least_times = 0, first_times = term.length > 0;
    for (size_t i = 0; i < entries->count; i++) {
        const crd_i_term_entry *entry = &entries->entry[i];
        uint64_t step = (uint64_t)entry->condition + 1 - condition;
        if (step > 0) least_times = first_times;
        uint64_t times = entry->times - least_times;
        bool single = entry->cell == SIZE_MAX && entry->whole == 1;
        crd_i_encode_varint(encoder, step << 2 | (uint64_t)(times > 0) << 1 | !single);
        if (times > 0) crd_i_encode_varint(encoder, times);
        if (!single) encode_amount(encoder, entries, entry);
        condition = (uint64_t)entry->condition + 1;
        least_times = (uint64_t)entry->times + 1;
    }
}

bool crd_i_term_decode(crd_i_cursor *cursor, crd_i_buffer *term) {
    uint64_t shared = crd_i_decode_varint(cursor), length = crd_i_decode_varint(cursor);
    if (shared > term->length || !crd_i_cursor_holds(cursor, length, 1)) {
        cursor->failed = true;
        return true;
    }
    /* The term must be greater than the previous term, and share no more bytes with it than stated: its next byte is
     * greater. */
    bool is_next =
        shared == term->length ? length > 0 || term->length == 0 : length > 0 && cursor->at[0] > term->bytes[shared];
    if (!is_next) cursor->failed = true;
    term->length = (size_t)shared;
    bool done = crd_i_buffer_append(term, cursor->at, (size_t)length);
    cursor->at += length;
    return done;
}

bool crd_i_term_decode_counts(crd_i_cursor *cursor, bool are_lengths, size_t conditions, const size_t *map, int sign,
                              crd_i_term_entries *entries) {
    uint64_t count = crd_i_decode_varint(cursor), condition = 0, least_times = 0;
    if (count == 0) cursor->failed = true;
    for (uint64_t i = 0; i < count && !cursor->failed; i++) {
        uint64_t head = crd_i_decode_varint(cursor), step = head >> 2;
        uint64_t more = (head & 2) != 0 ? crd_i_decode_varint(cursor) : 0;
        uint64_t amount = (head & 1) != 0 ? crd_i_decode_varint(cursor) : 2;
        if (step > 0) least_times = !are_lengths;
        bool is_canonical = ((head & 2) == 0 || more > 0) && ((head & 1) == 0 || (amount != 0 && amount != 2));
        if (cursor->failed || !is_canonical || step > conditions || (i == 0 && step == 0) ||
            condition + step > conditions || more > UINT32_MAX || least_times + more > UINT32_MAX) {
            cursor->failed = true;
            break;
        }
        condition += step;
        uint32_t times = (uint32_t)(least_times + more);
        least_times = (uint64_t)times + 1;
        size_t limit = map == NULL ? (size_t)condition - 1 : map[condition - 1];
        bool is_whole = (amount & 1) == 0, is_kept = entries != NULL && limit != SIZE_MAX;
        if (is_kept &&
            !crd_i_term_entries_add(entries, (uint32_t)limit, times, is_whole ? sign * (int64_t)(amount >> 1) : 0))
            return false;
        if (!is_whole && !decode_fraction(cursor, amount >> 1, sign, is_kept ? entries : NULL)) return false;
    }
    return true;
}

void crd_i_term_skip_counts(crd_i_cursor *cursor) {
    uint64_t count = crd_i_decode_varint(cursor);
    if (count == 0) cursor->failed = true;
    for (uint64_t i = 0; i < count && !cursor->failed; i++) {
        uint64_t head = crd_i_decode_varint(cursor);
        if ((head & 2) != 0) (void)crd_i_decode_varint(cursor);
        if ((head & 1) == 0) continue;
        uint64_t amount = crd_i_decode_varint(cursor);
        if ((amount & 1) != 0) (void)decode_fraction(cursor, amount >> 1, 1, NULL);
    }
}

/* Checks the counts at the cursor, if all of them are integers; otherwise returns false. */
static bool counts_are_within(crd_i_cursor *cursor, const double *most, size_t conditions) {
    uint64_t count = crd_i_decode_varint(cursor), condition = 0, documents = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t head = crd_i_decode_varint(cursor), step = head >> 2;
        if ((head & 2) != 0) (void)crd_i_decode_varint(cursor);
        uint64_t amount = (head & 1) != 0 ? crd_i_decode_varint(cursor) : 2;
        if (cursor->failed || (amount & 1) != 0 || step > conditions - condition || condition + step == 0) return false;
        condition += step;
        documents = (amount >> 1) + (step == 0 ? documents : 0);
        if ((double)documents > most[condition - 1]) return false;
    }
    return true;
}

bool crd_i_term_page_is_within(crd_i_cursor page, const double *most, size_t conditions) {
    while (page.at < page.end) {
        (void)crd_i_decode_varint(&page);
        uint64_t length = crd_i_decode_varint(&page);
        if (!crd_i_cursor_holds(&page, length, 1)) return false;
        page.at += length;
        if (!counts_are_within(&page, most, conditions)) return false;
    }
    return true;
}

/* ======== 2. Text sorting ========
 *
 * A least-significant-digit radix sort orders the keys by their first eight bytes, eleven bits per pass. Then a merge
 * sort orders each run of keys with the same eight bytes. Most terms differ in their first bytes, so their texts are
 * rarely read. */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6, FEW = 12 };

static uint64_t first_bytes(crd_text text) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < 8; i++) bytes = bytes << 8 | (i < text.length ? (unsigned char)text.bytes[i] : 0);
    return bytes;
}

static void sort_by_digit(const crd_i_term_key *key, crd_i_term_key *term_key, size_t count, unsigned shift,
                          size_t *ends) {
    size_t end = 0;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t of_digit = ends[i];
        ends[i] = end;
        end += of_digit;
    }
    for (size_t i = 0; i < count; i++) term_key[ends[key[i].first >> shift & (DIGITS - 1)]++] = key[i];
}

/* Sorts by the first eight bytes. Passes in which all keys have the same digit are skipped. */
static void sort_by_first(crd_i_term_key *keys, crd_i_term_key *spare, size_t count) {
    size_t counts[DIGITS];
    crd_i_term_key *key = keys, *term_key = spare;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        unsigned shift = pass * DIGIT_BITS;
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < count; i++) counts[key[i].first >> shift & (DIGITS - 1)]++;
        if (counts[key[0].first >> shift & (DIGITS - 1)] == count) continue;
        sort_by_digit(key, term_key, count, shift, counts);
        crd_i_term_key *held = key;
        key = term_key;
        term_key = held;
    }
    if (key != keys) memcpy(keys, key, count * sizeof *keys);
}

typedef struct sort_sorting {
    crd_i_term_text text;
    const void *data;
    crd_i_term_key *spare;
} sort_sorting;

static bool is_behind(const sort_sorting *sorting, const crd_i_term_key *a, const crd_i_term_key *b) {
    return crd_i_text_compare(sorting->text(sorting->data, a->code), sorting->text(sorting->data, b->code)) > 0;
}

static void sort_few(const sort_sorting *sorting, crd_i_term_key *keys, size_t count) {
    for (size_t i = 1; i < count; i++) {
        crd_i_term_key key = keys[i];
        size_t k = i;
        for (; k > 0 && is_behind(sorting, &keys[k - 1], &key); k--) keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

/* Sorts keys whose first eight bytes are equal: sorts short runs by insertion, then merges pairs of runs. */
static void sort_run(const sort_sorting *sorting, crd_i_term_key *keys, size_t count) {
    for (size_t i = 0; i < count; i += FEW) sort_few(sorting, keys + i, count - i < FEW ? count - i : FEW);
    for (size_t width = FEW; width < count; width *= 2) {
        for (size_t begin = 0; begin + width < count; begin += 2 * width) {
            size_t middle = begin + width, end = count - middle < width ? count : middle + width;
            memcpy(sorting->spare, keys + begin, width * sizeof *keys);
            size_t left = 0, right = middle, limit = begin;
            while (left < width)
                if (right < end && is_behind(sorting, &sorting->spare[left], &keys[right]))
                    keys[limit++] = keys[right++];
                else keys[limit++] = sorting->spare[left++];
        }
    }
}

bool crd_i_term_sort(crd_context *context, crd_i_term_key *keys, size_t count, crd_i_term_text text,
                     const void *object) {
    if (count == 0) return true;
    sort_sorting sorting = {text, object, crd_i_alloc(context, count, sizeof *keys)};
    if (sorting.spare == NULL) return false;
    for (size_t i = 0; i < count; i++) keys[i].first = first_bytes(text(object, keys[i].code));
    sort_by_first(keys, sorting.spare, count);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && keys[end].first == keys[begin].first;) end++;
        if (end - begin > 1) sort_run(&sorting, keys + begin, end - begin);
    }
    crd_free(context, sorting.spare);
    return true;
}
