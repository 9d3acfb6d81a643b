/* SPDX-License-Identifier: MIT */
/* term_sort.c - see term_sort.h.
 *
 * A least-significant-digit radix sort orders the keys by their first eight bytes, eleven bits per pass. Then a merge
 * sort orders each run of keys with the same eight bytes. Most terms differ in their first bytes, so their texts are
 * rarely read. */
#include "stats/term_sort.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

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
