/* SPDX-License-Identifier: MIT */
/* unseen_words.c - P(word | state) from counts and word forms. See unseen_words.h for the formulas. The constants were
 * chosen on the development set of the English Web Treebank, with 100 to 12,544 training sentences. Accuracy hardly
 * depends on them.
 *
 * Contents:
 *   1. Character classes and cases
 *   2. Letters and word shape
 *   3. Affix index
 *   4. Word probabilities */
#include "sequence/unseen_words.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/schema_view.h"
#include "stats/counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Character classes and cases ========
 *
 * The tables are ranges of non-ASCII code points, in ascending order. */

/* Upper-case letters from `first` to `last` in steps of `stride`. Adding `offset` gives the lower-case letter. */
typedef struct case_range {
    uint32_t first, last;
    uint32_t stride;
    int32_t offset;
} case_range;

static const case_range cases[] = {
    {0x00C0, 0x00D6, 1, 32},    {0x00D8, 0x00DE, 1, 32},    {0x0100, 0x012E, 2, 1},    {0x0132, 0x0136, 2, 1},
    {0x0139, 0x0147, 2, 1},     {0x014A, 0x0176, 2, 1},     {0x0178, 0x0178, 1, -121}, {0x0179, 0x017D, 2, 1},
    {0x0181, 0x0181, 1, 210},   {0x0182, 0x0184, 2, 1},     {0x0186, 0x0186, 1, 206},  {0x0187, 0x0187, 1, 1},
    {0x0189, 0x018A, 1, 205},   {0x018B, 0x018B, 1, 1},     {0x018E, 0x018E, 1, 79},   {0x018F, 0x018F, 1, 202},
    {0x0190, 0x0190, 1, 203},   {0x0191, 0x0191, 1, 1},     {0x0193, 0x0193, 1, 205},  {0x0194, 0x0194, 1, 207},
    {0x0198, 0x0198, 1, 1},     {0x019D, 0x019D, 1, 213},   {0x01A0, 0x01A4, 2, 1},    {0x01AF, 0x01AF, 1, 1},
    {0x01B2, 0x01B2, 1, 217},   {0x01B3, 0x01B5, 2, 1},     {0x01CD, 0x01DB, 2, 1},    {0x01DE, 0x01EE, 2, 1},
    {0x01F4, 0x01F4, 1, 1},     {0x01F8, 0x021E, 2, 1},     {0x0222, 0x0232, 2, 1},    {0x0246, 0x024E, 2, 1},
    {0x0386, 0x0386, 1, 38},    {0x0388, 0x038A, 1, 37},    {0x038C, 0x038C, 1, 64},   {0x038E, 0x038F, 1, 63},
    {0x0391, 0x03A1, 1, 32},    {0x03A3, 0x03AB, 1, 32},    {0x03D8, 0x03EE, 2, 1},    {0x0400, 0x040F, 1, 80},
    {0x0410, 0x042F, 1, 32},    {0x0460, 0x0480, 2, 1},     {0x048A, 0x04BE, 2, 1},    {0x04C0, 0x04C0, 1, 15},
    {0x04C1, 0x04CD, 2, 1},     {0x04D0, 0x052E, 2, 1},     {0x0531, 0x0556, 1, 48},   {0x10A0, 0x10C5, 1, 7264},
    {0x1C90, 0x1CBA, 1, -3008}, {0x1CBD, 0x1CBF, 1, -3008}, {0x1E00, 0x1E94, 2, 1},    {0x1E9E, 0x1E9E, 1, -7615},
    {0x1EA0, 0x1EFE, 2, 1},     {0x1F08, 0x1F0F, 1, -8},    {0x1F18, 0x1F1D, 1, -8},   {0x1F28, 0x1F2F, 1, -8},
    {0x1F38, 0x1F3F, 1, -8},    {0x1F48, 0x1F4D, 1, -8},    {0x1F59, 0x1F5F, 2, -8},   {0x1F68, 0x1F6F, 1, -8},
    {0x1F88, 0x1F8F, 1, -8},    {0x1F98, 0x1F9F, 1, -8},    {0x1FA8, 0x1FAF, 1, -8},   {0x1FB8, 0x1FB9, 1, -8},
    {0x1FBA, 0x1FBB, 1, -74},   {0x1FBC, 0x1FBC, 1, -9},    {0x1FC8, 0x1FCB, 1, -86},  {0x1FCC, 0x1FCC, 1, -9},
    {0x1FD8, 0x1FD9, 1, -8},    {0x1FDA, 0x1FDB, 1, -100},  {0x1FE8, 0x1FE9, 1, -8},   {0x1FEA, 0x1FEB, 1, -112},
    {0x1FEC, 0x1FEC, 1, -7},    {0x1FF8, 0x1FF9, 1, -128},  {0x1FFA, 0x1FFB, 1, -126}, {0x1FFC, 0x1FFC, 1, -9},
    {0xA640, 0xA66C, 2, 1},     {0xA680, 0xA69A, 2, 1},     {0xFF21, 0xFF3A, 1, 32}};

