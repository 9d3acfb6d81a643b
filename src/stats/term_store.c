/* SPDX-License-Identifier: MIT */
/* term_store.c - reads, merges, writes and checks term stores. See term_store.h.
 *
 * Contents:
 *   1. Pages and terms
 *   2. Store head
 *   3. Merging
 *   4. Validation */
#include "stats/term_store.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/section.h"
#include "stats/exact_sums_file.h"

#include <math.h>
#include <string.h>

/* ======== 1. Pages and terms ======== */

void crd_i_term_counts_clear(crd_i_term_counts *counts) {
    crd_free(counts->context, counts->entries);
    if (counts->exact.context != NULL) crd_i_term_entries_clear(&counts->exact);
    counts->entries = NULL;
    counts->count = counts->capacity = 0;
}

/* Creates a store without pages, all counts zero. NULL: out of memory. */
static crd_i_term_store *term_store_create(crd_context *context, size_t conditions) {
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

/* Computes the rounded counts. Call it once the documents are known. */
static void term_store_round(crd_i_term_store *store) {
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

static crd_status term_store_damaged(const crd_i_term_store *store, const char *description, crd_error *error) {
    return crd_i_page_source_damaged(store->source, description, error);
}

static crd_text term_store_first(const crd_i_term_store *store, size_t page) {
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
        status = term_store_damaged(store, "the checksum of a page of terms is wrong", error);
    crd_i_page none = NULL;
    if (status != CRD_OK || !atomic_compare_exchange_strong_explicit(&store->pages[page], &none, bytes,
                                                                     memory_order_acq_rel, memory_order_acquire))
        crd_free(store->context, copy);
    return status;
}

/* Returns the bytes of a page, including its checksum, which is verified. */
static crd_status term_store_page(const crd_i_term_store *store, size_t page, crd_i_cursor *out, crd_error *error) {
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
    if (cursor->failed) return term_store_damaged(store, "the counts of a term are invalid", error);
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
            return term_store_damaged(store, "a term is in more documents than exist", error);
    }
    out->count = exact->count;
    return CRD_OK;
}

/* Returns the page that may contain the term: the last page whose first term is not greater. SIZE_MAX: none. */
static size_t find_page(const crd_i_term_store *store, crd_text term) {
    size_t begin = 0, end = store->page_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (crd_i_text_compare(term_store_first(store, middle), term) <= 0) begin = middle + 1;
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
    crd_status status = term_store_page(store, page, &cursor, error);
    if (status != CRD_OK) return status;
    cursor.end -= CRD_I_PAGE_CHECKSUM;
    find_in_page(&cursor, term, is_found);
    if (cursor.failed) return term_store_damaged(store, "a page of terms is invalid", error);
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
            crd_status status = term_store_page(store, cursor->page++, other_cursor, error);
            if (status != CRD_OK) return status;
            other_cursor->end -= CRD_I_PAGE_CHECKSUM;
            cursor->term.length = 0;
        }
        if (!crd_i_term_decode(other_cursor, &cursor->term)) return crd_i_fail_memory(error);
        if (other_cursor->failed) return term_store_damaged(store, "a page of terms is invalid", error);
        crd_status status = term_store_read_counts(store, other_cursor, cursor->term.length == 0, out, error);
        if (status != CRD_OK) return status;
        if (cursor->term.length > 0) break;
    }
    term->bytes = (const char *)cursor->term.bytes;
    term->length = cursor->term.length;
    *more = true;
    return CRD_OK;
}

/* ======== 2. Store head ========
 *
 * A file contains the head of a store. The pages are stored elsewhere in the file, unchanged.
 *
 *   block of sums   documents of each condition
 *   block of sums   occurrences of terms in them
 *   u64 each        distinct terms of each condition
 *   u64             distinct terms
 *   u64             offset of its pages
 *   u32             number of pages
 *   u32 each        length of each page, with its checksum
 *   u32 each        length of the first term of each page
 *   bytes           these terms, ascending; the first is empty. */

uint64_t crd_i_term_store_page_bytes(const crd_i_term_store *store) {
    return store->page_count == 0 ? 0 : store->page_ends[store->page_count - 1];
}

