/* SPDX-License-Identifier: MIT */
/* term_store_file.c - the head of a term store in a file. Its pages are stored elsewhere in the file, unchanged.
 *
 *   block of sums   documents of each condition
 *   block of sums   occurrences of terms in them
 *   u64 each        distinct terms of each condition
 *   u64             distinct terms
 *   u64             offset of its pages
 *   u32             number of pages
 *   u32 each        length of each page, with its checksum
 *   u32 each        length of the first term of each page
 *   bytes           these terms, ascending; the first is empty */
#include "stats/term_store_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stats/exact_sums_file.h"
#include "stats/term_store_internal.h"

#include <string.h>

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
        crd_status status = crd_i_term_store_page(store, i, &page, error);
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
        if (crd_i_text_compare(crd_i_term_store_first(store, i - 1), crd_i_term_store_first(store, i)) >= 0)
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
    crd_i_term_store_round(store);
    status = term_store_file_read_pages(cursor, store, error);
    if (status == CRD_OK && store->terms > crd_i_term_store_page_bytes(store))
        status = term_store_file_damaged(error, "there are more terms than the pages contain");
    return status;
}

crd_status crd_i_term_store_read_head(crd_context *context, size_t conditions, crd_i_cursor *cursor,
                                      crd_i_term_store **out, crd_error *error) {
    *out = NULL;
    crd_i_term_store *store = crd_i_term_store_create(context, conditions);
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