/* The zero digits of the decimal digit ranges. */
static const uint32_t zeros[] = {0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66,
                                 0x0CE6, 0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810,
                                 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0,
                                 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x1D7CE};

/* Punctuation, symbols and spaces. */
typedef struct sign_range {
    uint32_t first, last;
} sign_range;

static const sign_range sign_ranges[] = {
    {0x0080, 0x00A9},  {0x00AB, 0x00B1}, {0x00B4, 0x00B4}, {0x00B6, 0x00B8}, {0x00BB, 0x00BB}, {0x00BF, 0x00BF},
    {0x00D7, 0x00D7},  {0x00F7, 0x00F7}, {0x02C2, 0x02C5}, {0x02D2, 0x02DF}, {0x037E, 0x037E}, {0x0387, 0x0387},
    {0x055A, 0x055F},  {0x0589, 0x058F}, {0x05BE, 0x05BE}, {0x05C0, 0x05C0}, {0x05C3, 0x05C3}, {0x05F3, 0x05F4},
    {0x0606, 0x060F},  {0x061B, 0x061F}, {0x066A, 0x066D}, {0x06D4, 0x06D4}, {0x0700, 0x070D}, {0x0964, 0x0965},
    {0x0970, 0x0970},  {0x09F2, 0x09F3}, {0x0E3F, 0x0E3F}, {0x0E4F, 0x0E4F}, {0x0E5A, 0x0E5B}, {0x0F01, 0x0F17},
    {0x0F3A, 0x0F3D},  {0x104A, 0x104F}, {0x10FB, 0x10FB}, {0x1360, 0x1368}, {0x17D4, 0x17D6}, {0x17D8, 0x17DB},
    {0x1800, 0x180A},  {0x2000, 0x206F}, {0x207A, 0x207E}, {0x208A, 0x208E}, {0x20A0, 0x20CF}, {0x2100, 0x2101},
    {0x2103, 0x2106},  {0x2116, 0x2118}, {0x211E, 0x2123}, {0x2190, 0x245F}, {0x249C, 0x24E9}, {0x2500, 0x2775},
    {0x2794, 0x2BFF},  {0x2E00, 0x2E5D}, {0x3000, 0x3004}, {0x3008, 0x3020}, {0x3030, 0x3030}, {0x303D, 0x303F},
    {0x30A0, 0x30A0},  {0x30FB, 0x30FB}, {0x3200, 0x33FF}, {0xA60D, 0xA60F}, {0xFD3E, 0xFD3F}, {0xFDFC, 0xFDFF},
    {0xFE00, 0xFE6F},  {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFD},
    {0x1F000, 0x1FBEF}};

enum { MOST_ASCII = 0x7F, ABOVE_UNICODE = 0x110000 };

/* Removes the first character of a nonempty text and returns its code point. A byte that is not valid UTF-8 becomes a
 * character of its own, above all Unicode code points. */