static void term_store_file_write_sums(crd_i_encoder *encoder, const crd_i_sums *sums) {
    crd_i_window window = crd_i_window_begin(encoder, sums);
    for (size_t i = 0; i < sums->cells; i++) crd_i_window_cell(encoder, window, sums, i);
}

static void write_lengths(crd_i_encoder *encoder, const uint64_t *ends, size_t count) {
    for (size_t i = 0; i < count; i++) crd_i_encode_u32(encoder, (uint32_t)(ends[i] - (i == 0 ? 0 : ends[i - 1])));
}

void crd_i_term_store_write_head(const crd_i_term_store *store, uint64_t begin, crd_i_encoder *encoder) {
    term_store_file_write_sums(encoder, &store->documents);
    term_store_file_write_sums(encoder, &store->occurrences);
    crd_i_encode_u64s(encoder, store->distinct, store->conditions);
    crd_i_encode_u64(encoder, store->terms);
    crd_i_encode_u64(encoder, begin);
    crd_i_encode_u32(encoder, (uint32_t)store->page_count);
    write_lengths(encoder, store->page_ends, store->page_count);
    write_lengths(encoder, store->first_ends, store->page_count);
    if (store->page_count > 0)
        crd_i_encode_bytes(encoder, store->firsts, (size_t)store->first_ends[store->page_count - 1]);
}

crd_status crd_i_term_store_write_pages(const crd_i_term_store *store, crd_i_encoder *encoder, crd_error *error) {
    for (size_t i = 0; i < store->page_count; i++) {
        crd_i_cursor page;
        crd_status status = term_store_page(store, i, &page, error);
        if (status != CRD_OK) return status;
        crd_i_encode_bytes(encoder, page.at, (size_t)(page.end - page.at));
    }
    return encoder->failed ? crd_i_fail_memory(error) : CRD_OK;
}

/* ---- Reading ---- */

static crd_status term_store_file_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "%s", description);
}

static bool are_counts(const crd_i_sums *sums) {
    bool are = true;
    for (size_t i = 0; are && i < sums->cells; i++) are = crd_i_sums_sign(sums, i) >= 0;
    return are;
}

/* Reads `count` lengths and computes the end offsets. All lengths except the first must be at least `least`. */
static crd_status read_ends(crd_i_cursor *cursor, size_t count, uint32_t least, uint64_t *ends, crd_error *error) {
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t length = crd_i_decode_u32(cursor);
        if (length < least && i > 0) return term_store_file_damaged(error, "a page of terms is too short");
        ends[i] = end += length;
    }
    return CRD_OK;
}

/* Reads the list of pages and their first terms, and checks that the terms ascend. */
static crd_status term_store_file_read_pages(crd_i_cursor *cursor, crd_i_term_store *store, crd_error *error) {
    enum { OF_EACH_PAGE = 8, LEAST_PAGE = CRD_I_PAGE_CHECKSUM + 3 };
    uint32_t count = crd_i_decode_u32(cursor);
    if (count == 0 || !crd_i_cursor_holds(cursor, count, OF_EACH_PAGE))
        return term_store_file_damaged(error, "a list of pages is too short");
    store->page_ends = crd_i_alloc(store->context, count, sizeof *store->page_ends);
    store->first_ends = crd_i_alloc(store->context, count, sizeof *store->first_ends);
    store->pages = crd_i_alloc_zeroed(store->context, count, sizeof *store->pages);
    if (store->page_ends == NULL || store->first_ends == NULL || store->pages == NULL) return crd_i_fail_memory(error);
    crd_status status = read_ends(cursor, count, LEAST_PAGE, store->page_ends, error);
    if (status == CRD_OK) status = read_ends(cursor, count, 1, store->first_ends, error);
    if (status != CRD_OK) return status;
    if (store->page_ends[0] < LEAST_PAGE || store->first_ends[0] != 0 ||
        !crd_i_cursor_holds(cursor, store->first_ends[count - 1], 1))
        return term_store_file_damaged(error, "a list of pages is too short");
    size_t length = (size_t)store->first_ends[count - 1];
    store->firsts = crd_i_alloc(store->context, length, 1);
    if (store->firsts == NULL) return crd_i_fail_memory(error);
    if (length > 0) memcpy(store->firsts, cursor->at, length);
    cursor->at += length;
    store->page_count = count;
    for (size_t i = 1; i < count; i++)
        if (crd_i_text_compare(term_store_first(store, i - 1), term_store_first(store, i)) >= 0)
            return term_store_file_damaged(error, "pages of terms are not in order");
    return CRD_OK;
}

