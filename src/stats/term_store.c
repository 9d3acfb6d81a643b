/* SPDX-License-Identifier: MIT */
/* term_store.c - see term_store.h. */
#include "stats/term_store_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/checksum.h"

#include <string.h>

void crd_i_term_counts_clear(crd_i_term_counts *counts) {
    crd_free(counts->context, counts->entries);
    if (counts->exact.context != NULL) crd_i_term_entries_clear(&counts->exact);
    counts->entries = NULL;
    counts->count = counts->capacity = 0;
}

crd_i_term_store *crd_i_term_store_create(crd_context *context, size_t conditions) {
    crd_i_term_store *store = crd_i_alloc_zeroed(context, 1, sizeof *store);
    if (store == NULL) return NULL;
    store->context = context;
    atomic_init(&store->references, 1);
    store->conditions = conditions;
    crd_i_sums_init(&store->documents, context);
    crd_i_sums_init(&store->occurrences, context);
    store->distinct = crd_i_alloc_zeroed(context, conditions, sizeof *store->distinct);
    store->most = crd_i_alloc_zeroed(context, conditions, sizeof *store->most);
    if (store->distinct != NULL && store->most != NULL && crd_i_sums_extend(&store->documents, conditions) &&
        crd_i_sums_extend(&store->occurrences, conditions))
        return store;
    crd_i_term_store_release(store);
    return NULL;
}

void crd_i_term_store_round(crd_i_term_store *store) {
    for (size_t i = 0; i < store->conditions; i++) store->most[i] = crd_i_sums_value(&store->documents, i) * (1 + 1e-9);
}

void crd_i_term_store_retain(crd_i_term_store *store) {
    atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
}

void crd_i_term_store_release(crd_i_term_store *store) {
    if (store == NULL || atomic_fetch_sub_explicit(&store->references, 1, memory_order_acq_rel) > 1) return;
    bool is_copied = store->source != NULL && crd_i_page_source_bytes(store->source) == NULL;
    for (size_t i = 0; is_copied && store->pages != NULL && i < store->page_count; i++)
        crd_free(store->context, (void *)(uintptr_t)atomic_load_explicit(&store->pages[i], memory_order_relaxed));
    crd_free(store->context, store->pages);
    crd_i_page_source_release(store->source);
    crd_i_sums_clear(&store->documents);
    crd_i_sums_clear(&store->occurrences);
    crd_free(store->context, store->distinct);
    crd_free(store->context, store->most);
    crd_free(store->context, store->page_ends);
    crd_free(store->context, store->first_ends);
    crd_free(store->context, store->firsts);
    crd_free(store->context, store);
}

uint64_t crd_i_term_store_terms(const crd_i_term_store *store) {
    return store->terms;
}

size_t crd_i_term_store_conditions(const crd_i_term_store *store) {
    return store->conditions;
}

double crd_i_term_store_documents(const crd_i_term_store *store, size_t condition) {
    return crd_i_sums_value(&store->documents, condition);
}

double crd_i_term_store_occurrences(const crd_i_term_store *store, size_t condition) {
    return crd_i_sums_value(&store->occurrences, condition);
}

uint64_t crd_i_term_store_distinct(const crd_i_term_store *store, size_t condition) {
    return store->distinct[condition];
}

/* ---- Pages ---- */

crd_status crd_i_term_store_damaged(const crd_i_term_store *store, const char *description, crd_error *error) {
    return crd_i_page_source_damaged(store->source, description, error);
}

crd_text crd_i_term_store_first(const crd_i_term_store *store, size_t page) {
    uint64_t begin = page == 0 ? 0 : store->first_ends[page - 1];
    crd_text first = {"", (size_t)(store->first_ends[page] - begin)};
    if (first.length > 0) first.bytes = (const char *)store->firsts + begin;
    return first;
}

static bool term_store_is_whole(const unsigned char *bytes, size_t length) {
    crd_i_cursor checksum = {bytes + length - CRD_I_PAGE_CHECKSUM, bytes + length, false};
    return crd_i_decode_u32(&checksum) == crd_i_checksum(bytes, length - CRD_I_PAGE_CHECKSUM);
}

/* Loads a page, verifies its checksum, and publishes it unless another thread did. Pages of a file are read into
 * allocated memory. */
static crd_status load_page(const crd_i_term_store *store, size_t page, uint64_t index, size_t length,
                            crd_error *error) {
    const unsigned char *all = crd_i_page_source_bytes(store->source);
    const unsigned char *bytes = all == NULL ? NULL : all + index;
    unsigned char *copy = NULL;
    crd_status status = CRD_OK;
    if (bytes == NULL) {
        bytes = copy = crd_i_alloc(store->context, length, 1);
        if (copy == NULL) return crd_i_fail_memory(error);
        status = crd_i_page_source_read(store->source, index, length, copy, error);
    }
    if (status == CRD_OK && !term_store_is_whole(bytes, length))
        status = crd_i_term_store_damaged(store, "the checksum of a page of terms is wrong", error);
    crd_i_page none = NULL;
    if (status != CRD_OK || !atomic_compare_exchange_strong_explicit(&store->pages[page], &none, bytes,
                                                                     memory_order_acq_rel, memory_order_acquire))
        crd_free(store->context, copy);
    return status;
}