static uint32_t letter_next(crd_text *text) {
    size_t length = crd_i_utf8_length(*text);
    uint32_t letter = (unsigned char)text->bytes[0];
    if (length == 0) {
        letter += ABOVE_UNICODE;
        length = 1;
    } else if (length > 1) {
        letter &= 0x7Fu >> length;
        for (size_t i = 1; i < length; i++) letter = letter << 6 | ((unsigned char)text->bytes[i] & 0x3Fu);
    }
    text->bytes += length;
    text->length -= length;
    return letter;
}

static bool is_upper_of(const case_range *range, uint32_t letter) {
    return letter >= range->first && letter <= range->last && (letter - range->first) % range->stride == 0;
}

/* Returns the lower-case form of an upper-case letter, and any other character unchanged. */
static uint32_t letter_lower(uint32_t letter) {
    if (letter <= MOST_ASCII) return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_upper_of(&cases[i], letter)) return (uint32_t)((int32_t)letter + cases[i].offset);
    return letter;
}

static crd_i_letter_class letters_ascii_class(uint32_t letter) {
    if (letter >= 'a' && letter <= 'z') return CRD_I_LETTER_LOWER;
    if (letter >= 'A' && letter <= 'Z') return CRD_I_LETTER_UPPER;
    return letter >= '0' && letter <= '9' ? CRD_I_LETTER_DIGIT : CRD_I_LETTER_SIGN;
}

crd_i_letter_class crd_i_letter_class_of(uint32_t letter) {
    if (letter <= MOST_ASCII) return letters_ascii_class(letter);
    for (size_t i = 0; i < sizeof sign_ranges / sizeof *sign_ranges && letter >= sign_ranges[i].first; i++)
        if (letter <= sign_ranges[i].last) return CRD_I_LETTER_SIGN;
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        if (letter - zeros[i] < 10) return CRD_I_LETTER_DIGIT;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (is_upper_of(&cases[i], letter)) return CRD_I_LETTER_UPPER;
        if (is_upper_of(&cases[i], (uint32_t)((int32_t)letter - cases[i].offset))) return CRD_I_LETTER_LOWER;
    }
    return CRD_I_LETTER_CASELESS;
}

/* ======== 2. Letters and word shape ======== */

typedef enum word_case { WITHOUT_LETTERS, WITHOUT_CAPITALS, SOME_CAPITALS, CAPITALIZED, CAPITALS } word_case;

/* Number of characters in each class. */
typedef struct shape_composition {
    size_t values[CRD_I_LETTER_SIGN + 1], total;
    crd_i_letter_class first;
} shape_composition;

static word_case case_of(const shape_composition *counts) {
    size_t upper = counts->values[CRD_I_LETTER_UPPER], lower = counts->values[CRD_I_LETTER_LOWER];
    if (upper + lower + counts->values[CRD_I_LETTER_CASELESS] == 0) return WITHOUT_LETTERS;
    if (upper == 0) return WITHOUT_CAPITALS;
    /* A single capital letter may be a word of any class at the beginning of a sentence. */
    if (lower == 0 && counts->total > 1) return CAPITALS;
    return counts->first == CRD_I_LETTER_UPPER ? CAPITALIZED : SOME_CAPITALS;
}

void crd_i_word_parse(crd_text text, crd_i_word *out) {
    enum { HALF = CRD_I_MOST_LETTERS / 2, DIGITS = 8, SIGNS = 16 };
    shape_composition counts = {{0}, 0, CRD_I_LETTER_CASELESS};
    size_t length = 0;
    while (text.length > 0) {
        uint32_t letter = letter_next(&text);
        crd_i_letter_class class = crd_i_letter_class_of(letter);
        if (counts.total++ == 0) counts.first = class;
        counts.values[class]++;
        if (length == CRD_I_MOST_LETTERS) {
            for (size_t i = HALF + 1; i < length; i++) out->letters[i - 1] = out->letters[i];
            length--;
        }
        out->letters[length++] = class == CRD_I_LETTER_UPPER ? letter_lower(letter) : letter;
    }
    size_t digits = counts.values[CRD_I_LETTER_DIGIT], signs = counts.values[CRD_I_LETTER_SIGN];
    out->length = length;
    out->shape = (uint32_t)case_of(&counts) + (digits > 0 ? DIGITS : 0) + (signs > 0 ? SIGNS : 0);
    out->is_of_letters = 2 * (digits + signs) < counts.total;
}