/* Reads the head and checks its counts for consistency. */
static crd_status read_head(crd_i_cursor *cursor, crd_i_term_store *store, crd_error *error) {
    crd_status status = crd_i_window_read(cursor, &store->documents, store->conditions, error);
    if (status == CRD_OK) status = crd_i_window_read(cursor, &store->occurrences, store->conditions, error);
    if (status != CRD_OK) return status;
    if (!are_counts(&store->documents) || !are_counts(&store->occurrences))
        return term_store_file_damaged(error, "a number of documents is negative");
    if (!crd_i_cursor_holds(cursor, store->conditions, sizeof *store->distinct))
        return term_store_file_damaged(error, "a store of terms is too short");
    crd_i_decode_u64s(cursor, store->distinct, store->conditions);
    store->terms = crd_i_decode_u64(cursor);
    store->source_begin = crd_i_decode_u64(cursor);
    if (cursor->failed) return term_store_file_damaged(error, "a store of terms is too short");
    for (size_t i = 0; i < store->conditions; i++) {
        bool is_none = crd_i_sums_sign(&store->occurrences, i) == 0;
        if (store->distinct[i] > store->terms || is_none != (store->distinct[i] == 0))
            return term_store_file_damaged(error, "a class has more terms than the model");
    }
    term_store_round(store);
    status = term_store_file_read_pages(cursor, store, error);
    if (status == CRD_OK && store->terms > crd_i_term_store_page_bytes(store))
        status = term_store_file_damaged(error, "there are more terms than the pages contain");
    return status;
}

crd_status crd_i_term_store_read_head(crd_context *context, size_t conditions, crd_i_cursor *cursor,
                                      crd_i_term_store **out, crd_error *error) {
    *out = NULL;
    crd_i_term_store *store = term_store_create(context, conditions);
    if (store == NULL) return crd_i_fail_memory(error);
    crd_status status = read_head(cursor, store, error);
    if (status == CRD_OK) *out = store;
    else crd_i_term_store_release(store);
    return status;
}

crd_status crd_i_term_store_attach(crd_i_term_store *store, crd_i_page_source *source, uint64_t begin,
                                   crd_error *error) {
    uint64_t length = crd_i_page_source_length(source);
    if (store->source_begin != begin || begin > length || crd_i_term_store_page_bytes(store) > length - begin)
        return crd_i_page_source_damaged(source, "pages of terms are at the wrong place", error);
    crd_i_page_source_retain(source);
    store->source = source;
    return CRD_OK;
}

/* ======== 3. Merging ========
 *
 * Several stores and tables are merged into one store, in one pass over all of them in term order. */

/* ---- Writing pages ---- */

typedef struct page_writer {
    crd_i_term_store *store;
    crd_i_encoder pages;
    crd_i_buffer firsts, last; /* firsts: the first terms of all pages; last: the last term written */
    size_t ends_capacity, first_ends_capacity;
    size_t begin; /* offset of the open page */
    bool is_open;
} page_writer;

static void writer_clear(page_writer *writer) {
    crd_i_buffer_clear(&writer->pages.buffer);
    crd_i_buffer_clear(&writer->firsts);
    crd_i_buffer_clear(&writer->last);
}

static bool close_page(page_writer *writer) {
    crd_i_term_store *store = writer->store;
    crd_i_encoder *pages = &writer->pages;
    if (!writer->is_open) return true;
    if (!pages->failed)
        crd_i_encode_u32(pages,
                         crd_i_checksum(pages->buffer.bytes + writer->begin, pages->buffer.length - writer->begin));
    writer->is_open = false;
    if (pages->failed) return false;
    store->page_ends[store->page_count++] = pages->buffer.length;
    return true;
}

