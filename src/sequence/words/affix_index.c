/* SPDX-License-Identifier: MIT */
/* affix_index.c - index of words by suffix or prefix. See affix_index.h. */
#include "sequence/words/affix_index.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Sums of shorter ranges are not stored. At most about MOST_KEPT_AT_A_DEPTH ranges are stored per depth. */
enum { SHORTEST_KEPT = 32, MOST_KEPT_AT_A_DEPTH = 4096 };

typedef struct index_entry {
    const uint32_t *keys;
    uint32_t length; /* number of keys */
    uint32_t value;
} index_entry;

struct crd_i_affix_index {
    crd_context *context;
    const crd_i_value_counts *counts;
    uint32_t *keys;       /* keys of all words */
    index_entry *entries; /* sorted by keys */
    size_t count;
    /* Ranges with stored sums, by depth, then in order. Depth d has the ranges depth_begins[d] to depth_begins[d + 1] -
     * 1. */
    size_t depths;
    size_t *depth_begins;
    uint32_t *range_begins;
    double *sums; /* one row per range, with one entry per class */
};

void crd_i_affix_index_destroy(crd_i_affix_index *index) {
    if (index == NULL) return;
    crd_free(index->context, index->keys);
    crd_free(index->context, index->entries);
    crd_free(index->context, index->depth_begins);
    crd_free(index->context, index->range_begins);
    crd_free(index->context, index->sums);
    crd_free(index->context, index);
}

/* Compares by keys. Words that differ only in case are ordered by value, so that sums add their terms in a fixed
 * order. */