/* ======== 3. Affix index ======== */

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

/* Returns the words of the range that have no further key: words that are equal except for case. */
static crd_i_affix_range affix_index_whole(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth) {
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

/* Returns the value of the word at a position of the index. */
static size_t affix_index_value(const crd_i_affix_index *index, size_t place) {
    return index->entries[place].value;
}

/* ======== 4. Word probabilities ======== */

/* Pseudo-counts of each word, pseudo-counts of each abstraction step, and maximum weight of the same word in another
 * case. */
#define KAPPA 0.3
#define STRENGTH 8.0
#define MOST_OF_OTHER_CASE 4.0

/* Default affix lengths: suffixes of up to LONGEST_SUFFIX letters, as in TnT (Brants 2000), and prefixes of half that
 * length. */
enum { LONGEST_SUFFIX = 10 };
/* A column looks like words if it has at least LEAST_SINGLE_VALUES values that occur once, at least one in
 * ALL_PER_SINGLE of all values, and if their form predicts their state. The log likelihood gain must exceed LEAST_GAIN
 * nats, plus LEAST_GAIN_OF_EACH per word. At most about MOST_COMPARED words are compared. */
enum { LEAST_SINGLE_VALUES = 10, ALL_PER_SINGLE = 4, MOST_COMPARED = 2000 };
#define LEAST_GAIN 3.0
#define LEAST_GAIN_OF_EACH 0.05

struct crd_i_unseen_words {
    crd_context *context;
    const crd_i_dictionary *values;
    crd_i_value_counts counts; /* the arrays are owned */
    crd_i_affix_index *suffixes, *prefixes;
    size_t longest;
    double words; /* number of values with counts */
    /* for each class: the sum of its words' relative frequencies, plus one new word by the smoothed class
     * frequencies */
    double *base;
    double *log_totals; /* log denominators of P(w | s) */
};

void crd_i_unseen_words_destroy(crd_i_unseen_words *words) {
    if (words == NULL) return;
    crd_context *context = words->context;
    crd_free(context, (void *)words->counts.begins);
    crd_free(context, (void *)words->counts.class_of);
    crd_free(context, (void *)words->counts.counts);
    crd_free(context, (void *)words->counts.totals);
    crd_i_affix_index_destroy(words->suffixes);
    crd_i_affix_index_destroy(words->prefixes);
    crd_free(context, words->base);
    crd_free(context, words->log_totals);
    crd_free(context, words);
}

/* ---- Classes by the form of a word ---- */

/* A word to be predicted, with scratch space. Each list has an entry per class. */
typedef struct words_inquiry {
    const crd_i_unseen_words *words;
    crd_i_word word;
    size_t value;   /* SIZE_MAX: the word was not in the training data */
    double *values; /* relative frequencies of its classes; all zero if it was not in the training data */
    double *prior;  /* p_0: class distribution of all other words */
    double *sums, *prefix;
} words_inquiry;

size_t crd_i_unseen_words_room(const crd_i_unseen_words *words) {
    return 4 * words->counts.classes;
}

static words_inquiry unseen_words_inquire(const crd_i_unseen_words *words, crd_text text, size_t value,
                                          double *workspace) {
    size_t classes = words->counts.classes;
    words_inquiry inquiry = {.words = words, .value = value};
    inquiry.values = workspace;
    inquiry.prior = workspace + classes;
    inquiry.sums = workspace + 2 * classes;
    inquiry.prefix = workspace + 3 * classes;
    crd_i_word_parse(text, &inquiry.word);
    memset(inquiry.values, 0, classes * sizeof *inquiry.values);
    double others = words->words;
    if (value != SIZE_MAX) {
        const crd_i_value_counts *counts = &words->counts;
        for (size_t index = counts->begins[value]; index < counts->begins[value + 1]; index++)
            inquiry.values[counts->class_of[index]] = counts->counts[index] / counts->totals[value];
        others--;
    }
    for (size_t c = 0; c < classes; c++) inquiry.prior[c] = fmax(words->base[c] - inquiry.values[c], 0) / (others + 1);
    return inquiry;
}

/* Performs one abstraction step over the other words of a range: p_i from p_(i-1). */
static void unseen_words_abstract(const words_inquiry *inquiry, const crd_i_affix_index *index, crd_i_affix_range range,
                                  size_t depth, double others, double *p) {
    crd_i_affix_index_sum(index, range, depth, inquiry->sums);
    for (size_t c = 0; c < inquiry->words->counts.classes; c++)
        p[c] = (fmax(inquiry->sums[c] - inquiry->values[c], 0) + STRENGTH * p[c]) / (others + STRENGTH);
}

/* Returns the number of words in a range other than the current word. The range contains the current word if it was
 * counted. */
static double others_in(const words_inquiry *inquiry, crd_i_affix_range range) {
    return (double)(range.end - range.begin) - (inquiry->value == SIZE_MAX ? 0 : 1);
}

/* Computes p over the shape and ever longer suffixes, as long as other words share them. */
static void by_suffix(const words_inquiry *inquiry, double *p) {
    const crd_i_affix_index *index = inquiry->words->suffixes;
    const crd_i_word *word = &inquiry->word;
    crd_i_affix_range range = crd_i_affix_index_all(index);
    for (size_t depth = 0; depth <= word->length && depth <= inquiry->words->longest; depth++) {
        uint32_t key = depth == 0 ? word->shape : word->letters[word->length - depth];
        range = crd_i_affix_index_narrow(index, range, depth, key);
        double others = others_in(inquiry, range);
        if (!(others > 0)) return;
        unseen_words_abstract(inquiry, index, range, depth + 1, others, p);
    }
}

/* Computes q over the prefixes. Sets *same to the range of all words with the same letters, which may be empty. */
static void by_prefix(const words_inquiry *inquiry, double *p, crd_i_affix_range *same) {
    const crd_i_affix_index *index = inquiry->words->prefixes;
    crd_i_affix_range range = crd_i_affix_index_all(index);
    for (size_t depth = 0; depth < inquiry->word.length && range.begin < range.end; depth++) {
        range = crd_i_affix_index_narrow(index, range, depth, inquiry->word.letters[depth]);
        double others = others_in(inquiry, range);
        if (others > 0 && depth < (inquiry->words->longest + 1) / 2)
            unseen_words_abstract(inquiry, index, range, depth + 1, others, p);
    }
    *same = affix_index_whole(index, range, inquiry->word.length);
}

/* Mixes in the counts of the same letters in another case. */
static void by_other_case(const words_inquiry *inquiry, crd_i_affix_range same, double *p) {
    const crd_i_value_counts *counts = &inquiry->words->counts;
    memset(inquiry->sums, 0, counts->classes * sizeof *inquiry->sums);
    double total = 0;
    for (size_t i = same.begin; i < same.end; i++) {
        size_t value = affix_index_value(inquiry->words->prefixes, i);
        if (value == inquiry->value) continue;
        total += counts->totals[value];
        for (size_t index = counts->begins[value]; index < counts->begins[value + 1]; index++)
            inquiry->sums[counts->class_of[index]] += counts->counts[index];
    }
    if (!(total > 0)) return;
    double strength = fmin(total, MOST_OF_OTHER_CASE);
    for (size_t c = 0; c < counts->classes; c++) p[c] = (strength * (inquiry->sums[c] / total) + p[c]) / (strength + 1);
}

/* Computes p(class | word) for each class. */
static void unseen_words_predict(const words_inquiry *inquiry, double *p) {
    size_t classes = inquiry->words->counts.classes;
    crd_i_affix_range same;
    memcpy(p, inquiry->prior, classes * sizeof *p);
    memcpy(inquiry->prefix, inquiry->prior, classes * sizeof *p);
    by_suffix(inquiry, p);
    by_prefix(inquiry, inquiry->prefix, &same);
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        if (inquiry->prior[c] > 0) p[c] *= sqrt(inquiry->prefix[c] / inquiry->prior[c]);
        sum += p[c];
    }
    for (size_t c = 0; c < classes; c++) p[c] /= sum;
    by_other_case(inquiry, same, p);
}

