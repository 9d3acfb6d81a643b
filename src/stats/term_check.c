/* SPDX-License-Identifier: MIT */
/* term_check.c - see term_check.h.
 *
 * Stores are canonical. So a valid store is written unchanged when it is merged with nothing else. */
#include "stats/term_check.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/term_merge.h"

#include <math.h>
#include <string.h>

/* Reads all pages, and checks that no term is in more documents than exist. */
static crd_status check_pages(const crd_i_term_store *store, crd_error *error) {
    for (size_t i = 0; i < store->page_count; i++) {
        crd_i_cursor page;
        crd_status status = crd_i_term_store_page(store, i, &page, error);
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
            status = crd_i_term_store_damaged(store, "term counts do not match the document lengths", error);
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
        are = crd_i_term_store_page(a, i, &x, NULL) == CRD_OK && crd_i_term_store_page(b, i, &y, NULL) == CRD_OK &&
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
        status = crd_i_term_store_damaged(store, "terms are not in canonical form", error);
    crd_i_term_store_release(again);
    crd_free(context, conditions);
    return status;
}

crd_status crd_i_term_store_check(const crd_i_term_store *store, bool is_ours, crd_error *error) {
    crd_status status = check_pages(store, error);
    if (status == CRD_OK && !is_ours) status = check_fully(store, error);
    return status == CRD_OK && !is_ours ? check_occurrences(store, error) : status;
}