static int affix_index_compare_entries(const void *left, const void *right) {
    const index_entry *a = left, *b = right;
    uint32_t shared = a->length < b->length ? a->length : b->length;
    for (uint32_t i = 0; i < shared; i++)
        if (a->keys[i] != b->keys[i]) return a->keys[i] < b->keys[i] ? -1 : 1;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* Computes the keys of all words, and sorts the words. Returns false if out of memory. */
static bool affix_index_list_words(crd_i_affix_index *index, const crd_text *texts, bool from_end) {
    size_t capacity = 0;
    for (size_t v = 0; v < index->counts->values; v++)
        if (index->counts->totals[v] > 0)
            capacity += 1 + (texts[v].length < CRD_I_MOST_LETTERS ? texts[v].length : CRD_I_MOST_LETTERS);
    index->keys = crd_i_alloc(index->context, capacity, sizeof *index->keys);
    index->entries = crd_i_alloc(index->context, index->counts->values, sizeof *index->entries);
    if (index->keys == NULL || index->entries == NULL) return false;
    uint32_t *keys = index->keys;
    for (size_t v = 0; v < index->counts->values; v++) {
        if (!(index->counts->totals[v] > 0)) continue;
        crd_i_word word;
        crd_i_word_parse(texts[v], &word);
        uint32_t *cursor = keys;
        if (from_end) *cursor++ = word.shape;
        for (size_t i = 0; i < word.length; i++) *cursor++ = word.letters[from_end ? word.length - 1 - i : i];
        const index_entry entry = {keys, (uint32_t)(cursor - keys), (uint32_t)v};
        index->entries[index->count++] = entry;
        keys = cursor;
    }
    if (index->count > 0) qsort(index->entries, index->count, sizeof *index->entries, affix_index_compare_entries);
    return true;
}

static void add_range(const crd_i_affix_index *index, crd_i_affix_range range, double *sums) {
    const crd_i_value_counts *counts = index->counts;
    memset(sums, 0, counts->classes * sizeof *sums);
    for (size_t i = range.begin; i < range.end; i++) {
        size_t value = index->entries[i].value;
        for (size_t position = counts->begins[value]; position < counts->begins[value + 1]; position++)
            sums[counts->class_of[position]] += counts->counts[position] / counts->totals[value];
    }
}

/* Returns whether a word shares its first `depth` keys with the previous word. */
static bool affix_index_shares(const index_entry *word, size_t depth) {
    const index_entry *before = word - 1;
    return before->length >= depth && word->length >= depth &&
           memcmp(before->keys, word->keys, depth * sizeof *word->keys) == 0;
}

/* Returns the next range of words, from position `source` on, that share `depth` keys. An empty range marks the end. */
static crd_i_affix_range next_range(const crd_i_affix_index *index, size_t source, size_t depth) {
    while (source < index->count && index->entries[source].length < depth) source++;
    crd_i_affix_range range = {source, source};
    while (range.end < index->count && (range.end == source || affix_index_shares(&index->entries[range.end], depth)))
        range.end++;
    return range;
}

/* Returns the minimum length of a range whose sums are stored. */
static size_t least_kept(const crd_i_affix_index *index) {
    size_t length = index->count / MOST_KEPT_AT_A_DEPTH;
    return length < SHORTEST_KEPT ? SHORTEST_KEPT : length;
}

/* Computes the stored sums. Returns false if out of memory. */
static bool keep_sums(crd_i_affix_index *index) {
    size_t least = least_kept(index), capacity = 0, sums_capacity = 0, kept = 0, classes = index->counts->classes;
    index->depth_begins = crd_i_alloc_zeroed(index->context, index->depths + 1, sizeof *index->depth_begins);
    if (index->depth_begins == NULL) return false;
    for (size_t depth = 0; depth < index->depths; depth++) {
        for (crd_i_affix_range range = next_range(index, 0, depth); range.begin < range.end;
             range = next_range(index, range.end, depth)) {
            if (range.end - range.begin < least) continue;
            if (!crd_i_reserve(index->context, &index->range_begins, &capacity, kept + 1,
                               sizeof *index->range_begins) ||
                !crd_i_reserve(index->context, &index->sums, &sums_capacity, (kept + 1) * classes, sizeof *index->sums))
                return false;
            index->range_begins[kept] = (uint32_t)range.begin;
            add_range(index, range, index->sums + kept++ * classes);
        }
        index->depth_begins[depth + 1] = kept;
    }
    return true;
}

crd_i_affix_index *crd_i_affix_index_create(crd_context *context, const crd_text *texts,
                                            const crd_i_value_counts *counts, bool from_end, size_t longest) {
    crd_i_affix_index *index = crd_i_alloc_zeroed(context, 1, sizeof *index);
    if (index == NULL) return NULL;
    index->context = context;
    index->counts = counts;
    index->depths = longest + (from_end ? 2 : 1); /* depths 0, the shape, and each letter */
    if (affix_index_list_words(index, texts, from_end) && keep_sums(index)) return index;
    crd_i_affix_index_destroy(index);
    return NULL;
}

crd_i_affix_range crd_i_affix_index_all(const crd_i_affix_index *index) {
    const crd_i_affix_range all = {0, index->count};
    return all;
}

/* Returns the first position in a range whose key at `depth` is at least `key`. Words without such a key come first. */
static size_t first_at_least(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth, uint64_t key) {
    while (range.begin < range.end) {
        size_t middle = range.begin + (range.end - range.begin) / 2;
        const index_entry *word = &index->entries[middle];
        if (word->length <= depth || word->keys[depth] < key) range.begin = middle + 1;
        else range.end = middle;
    }
    return range.begin;
}

crd_i_affix_range crd_i_affix_index_narrow(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth,
                                           uint32_t key) {
    range.begin = first_at_least(index, range, depth, key);
    range.end = first_at_least(index, range, depth, (uint64_t)key + 1);
    return range;
}

crd_i_affix_range crd_i_affix_index_whole(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth) {
    range.end = first_at_least(index, range, depth, 0);
    return range;
}

void crd_i_affix_index_sum(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth, double *sums) {
    if (depth >= index->depths || range.end - range.begin < least_kept(index)) {
        add_range(index, range, sums);
        return;
    }
    size_t begin = index->depth_begins[depth], end = index->depth_begins[depth + 1];
    while (end - begin > 1) {
        size_t middle = begin + (end - begin) / 2;
        if (index->range_begins[middle] <= range.begin) begin = middle;
        else end = middle;
    }
    memcpy(sums, index->sums + begin * index->counts->classes, index->counts->classes * sizeof *sums);
}

size_t crd_i_affix_index_value(const crd_i_affix_index *index, size_t place) {
    return index->entries[place].value;
}