/* Returns the code of a value with counts; SIZE_MAX: it has none. */
static size_t unseen_words_find(const crd_i_unseen_words *words, crd_text text) {
    int32_t code = crd_i_dictionary_find(words->values, text);
    return code >= 0 && words->counts.totals[code] > 0 ? (size_t)code : SIZE_MAX;
}

void crd_i_unseen_words_log(const crd_i_unseen_words *words, crd_text text, double *workspace, double *logs) {
    const crd_i_value_counts *counts = &words->counts;
    size_t value = unseen_words_find(words, text);
    const words_inquiry inquiry = unseen_words_inquire(words, text, value, workspace);
    unseen_words_predict(&inquiry, logs);
    for (size_t c = 0; c < counts->classes; c++) logs[c] *= KAPPA;
    if (value != SIZE_MAX)
        for (size_t index = counts->begins[value]; index < counts->begins[value + 1]; index++)
            logs[counts->class_of[index]] += counts->counts[index];
    for (size_t c = 0; c < counts->classes; c++) logs[c] = crd_log(logs[c]) - words->log_totals[c];
}

/* ---- Construction ---- */

static void *unseen_words_copy(crd_context *context, const void *source, size_t count, size_t size) {
    void *destination = crd_i_alloc(context, count, size);
    if (destination != NULL && count > 0) memcpy(destination, source, count * size);
    return destination;
}