/* Registers a new page that begins with the term. */
static bool note_page(page_writer *writer, crd_text first) {
    crd_i_term_store *store = writer->store;
    size_t count = store->page_count + 1;
    if (!crd_i_reserve(store->context, &store->page_ends, &writer->ends_capacity, count, sizeof *store->page_ends) ||
        !crd_i_reserve(store->context, &store->first_ends, &writer->first_ends_capacity, count,
                       sizeof *store->first_ends) ||
        !crd_i_buffer_append(&writer->firsts, first.bytes, first.length))
        return false;
    store->first_ends[store->page_count] = writer->firsts.length;
    writer->begin = writer->pages.buffer.length;
    return true;
}

/* Writes a term with its counts, and starts a new page before it if the rules of term_store.h say so. */
static bool write_term(page_writer *writer, crd_text term, const crd_i_term_entries *entries) {
    bool is_long = writer->pages.buffer.length - writer->begin >= CRD_I_LONG_PAGE;
    if (writer->is_open && (is_long || crd_i_term_begins_page(term)) && !close_page(writer)) return false;
    if (!writer->is_open) {
        if (!note_page(writer, term)) return false;
        writer->is_open = true;
        writer->last.length = 0;
    }
    const crd_text before = {(const char *)writer->last.bytes, writer->last.length};
    crd_i_term_encode(&writer->pages, before, term, entries);
    writer->last.length = 0;
    return !writer->pages.failed && crd_i_buffer_append(&writer->last, term.bytes, term.length);
}

/* Copies a page of another store without decoding it. */
static bool term_merge_write_page(page_writer *writer, crd_text first, const crd_i_cursor *page) {
    if (!close_page(writer) || !note_page(writer, first)) return false;
    crd_i_encode_bytes(&writer->pages, page->at, (size_t)(page->end - page->at));
    if (writer->pages.failed) return false;
    writer->store->page_ends[writer->store->page_count++] = writer->pages.buffer.length;
    return true;
}

static bool writer_end(page_writer *writer) {
    crd_i_term_store *store = writer->store;
    if (!close_page(writer)) return false;
    store->source = crd_i_page_source_take(&writer->pages.buffer);
    store->pages = crd_i_alloc_zeroed(store->context, store->page_count, sizeof *store->pages);
    if (store->source == NULL || store->pages == NULL) return false;
    /* The pages were just written, so their checksums need no check. */
    const unsigned char *bytes = crd_i_page_source_bytes(store->source);
    for (size_t i = 0; i < store->page_count; i++)
        atomic_init(&store->pages[i], bytes + (i == 0 ? 0 : store->page_ends[i - 1]));
    store->firsts = writer->firsts.bytes;
    writer->firsts.bytes = NULL;
    return true;
}

/* ---- Reading inputs ---- */

typedef struct input_state {
    crd_i_term_input input;
    bool can_copy;   /* its pages can be copied to the result if no other input has a term in them */
    bool was_copied; /* the previous page was copied */
    bool is_at_end;
    crd_text term;              /* the next term to merge */
    size_t page;                /* for a store: index of the next page to open */
    crd_i_cursor cursor, whole; /* cursor: the remainder of the open page; whole: all of it */
    bool is_at_page;            /* the term is the first of its page */
    crd_i_buffer text;
    crd_i_term_key *sorted; /* for a table: its terms, sorted */
    size_t next;
} input_state;

static crd_status damaged_page(const input_state *state, crd_error *error) {
    return term_store_damaged(state->input.store, "a page of terms is invalid", error);
}

static crd_status open_page(input_state *state, crd_error *error) {
    const crd_i_term_store *store = state->input.store;
    crd_status status = term_store_page(store, state->page, &state->whole, error);
    if (status != CRD_OK) return status;
    state->cursor = state->whole;
    state->cursor.end -= CRD_I_PAGE_CHECKSUM;
    state->page++;
    state->text.length = 0;
    state->is_at_page = true;
    return CRD_OK;
}