crd_status crd_i_term_store_page(const crd_i_term_store *store, size_t page, crd_i_cursor *out, crd_error *error) {
    uint64_t begin = page == 0 ? 0 : store->page_ends[page - 1];
    size_t length = (size_t)(store->page_ends[page] - begin);
    if (atomic_load_explicit(&store->pages[page], memory_order_acquire) == NULL) {
        crd_status status = load_page(store, page, store->source_begin + begin, length, error);
        if (status != CRD_OK) return status;
    }
    out->at = atomic_load_explicit(&store->pages[page], memory_order_acquire);
    out->end = out->at + length;
    out->failed = false;
    return CRD_OK;
}

/* ---- Terms ---- */

/* Reads the counts of a term in the usual case: one count, with times 1, encoded in single bytes. false: the counts
 * have another form, and nothing was read. */
static bool read_plain_count(const crd_i_term_store *store, crd_i_cursor *cursor, crd_i_term_counts *out) {
    const unsigned char *position = cursor->at;
    if (cursor->end - position < 3 || position[0] != 1 || (position[1] & 0x82) != 0) return false;
    const bool is_stated = (position[1] & 1) != 0;
    const unsigned step = position[1] >> 2, amount = is_stated ? position[2] : 2;
    if (step == 0 || step > store->conditions || (is_stated && (amount < 4 || (amount & 0x81) != 0))) return false;
    const double documents = (double)(amount >> 1);
    if (documents > store->most[step - 1] || out->capacity == 0) return false;
    out->entries[0] = (crd_i_term_count){.condition = (int32_t)step - 1, .times = 1, .documents = documents};
    out->count = 1;
    cursor->at += is_stated ? 3 : 2;
    return true;
}

/* Reads the counts of a term, or the document lengths. CRD_ERROR_DAMAGED: they are not a canonical encoding, or exceed
 * the number of documents. */
static crd_status term_store_read_counts(const crd_i_term_store *store, crd_i_cursor *cursor, bool are_lengths,
                                         crd_i_term_counts *out, crd_error *error) {
    crd_i_term_entries *exact = &out->exact;
    if (!are_lengths && read_plain_count(store, cursor, out)) return CRD_OK;
    if (exact->context == NULL) crd_i_term_entries_init(exact, out->context);
    crd_i_term_entries_empty(exact);
    out->count = 0;
    if (!crd_i_term_decode_counts(cursor, are_lengths, store->conditions, NULL, 1, exact))
        return crd_i_fail_memory(error);
    if (cursor->failed) return crd_i_term_store_damaged(store, "the counts of a term are invalid", error);
    if (!crd_i_reserve(out->context, &out->entries, &out->capacity, exact->count, sizeof *out->entries))
        return crd_i_fail_memory(error);
    double documents = 0;
    for (size_t i = 0; i < exact->count; i++) {
        const crd_i_term_entry *entry = &exact->entry[i];
        crd_i_term_count *count = &out->entries[i];
        count->condition = (int32_t)entry->condition;
        count->times = entry->times;
        count->documents = crd_i_term_entries_value(exact, i);
        bool is_more = i > 0 && entry->condition == exact->entry[i - 1].condition;
        documents = count->documents + (is_more ? documents : 0);
        if (documents > store->most[entry->condition])
            return crd_i_term_store_damaged(store, "a term is in more documents than exist", error);
    }
    out->count = exact->count;
    return CRD_OK;
}

/* Returns the page that may contain the term: the last page whose first term is not greater. SIZE_MAX: none. */
static size_t find_page(const crd_i_term_store *store, crd_text term) {
    size_t begin = 0, end = store->page_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (crd_i_text_compare(crd_i_term_store_first(store, middle), term) <= 0) begin = middle + 1;
        else end = middle;
    }
    return begin == 0 ? SIZE_MAX : begin - 1;
}

/* Nearly all numbers in a page are single bytes. A term whose length is a single byte, with at most PLAIN_COUNTS counts
 * of single bytes, needs at most PLAIN_ROOM bytes. If so many bytes are left, the end of the page need not be
 * checked. */
enum { PLAIN_COUNTS = 64, PLAIN_ROOM = 2 + 0x7F + 1 + 3 * PLAIN_COUNTS };

/* Returns the position after the counts, like crd_i_term_skip_counts. NULL: some number is not a single byte. */
static inline const unsigned char *skip_plain_counts(const unsigned char *cursor) {
    unsigned count = *cursor++;
    if (count == 0 || count > PLAIN_COUNTS) return NULL;
    for (; count > 0; count--) {
        const unsigned head = *cursor++;
        if (head >= 0x80) return NULL;
        if ((head & 2) != 0 && *cursor++ >= 0x80) return NULL;
        if ((head & 1) != 0 && (*cursor++ & 0x81) != 0) return NULL;
    }
    return cursor;
}