/* Copies the counts. Returns false if out of memory, like the functions below. */
static bool copy_counts(crd_i_unseen_words *words, const crd_i_value_counts *value_counts) {
    crd_i_value_counts *target_counts = &words->counts;
    size_t entries = value_counts->begins[value_counts->values];
    target_counts->values = value_counts->values;
    target_counts->classes = value_counts->classes;
    target_counts->begins =
        unseen_words_copy(words->context, value_counts->begins, value_counts->values + 1, sizeof *value_counts->begins);
    target_counts->class_of =
        unseen_words_copy(words->context, value_counts->class_of, entries, sizeof *value_counts->class_of);
    target_counts->counts =
        unseen_words_copy(words->context, value_counts->counts, entries, sizeof *value_counts->counts);
    target_counts->totals =
        unseen_words_copy(words->context, value_counts->totals, value_counts->values, sizeof *value_counts->totals);
    return target_counts->begins != NULL && target_counts->class_of != NULL && target_counts->counts != NULL &&
           target_counts->totals != NULL;
}

static bool index_words(crd_i_unseen_words *words) {
    size_t values = words->counts.values;
    crd_text *texts = crd_i_alloc(words->context, values, sizeof *texts);
    if (texts == NULL) return false;
    for (size_t v = 0; v < values; v++) texts[v] = crd_i_dictionary_text(words->values, v);
    words->suffixes = crd_i_affix_index_create(words->context, texts, &words->counts, true, words->longest);
    if (words->suffixes != NULL)
        words->prefixes =
            crd_i_affix_index_create(words->context, texts, &words->counts, false, (words->longest + 1) / 2);
    crd_free(words->context, texts);
    return words->prefixes != NULL;
}