/* Moves to the next term of an input. CRD_ERROR_DAMAGED: a page is not a canonical encoding. */
static crd_status term_merge_advance(input_state *state, crd_error *error) {
    const crd_i_term_store *store = state->input.store;
    if (store == NULL) {
        state->is_at_end = state->next == crd_i_term_table_terms(state->input.table);
        if (!state->is_at_end)
            state->term = crd_i_term_table_text(state->input.table, state->sorted[state->next++].code);
        return CRD_OK;
    }
    state->is_at_page = false;
    bool is_first = state->page == 0;
    if (state->cursor.at == state->cursor.end) {
        state->is_at_end = state->page == store->page_count;
        if (state->is_at_end) return CRD_OK;
        crd_status status = open_page(state, error);
        if (status != CRD_OK) return status;
    }
    if (!crd_i_term_decode(&state->cursor, &state->text)) return crd_i_fail_memory(error);
    const crd_text term = {(const char *)state->text.bytes, state->text.length};
    if (state->cursor.failed || (term.length == 0) != is_first) return damaged_page(state, error);
    if (state->is_at_page && !crd_text_equal(term, term_store_first(store, state->page - 1)))
        return damaged_page(state, error);
    state->term = term;
    return CRD_OK;
}

/* Appends the counts of the input's current term, and advances. */
static crd_status term_merge_take(input_state *state, page_writer *writer, crd_i_term_entries *entries,
                                  crd_error *error) {
    const crd_i_term_input *input = &state->input;
    if (input->store == NULL) {
        uint32_t code = state->sorted[state->next - 1].code;
        if (!crd_i_term_table_read(input->table, code, input->conditions, input->sign, entries))
            return crd_i_fail_memory(error);
        return term_merge_advance(state, error);
    }
    size_t first = entries->count;
    if (!crd_i_term_decode_counts(&state->cursor, state->term.length == 0, input->store->conditions, input->conditions,
                                  input->sign, entries))
        return crd_i_fail_memory(error);
    if (state->cursor.failed) return damaged_page(state, error);
    /* The result counts this term again, although begin_input counted it with the whole store. */
    if (state->can_copy && state->term.length > 0) {
        writer->store->terms--;
        for (size_t i = first; i < entries->count; i++)
            if (i == first || entries->entry[i].condition != entries->entry[i - 1].condition)
                writer->store->distinct[entries->entry[i].condition]--;
    }
    state->was_copied = false;
    return term_merge_advance(state, error);
}

/* ---- Merging ---- */

typedef struct merge_merging {
    crd_context *context;
    input_state *inputs;
    size_t count;
    bool is_checked; /* an input is subtracted */
    page_writer writer;
    crd_i_term_entries entries;
    crd_i_term_fault *fault;
    uint64_t steps;
} merge_merging;

static void begin_fault(const merge_merging *work, crd_text term, size_t i, double left) {
    crd_i_term_fault fault = {.is_found = true, .is_length = term.length == 0, .left = left};
    fault.times = work->entries.entry[i].times;
    fault.condition = work->entries.entry[i].condition;
    _Static_assert(sizeof fault.term == CRD_I_QUOTED_ROOM, "a quoted term has another size");
    crd_i_quote(term, fault.term);
    *work->fault = fault;
}

/* Records a fault if a count of the term is negative, or if it is in more documents than exist. */
static void check_term(const merge_merging *work, crd_text term) {
    const crd_i_term_entries *entries = &work->entries;
    double documents = 0;
    for (size_t i = 0; i < entries->count && !work->fault->is_found; i++) {
        size_t condition = entries->entry[i].condition;
        double value = crd_i_term_entries_value(entries, i);
        documents = value + (i > 0 && condition == entries->entry[i - 1].condition ? documents : 0);
        if (crd_i_term_entries_sign(entries, i) < 0) begin_fault(work, term, i, value);
        else if (term.length > 0 && documents > work->writer.store->most[condition]) {
            begin_fault(work, term, i, documents);
            work->fault->is_excess = true;
        }
    }
}

/* Computes the number of documents of each condition, and of term occurrences in them, from the document lengths. */
static bool count_lengths(crd_i_term_store *store, const crd_i_term_entries *entries) {
    bool done = true;
    for (size_t i = 0; done && i < entries->count; i++) {
        const crd_i_term_entry *entry = &entries->entry[i];
        double times = entry->times;
        if (entry->cell != SIZE_MAX) {
            done = crd_i_sums_combine(&store->documents, entry->condition, &entries->sums, entry->cell, 1) &&
                   crd_i_sums_add_scaled(&store->occurrences, entry->condition, &entries->sums, entry->cell, times);
        } else {
            int64_t high = entry->whole / INT64_C(0x100000000), low = entry->whole % INT64_C(0x100000000);
            done = crd_i_sums_add_integer(&store->documents, entry->condition, entry->whole) &&
                   crd_i_sums_add_product(&store->occurrences, entry->condition, (double)low, times) &&
                   (high == 0 ||
                    crd_i_sums_add_product(&store->occurrences, entry->condition, (double)high * 0x1p32, times));
        }
    }
    return done;
}

