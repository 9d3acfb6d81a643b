/* SPDX-License-Identifier: MIT */
/* bag.c - see tokens.h. A hash table finds the distinct terms, so memory grows with their number and not with the text.
 *
 * Contents:
 *   1. Bags of terms
 *   2. Converts the sparse rows of a term-count matrix to bags of terms */
#include "text/tokens.h"

#include "base/call.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "table/frame.h"

#include <credence/term_matrix.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Bags of terms ======== */

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

/* Append a bag piece by piece: first the number of distinct terms, then each term, in the order of their bytes. false:
 * out of memory. */
static bool bag_put_count(crd_i_buffer *out, size_t terms) {
    return bag_put_number(out, terms);
}

static bool bag_put_term(crd_i_buffer *out, crd_text term, uint32_t times) {
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
    bool done = bag_put_count(out, table->count);
    for (size_t i = 0; done && i < table->count; i++)
        done = bag_put_term(out, (crd_text){sorted[i].bytes, sorted[i].length}, sorted[i].times);
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

/* ======== 2. Converts the sparse rows of a term-count matrix to bags of terms ========
 *
 * Converts the sparse rows of a term-count matrix to bags of terms, which become a text column of a
 * frame. */

/* A term and its column. */
typedef struct column_term {
    crd_text term;
    size_t column;
} column_term;

/* An entry of a row: the rank of its term in byte order, and its count. */
typedef struct matrix_entry {
    size_t rank;
    double count;
} matrix_entry;

typedef struct matrix_encoding {
    crd_context *context;
    crd_term_matrix matrix;
    column_term *sorted;   /* sorted by the bytes of the terms */
    size_t *ranks;         /* for each column: the rank of its term, an index into `sorted` */
    matrix_entry *entries; /* entries of the current row */
    size_t entry_capacity;
    crd_i_buffer bags;
    size_t *ends; /* for each row: the end of its bag */
} matrix_encoding;

static int term_matrix_compare(const void *a, const void *b) {
    return crd_i_text_compare(((const column_term *)a)->term, ((const column_term *)b)->term);
}

static int term_matrix_compare_entries(const void *a, const void *b) {
    size_t first = ((const matrix_entry *)a)->rank, second = ((const matrix_entry *)b)->rank;
    return (first > second) - (first < second);
}

/* Sorts the terms by their bytes and ranks them. Returns CRD_ERROR_ARGUMENT for empty or duplicate terms. */
static crd_status term_matrix_rank(matrix_encoding *encoding, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    size_t count = encoding->matrix.term_count;
    encoding->sorted = crd_i_alloc(encoding->context, count, sizeof *encoding->sorted);
    encoding->ranks = crd_i_alloc(encoding->context, count, sizeof *encoding->ranks);
    if (encoding->sorted == NULL || encoding->ranks == NULL) return crd_i_fail_memory(error);
    bool is_sorted = true;
    for (size_t i = 0; i < count; i++) {
        encoding->sorted[i] = (column_term){encoding->matrix.terms[i], i};
        if (encoding->matrix.terms[i].length == 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the term of column %zu is empty", i + 1);
        is_sorted = is_sorted && (i == 0 || term_matrix_compare(&encoding->sorted[i - 1], &encoding->sorted[i]) < 0);
    }
    if (!is_sorted) qsort(encoding->sorted, count, sizeof *encoding->sorted, term_matrix_compare);
    for (size_t i = 0; i < count; i++) {
        encoding->ranks[encoding->sorted[i].column] = i;
        if (!is_sorted && i > 0 && term_matrix_compare(&encoding->sorted[i - 1], &encoding->sorted[i]) == 0)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "two columns have the same term '%s'",
                              crd_i_quote(encoding->sorted[i].term, shown));
    }
    return CRD_OK;
}

static crd_status term_matrix_fail_at_row(crd_error *error, crd_status status, size_t row, const char *description) {
    crd_i_fail(error, status, "the row %s", description);
    crd_i_error_place(error, NULL, row + 1, 0);
    return status;
}

/* Reads the nonzero entries of a row in the order of their terms. Counts of the same term are added. Returns
 * CRD_ERROR_ARGUMENT or CRD_ERROR_NUMBER for invalid entries. */
static crd_status term_matrix_take_row(matrix_encoding *encoding, size_t row, size_t *count, crd_error *error) {
    const crd_term_matrix *matrix = &encoding->matrix;
    int64_t first = matrix->offsets[row], last = matrix->offsets[row + 1];
    *count = 0;
    if (first < 0 || last < first)
        return term_matrix_fail_at_row(error, CRD_ERROR_ARGUMENT, row, "has offsets that do not ascend from 0");
    if (!crd_i_reserve(encoding->context, &encoding->entries, &encoding->entry_capacity, (size_t)(last - first),
                       sizeof *encoding->entries))
        return crd_i_fail_memory(error);
    bool is_sorted = true;
    for (int64_t i = first; i < last; i++) {
        double times = matrix->counts[i];
        if (matrix->columns[i] < 0 || (size_t)matrix->columns[i] >= matrix->term_count)
            return term_matrix_fail_at_row(error, CRD_ERROR_ARGUMENT, row, "has an entry in a column without a term");
        if (!(times >= 0 && times <= UINT32_MAX) || times != (double)(uint32_t)times)
            return term_matrix_fail_at_row(error, CRD_ERROR_NUMBER, row,
                                           "has a count that is not a whole number from 0 to 4294967295");
        if (times == 0) continue;
        size_t rank = encoding->ranks[matrix->columns[i]];
        is_sorted = is_sorted && (*count == 0 || encoding->entries[*count - 1].rank < rank);
        encoding->entries[(*count)++] = (matrix_entry){rank, times};
    }
    if (is_sorted) return CRD_OK;
    qsort(encoding->entries, *count, sizeof *encoding->entries, term_matrix_compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (kept > 0 && encoding->entries[kept - 1].rank == encoding->entries[i].rank)
            encoding->entries[kept - 1].count += encoding->entries[i].count;
        else encoding->entries[kept++] = encoding->entries[i];
    }
    *count = kept;
    return CRD_OK;
}

static crd_status term_matrix_encode_row(matrix_encoding *encoding, size_t row, crd_error *error) {
    size_t count;
    crd_status status = term_matrix_take_row(encoding, row, &count, error);
    if (status != CRD_OK) return status;
    bool done = bag_put_count(&encoding->bags, count);
    for (size_t i = 0; done && i < count; i++) {
        if (encoding->entries[i].count > UINT32_MAX)
            return term_matrix_fail_at_row(error, CRD_ERROR_NUMBER, row, "has a term more than 4294967295 times");
        done = bag_put_term(&encoding->bags, encoding->sorted[encoding->entries[i].rank].term,
                            (uint32_t)encoding->entries[i].count);
    }
    encoding->ends[row] = encoding->bags.length;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status term_matrix_encode(matrix_encoding *encoding, size_t rows, crd_error *error) {
    crd_status status = term_matrix_rank(encoding, error);
    if (status != CRD_OK) return status;
    encoding->ends = crd_i_alloc(encoding->context, rows, sizeof *encoding->ends);
    if (encoding->ends == NULL) return crd_i_fail_memory(error);
    for (size_t row = 0; status == CRD_OK && row < rows; row++) {
        status = term_matrix_encode_row(encoding, row, error);
        if (status == CRD_OK && row % 1024 == 0 && crd_i_context_cancelled(encoding->context))
            status = crd_i_fail_cancelled(error);
    }
    return status;
}

/* Encodes each row as a bag, and adds the bags to the frame as a text column, which owns them. */
crd_status crd_frame_add_term_counts(crd_frame *frame, crd_text name, const crd_term_matrix *matrix, crd_error *error) {
    matrix_encoding encoding = {.matrix = CRD_TERM_MATRIX_INIT};
    if (frame == NULL || matrix == NULL || !crd_i_copy_in(matrix, &encoding.matrix, sizeof encoding.matrix) ||
        (encoding.matrix.offsets == NULL && frame->rows > 0) ||
        (encoding.matrix.terms == NULL && encoding.matrix.term_count > 0))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the frame, or the matrix of terms and counts, is missing");
    encoding.context = encoding.bags.context = frame->context;
    crd_text *texts = NULL;
    crd_status status = term_matrix_encode(&encoding, frame->rows, error);
    if (status == CRD_OK) {
        texts = crd_i_alloc(encoding.context, frame->rows, sizeof *texts);
        if (texts == NULL) status = crd_i_fail_memory(error);
    }
    for (size_t row = 0, begin = 0; status == CRD_OK && row < frame->rows; begin = encoding.ends[row++])
        texts[row] = (crd_text){(const char *)encoding.bags.bytes + begin, encoding.ends[row] - begin};
    if (status == CRD_OK) {
        crd_i_column column = {.type = CRD_TYPE_TEXT,
                               .texts = texts,
                               .are_bags = true,
                               .owned = encoding.bags.bytes,
                               .owned_texts = texts};
        status = crd_i_frame_add(frame, name, &column, error);
    }
    if (status != CRD_OK) {
        crd_i_buffer_clear(&encoding.bags);
        crd_free(encoding.context, texts);
    }
    crd_free(encoding.context, encoding.sorted);
    crd_free(encoding.context, encoding.ranks);
    crd_free(encoding.context, encoding.entries);
    crd_free(encoding.context, encoding.ends);
    return status;
}