/* Computes the class distribution of all words, and the denominators. `base` first holds the counts of the classes. The
 * sum of p(s | v) over all words and one new word is approximated by the sum of the relative frequencies (the
 * prior). */
static bool sum_classes(crd_i_unseen_words *words) {
    const crd_i_value_counts *counts = &words->counts;
    size_t classes = counts->classes;
    words->base = crd_i_alloc_zeroed(words->context, classes, sizeof *words->base);
    words->log_totals = crd_i_alloc(words->context, classes, sizeof *words->log_totals);
    if (words->base == NULL || words->log_totals == NULL) return false;
    double total = 0;
    for (size_t index = 0; index < counts->begins[counts->values]; index++) {
        words->base[counts->class_of[index]] += counts->counts[index];
        total += counts->counts[index];
    }
    crd_i_affix_range all = crd_i_affix_index_all(words->suffixes);
    words->words = (double)(all.end - all.begin);
    double *forms = words->log_totals;
    crd_i_affix_index_sum(words->suffixes, all, 0, forms);
    for (size_t c = 0; c < classes; c++) {
        double own = words->base[c];
        words->base[c] = forms[c] + (own + 1) / (total + (double)classes);
        words->log_totals[c] = crd_log(own + KAPPA * words->base[c]);
    }
    return true;
}

/* ---- Detection of words ---- */

/* Numbers of values that occur once, of those that consist mostly of letters, and of all values with counts. */
typedef struct single_values {
    size_t count, of_letters, counted;
} single_values;

/* Returns whether a value occurs once. Expected counts sum to 1 except for rounding. */
static bool is_single(const crd_i_value_counts *counts, size_t value) {
    return counts->totals[value] > 0 && counts->totals[value] < 1 + 1e-6;
}

static single_values count_single(const crd_i_dictionary *values, const crd_i_value_counts *counts) {
    single_values single = {0, 0, 0};
    for (size_t v = 0; v < counts->values; v++) {
        if (counts->totals[v] > 0) single.counted++;
        if (!is_single(counts, v)) continue;
        crd_i_word word;
        crd_i_word_parse(crd_i_dictionary_text(values, v), &word);
        single.count++;
        if (word.is_of_letters) single.of_letters++;
    }
    return single;
}

/* Computes by how many nats their form predicts the classes of words that occur once better than the prior does. Uses
 * about MOST_COMPARED words at most, evenly spaced. */
static double gain_of_form(const crd_i_unseen_words *words, size_t single, size_t *compared, double *workspace) {
    size_t classes = words->counts.classes, step = 1 + (single - 1) / MOST_COMPARED, met = 0;
    double *p = workspace + crd_i_unseen_words_room(words), gain = 0;
    *compared = 0;
    for (size_t v = 0; v < words->counts.values; v++) {
        if (!is_single(&words->counts, v) || met++ % step != 0) continue;
        const words_inquiry inquiry =
            unseen_words_inquire(words, crd_i_dictionary_text(words->values, v), v, workspace);
        unseen_words_predict(&inquiry, p);
        for (size_t c = 0; c < classes; c++)
            if (inquiry.values[c] > 0 && inquiry.prior[c] > 0)
                gain += inquiry.values[c] * (crd_log(p[c]) - crd_log(inquiry.prior[c]));
        ++*compared;
    }
    return gain;
}

static crd_status is_predicted(const crd_i_unseen_words *words, size_t single, bool *is_it, crd_error *error) {
    double *workspace =
        crd_i_alloc(words->context, crd_i_unseen_words_room(words) + words->counts.classes, sizeof *workspace);
    if (workspace == NULL) return crd_i_fail_memory(error);
    size_t compared;
    double gain = gain_of_form(words, single, &compared, workspace);
    crd_free(words->context, workspace);
    *is_it = gain > LEAST_GAIN + LEAST_GAIN_OF_EACH * (double)compared;
    return CRD_OK;
}

/* ---- Creation ---- */