static void term_merge_count(crd_i_term_store *store, const crd_i_term_entries *entries) {
    store->terms++;
    for (size_t i = 0; i < entries->count; i++)
        if (i == 0 || entries->entry[i].condition != entries->entry[i - 1].condition)
            store->distinct[entries->entry[i].condition]++;
}

/* Returns the input with the first term in byte order; NULL: all inputs are at their end. *second becomes the input
 * with the next term among the others; NULL: none. */
static input_state *term_merge_find_first(const merge_merging *work, const input_state **second) {
    input_state *first = NULL;
    *second = NULL;
    for (size_t i = 0; i < work->count; i++) {
        input_state *state = &work->inputs[i];
        if (state->is_at_end) continue;
        if (first == NULL || crd_i_text_compare(state->term, first->term) < 0) {
            *second = first;
            first = state;
        } else if (*second == NULL || crd_i_text_compare(state->term, (*second)->term) < 0) {
            *second = state;
        }
    }
    return first;
}

/* Returns whether the current page of an input can be copied to the result: see CRD_I_LONG_PAGE. It cannot if another
 * input has a term in it. Nor can it if another input may remove the first term of the next page, which ends this
 * page. */
static bool is_copied(const merge_merging *work, const input_state *state, const input_state *second) {
    const crd_i_term_store *store = state->input.store;
    if (!state->can_copy || !state->is_at_page || state->page == 1) return false;
    if (!state->was_copied && !crd_i_term_begins_page(state->term)) return false;
    if (second != NULL) {
        if (state->page == store->page_count) return false;
        int order = crd_i_text_compare(second->term, term_store_first(store, state->page));
        if (order < 0 || (order == 0 && work->is_checked)) return false;
    }
    crd_i_cursor terms = state->whole;
    terms.end -= CRD_I_PAGE_CHECKSUM;
    return !work->is_checked || crd_i_term_page_is_within(terms, work->writer.store->most, store->conditions);
}

/* Merges the counts of one term from all inputs and writes it. `first` is an input that has the term. */
static crd_status merge_next(merge_merging *work, input_state *first, crd_text term, crd_error *error) {
    crd_i_term_entries *entries = &work->entries;
    crd_i_term_entries_empty(entries);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < work->count; i++) {
        input_state *state = &work->inputs[i];
        if (state != first && !state->is_at_end && crd_text_equal(state->term, term))
            status = term_merge_take(state, &work->writer, entries, error);
    }
    if (status == CRD_OK) status = term_merge_take(first, &work->writer, entries, error);
    if (status != CRD_OK) return status;
    if (!crd_i_term_entries_sort(entries)) return crd_i_fail_memory(error);
    bool done = term.length > 0 || count_lengths(work->writer.store, entries);
    if (term.length == 0) term_store_round(work->writer.store);
    if (done && work->is_checked) check_term(work, term);
    if (!done || work->fault->is_found || entries->count == 0) return done ? CRD_OK : crd_i_fail_memory(error);
    if (term.length > 0) term_merge_count(work->writer.store, entries);
    return write_term(&work->writer, term, entries) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status merge_all(merge_merging *work, crd_error *error) {
    crd_i_buffer term = {.context = work->context};
    crd_status status = CRD_OK;
    const input_state *second;
    for (input_state *first = term_merge_find_first(work, &second);
         status == CRD_OK && first != NULL && !work->fault->is_found; first = term_merge_find_first(work, &second)) {
        if ((++work->steps & 4095) == 0 && crd_i_context_cancelled(work->context)) {
            status = crd_i_fail_cancelled(error);
        } else if (is_copied(work, first, second)) {
            if (!term_merge_write_page(&work->writer, first->term, &first->whole)) status = crd_i_fail_memory(error);
            first->was_copied = true;
            first->cursor.at = first->cursor.end;
            if (status == CRD_OK) status = term_merge_advance(first, error);
        } else {
            /* Copy the term, because it is invalid after its input has advanced. */
            term.length = 0;
            if (!crd_i_buffer_append(&term, first->term.bytes, first->term.length)) status = crd_i_fail_memory(error);
            const crd_text copy = {(const char *)term.bytes, term.length};
            if (status == CRD_OK) status = merge_next(work, first, copy, error);
        }
    }
    crd_i_buffer_clear(&term);
    return status;
}