/* Skips terms that are less than the wanted term because they share more than `same` bytes with the previous term. */
static void skip_lesser(crd_i_cursor *page, size_t same) {
    const unsigned char *cursor = page->at, *const end = page->end;
    while (end - cursor >= PLAIN_ROOM && cursor[0] > same && (cursor[0] | cursor[1]) < 0x80) {
        const unsigned char *after = skip_plain_counts(cursor + 2 + cursor[1]);
        if (after == NULL) break;
        cursor = after;
    }
    page->at = cursor;
}

/* Advances the cursor to the counts of the term. *is_found becomes false if the page does not contain the term.
 *
 * The first `same` bytes of the previous term equal those of the wanted term, and its next byte is smaller. A term that
 * shares more bytes with the previous term is smaller than the wanted term, too. A term that shares fewer is greater
 * than both. */
static void find_in_page(crd_i_cursor *page, crd_text term, bool *is_found) {
    size_t same = 0;
    *is_found = false;
    for (; page->at < page->end && !page->failed; skip_lesser(page, same)) {
        uint64_t shared = crd_i_decode_varint(page), length = crd_i_decode_varint(page);
        if (!crd_i_cursor_holds(page, length, 1)) return;
        if (shared < same) return;
        if (shared == same) {
            size_t remainder = term.length - same, least = length < remainder ? (size_t)length : remainder, k = 0;
            const unsigned char *bytes = page->at, *wanted = (const unsigned char *)term.bytes + same;
            while (k < least && bytes[k] == wanted[k]) k++;
            if (k < least ? bytes[k] > wanted[k] : length > remainder) return;
            same += k;
            *is_found = same == term.length && k == length;
        }
        page->at += length;
        if (*is_found) return;
        const unsigned char *after = page->end - page->at >= PLAIN_ROOM ? skip_plain_counts(page->at) : NULL;
        if (after != NULL) page->at = after;
        else crd_i_term_skip_counts(page);
    }
}

crd_status crd_i_term_store_find(const crd_i_term_store *store, crd_text term, crd_i_term_counts *out, bool *is_found,
                                 crd_error *error) {
    *is_found = false;
    out->count = 0;
    size_t page = find_page(store, term);
    if (page == SIZE_MAX) return CRD_OK;
    crd_i_cursor cursor;
    crd_status status = crd_i_term_store_page(store, page, &cursor, error);
    if (status != CRD_OK) return status;
    cursor.end -= CRD_I_PAGE_CHECKSUM;
    find_in_page(&cursor, term, is_found);
    if (cursor.failed) return crd_i_term_store_damaged(store, "a page of terms is invalid", error);
    if (!*is_found) return CRD_OK;
    status = term_store_read_counts(store, &cursor, term.length == 0, out, error);
    *is_found = status == CRD_OK;
    return status;
}

crd_status crd_i_term_store_lengths(const crd_i_term_store *store, crd_i_term_counts *out, crd_error *error) {
    const crd_text lengths = {"", 0};
    bool is_found;
    return crd_i_term_store_find(store, lengths, out, &is_found, error);
}

void crd_i_term_cursor_begin(const crd_i_term_store *store, crd_i_term_cursor *cursor) {
    memset(cursor, 0, sizeof *cursor);
    cursor->store = store;
    cursor->term.context = store->context;
}

void crd_i_term_cursor_end(crd_i_term_cursor *cursor) {
    crd_i_buffer_clear(&cursor->term);
}

crd_status crd_i_term_cursor_next(crd_i_term_cursor *cursor, crd_text *term, crd_i_term_counts *out, bool *more,
                                  crd_error *error) {
    const crd_i_term_store *store = cursor->store;
    crd_i_cursor *other_cursor = &cursor->cursor;
    *more = false;
    out->count = 0;
    for (;;) {
        if (other_cursor->at == other_cursor->end) {
            if (cursor->page == store->page_count) return CRD_OK;
            crd_status status = crd_i_term_store_page(store, cursor->page++, other_cursor, error);
            if (status != CRD_OK) return status;
            other_cursor->end -= CRD_I_PAGE_CHECKSUM;
            cursor->term.length = 0;
        }
        if (!crd_i_term_decode(other_cursor, &cursor->term)) return crd_i_fail_memory(error);
        if (other_cursor->failed) return crd_i_term_store_damaged(store, "a page of terms is invalid", error);
        crd_status status = term_store_read_counts(store, other_cursor, cursor->term.length == 0, out, error);
        if (status != CRD_OK) return status;
        if (cursor->term.length > 0) break;
    }
    term->bytes = (const char *)cursor->term.bytes;
    term->length = cursor->term.length;
    *more = true;
    return CRD_OK;
}