crd_status crd_i_unseen_words_of(crd_context *context, const crd_i_dictionary *values, const crd_i_value_counts *counts,
                                 size_t longest, crd_i_unseen_words **out, crd_error *error) {
    *out = NULL;
    const single_values single = count_single(values, counts);
    if (single.count == 0 || 2 * single.of_letters <= single.count) return CRD_OK;
    if (longest == 0 && (single.count < LEAST_SINGLE_VALUES || single.counted / ALL_PER_SINGLE > single.count))
        return CRD_OK;
    crd_i_unseen_words *words = crd_i_alloc_zeroed(context, 1, sizeof *words);
    if (words == NULL) return crd_i_fail_memory(error);
    words->context = context;
    words->values = values;
    words->longest = longest == 0 ? LONGEST_SUFFIX : longest;
    bool are_words = true;
    crd_status status = CRD_OK;
    if (!copy_counts(words, counts) || !index_words(words) || !sum_classes(words)) status = crd_i_fail_memory(error);
    else if (longest == 0) status = is_predicted(words, single.count, &are_words, error);
    if (status == CRD_OK && are_words) *out = words;
    else crd_i_unseen_words_destroy(words);
    return status;
}

/* Converts the counts of a column's statistics, in the order of a view, into arrays that the caller frees. */
static crd_status unseen_words_open_counts(const crd_i_counts_rows *rows, const crd_i_view *view,
                                           crd_i_value_counts *out, double **counts, double **totals,
                                           crd_error *error) {
    crd_context *context = rows->context;
    size_t entries = rows->begins[view->value_count];
    *counts = crd_i_alloc(context, entries, sizeof **counts);
    *totals = crd_i_alloc(context, view->value_count, sizeof **totals);
    if (*counts == NULL || *totals == NULL) return crd_i_fail_memory(error);
    for (size_t index = 0; index < entries; index++)
        (*counts)[index] = crd_i_sums_value(rows->sums, rows->cells[index]);
    for (size_t v = 0; v < view->value_count; v++) (*totals)[v] = crd_i_counts_rows_total(rows, v);
    const crd_i_value_counts all = {
        view->value_count, view->condition_count, rows->begins, rows->conditions, *counts, *totals};
    *out = all;
    return CRD_OK;
}

crd_status crd_i_unseen_words_create(const crd_model *emissions, const crd_classifier *classifier, size_t attribute,
                                     const crd_settings *settings, crd_i_unseen_words **out, crd_error *error) {
    *out = NULL;
    const crd_i_attribute *own_attribute = &classifier->attributes[attribute];
    size_t column = attribute < emissions->schema->target ? attribute : attribute + 1;
    const crd_i_tally *tally = emissions->variables[column].tally;
    if (settings->unseen_words == CRD_I_UNSEEN_NONE || own_attribute->type != CRD_TYPE_CATEGORICAL ||
        own_attribute->is_joint || own_attribute->intervals.cuts != NULL || tally == NULL)
        return CRD_OK;
    crd_context *context = emissions->context;
    crd_i_counts_rows rows = {.context = context};
    double *counts = NULL, *totals = NULL;
    crd_i_schema_view *schema_view = NULL;
    crd_status status = crd_i_schema_view_create(emissions, &schema_view, error);
    if (status != CRD_OK) return status;
    const crd_i_view *view = &schema_view->views[column];
    crd_i_value_counts all;
    if (!crd_i_counts_rows_init(&rows, tally, view)) status = crd_i_fail_memory(error);
    else status = unseen_words_open_counts(&rows, view, &all, &counts, &totals, error);
    if (status == CRD_OK)
        status = crd_i_unseen_words_of(context, own_attribute->values, &all,
                                       settings->unseen_words == CRD_I_UNSEEN_SUFFIX ? settings->longest_suffix : 0,
                                       out, error);
    crd_i_counts_rows_clear(&rows);
    crd_free(context, counts);
    crd_free(context, totals);
    crd_i_schema_view_destroy(schema_view);
    return status;
}