static bool term_merge_is_identity(const crd_i_term_input *input) {
    bool is = true;
    for (size_t i = 0; is && i < input->store->conditions; i++) is = input->conditions[i] == i;
    return is;
}

static crd_status begin_input(merge_merging *work, input_state *state, const crd_i_term_input *input,
                              crd_error *error) {
    crd_i_term_store *store = work->writer.store;
    state->input = *input;
    state->text.context = work->context;
    if (input->store == NULL) {
        state->sorted = crd_i_term_table_sort(input->table);
        if (state->sorted == NULL) return crd_i_fail_memory(error);
        return term_merge_advance(state, error);
    }
    state->can_copy = input->sign > 0 && !input->is_read && term_merge_is_identity(input);
    if (state->can_copy) {
        store->terms += input->store->terms;
        for (size_t i = 0; i < input->store->conditions; i++) store->distinct[i] += input->store->distinct[i];
    }
    return term_merge_advance(state, error);
}

static void merging_clear(merge_merging *work) {
    for (size_t i = 0; work->inputs != NULL && i < work->count; i++) {
        crd_free(work->context, work->inputs[i].sorted);
        crd_i_buffer_clear(&work->inputs[i].text);
    }
    crd_free(work->context, work->inputs);
    crd_i_term_entries_clear(&work->entries);
    writer_clear(&work->writer);
}

crd_status crd_i_term_merge(crd_context *context, const crd_i_term_input *inputs, size_t count, size_t conditions,
                            crd_i_term_store **out, crd_i_term_fault *fault, crd_error *error) {
    merge_merging work = {.context = context, .count = count, .fault = fault};
    crd_status status = CRD_OK;
    *out = NULL;
    fault->is_found = false;
    for (size_t i = 0; i < count; i++) work.is_checked = work.is_checked || inputs[i].sign < 0;
    work.writer.pages.buffer.context = work.writer.firsts.context = work.writer.last.context = context;
    crd_i_term_entries_init(&work.entries, context);
    crd_i_term_store *store = work.writer.store = term_store_create(context, conditions);
    work.inputs = crd_i_alloc_zeroed(context, count, sizeof *work.inputs);
    if (store == NULL || work.inputs == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = begin_input(&work, &work.inputs[i], &inputs[i], error);
    if (status == CRD_OK) status = merge_all(&work, error);
    if (status == CRD_OK && !fault->is_found && !writer_end(&work.writer)) status = crd_i_fail_memory(error);
    merging_clear(&work);
    if (status == CRD_OK && !fault->is_found) *out = store;
    else crd_i_term_store_release(store);
    return status;
}

/* ======== 4. Validation ========
 *
 * Stores are canonical. Therefore a valid store does not change if only this store is merged. */

/* Reads all pages, and checks that no term is in more documents than exist. */
static crd_status check_pages(const crd_i_term_store *store, crd_error *error) {
    for (size_t i = 0; i < store->page_count; i++) {
        crd_i_cursor page;
        crd_status status = term_store_page(store, i, &page, error);
        if (status != CRD_OK) return status;
        page.end -= CRD_I_PAGE_CHECKSUM;
        /* The first page contains document lengths. That page, and pages with fractional weights, are read term by
         * term. */
        if (i > 0 && crd_i_term_page_is_within(page, store->most, store->conditions)) continue;
        crd_i_term_cursor cursor;
        crd_i_term_counts counts = {.context = store->context};
        crd_i_term_cursor_begin(store, &cursor);
        cursor.page = i;
        bool more = true;
        do {
            crd_text term;
            status = crd_i_term_cursor_next(&cursor, &term, &counts, &more, error);
        } while (status == CRD_OK && more && (cursor.page == i + 1 && cursor.cursor.at < cursor.cursor.end));
        crd_i_term_cursor_end(&cursor);
        crd_i_term_counts_clear(&counts);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Checks that the occurrences of all terms add up to the total length of the documents, apart from rounding. */
static crd_status check_occurrences(const crd_i_term_store *store, crd_error *error) {
    crd_i_term_cursor cursor;
    crd_i_term_counts counts = {.context = store->context};
    crd_status status = CRD_OK;
    double *sums = crd_i_alloc_zeroed(store->context, store->conditions, sizeof *sums);
    if (sums == NULL) return crd_i_fail_memory(error);
    crd_i_term_cursor_begin(store, &cursor);
    for (bool more = true; status == CRD_OK && more;) {
        crd_text term;
        status = crd_i_term_cursor_next(&cursor, &term, &counts, &more, error);
        for (size_t i = 0; status == CRD_OK && i < counts.count; i++)
            sums[counts.entries[i].condition] += counts.entries[i].times * counts.entries[i].documents;
    }
    crd_i_term_cursor_end(&cursor);
    crd_i_term_counts_clear(&counts);
    for (size_t i = 0; status == CRD_OK && i < store->conditions; i++) {
        double stated = crd_i_term_store_occurrences(store, i);
        if (!(fabs(sums[i] - stated) <= 1e-6 * stated))
            status = term_store_damaged(store, "term counts do not match the document lengths", error);
    }
    crd_free(store->context, sums);
    return status;
}

static bool same_sums(const crd_i_sums *a, const crd_i_sums *b) {
    bool are = true;
    for (size_t i = 0; are && i < a->cells; i++) {
        crd_i_magnitude x = crd_i_sums_magnitude(a, i), y = crd_i_sums_magnitude(b, i);
        are = x.low == y.low && x.end == y.end;
        for (int32_t limb = x.low; are && limb < x.end; limb++)
            are = crd_i_magnitude_limb(&x, limb) == crd_i_magnitude_limb(&y, limb);
    }
    return are;
}

/* Returns whether both stores have the same counts and byte-identical pages. */
static bool same_stores(const crd_i_term_store *a, const crd_i_term_store *b) {
    size_t pages = a->page_count;
    if (a->terms != b->terms || pages != b->page_count || !same_sums(&a->documents, &b->documents) ||
        !same_sums(&a->occurrences, &b->occurrences) ||
        memcmp(a->page_ends, b->page_ends, pages * sizeof *a->page_ends) != 0 ||
        memcmp(a->first_ends, b->first_ends, pages * sizeof *a->first_ends) != 0)
        return false;
    bool are = true;
    for (size_t i = 0; i < a->conditions; i++) are = are && a->distinct[i] == b->distinct[i];
    for (size_t i = 0; are && i < pages; i++) {
        crd_i_cursor x, y;
        are = term_store_page(a, i, &x, NULL) == CRD_OK && term_store_page(b, i, &y, NULL) == CRD_OK &&
              memcmp(x.at, y.at, (size_t)(x.end - x.at)) == 0;
    }
    return are;
}

/* Rewrites the store and compares the result with it. */
static crd_status check_fully(const crd_i_term_store *store, crd_error *error) {
    crd_context *context = store->context;
    size_t *conditions = crd_i_alloc(context, store->conditions, sizeof *conditions);
    crd_i_term_store *again = NULL;
    crd_i_term_fault fault = {.is_found = false};
    if (conditions == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < store->conditions; i++) conditions[i] = i;
    const crd_i_term_input input = {.store = store, .conditions = conditions, .sign = 1, .is_read = true};
    crd_status status = crd_i_term_merge(context, &input, 1, store->conditions, &again, &fault, error);
    if (status == CRD_OK && !same_stores(store, again))
        status = term_store_damaged(store, "terms are not in canonical form", error);
    crd_i_term_store_release(again);
    crd_free(context, conditions);
    return status;
}

crd_status crd_i_term_store_check(const crd_i_term_store *store, bool is_ours, crd_error *error) {
    crd_status status = check_pages(store, error);
    if (status == CRD_OK && !is_ours) status = check_fully(store, error);
    return status == CRD_OK && !is_ours ? check_occurrences(store, error) : status;
}
