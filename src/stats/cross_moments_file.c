/* SPDX-License-Identifier: MIT */
/* cross_moments_file.c - the file format of cross-moments.
 *
 * First comes the weight of the incomplete rows under each condition, in a window (exact_sums_file.h). Then for each
 * condition a u8: 1 if it has sums of complete rows, 2 if it has sums of incomplete rows, 3 if it has both. The arrays
 * of these sums (exact_products.h) follow, each in its own window. */
#include "stats/cross_moments_internal.h"

#include "base/error.h"
#include "stats/exact_sums_file.h"

#include <math.h>

enum { HAS_COMPLETE = 1, HAS_INCOMPLETE = 2 };

static void write_products(const crd_i_products *products, crd_i_encoder *encoder) {
    for (size_t a = 0; a < crd_i_products_array_count(products); a++) {
        const crd_i_sums *sums = crd_i_products_array_const(products, a);
        crd_i_window window = crd_i_window_begin(encoder, sums);
        for (size_t cell = 0; cell < sums->cells; cell++) crd_i_window_cell(encoder, window, sums, cell);
    }
}

void crd_i_cross_write(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view,
                       crd_i_encoder *encoder) {
    const crd_i_cross *cross = (const crd_i_cross *)joint_tally;
    crd_i_window window = crd_i_window_begin(encoder, &cross->left_out);
    for (size_t i = 0; i < view->condition_count; i++) {
        size_t condition = (size_t)view->conditions[i];
        if (condition < joint_tally->conditions) crd_i_window_cell(encoder, window, &cross->left_out, condition);
        else
            for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
    }
    for (size_t i = 0; i < view->condition_count; i++) {
        const crd_i_products *complete = crd_i_cross_products(joint_tally, (size_t)view->conditions[i]);
        const crd_i_products *incomplete = crd_i_cross_incomplete(joint_tally, (size_t)view->conditions[i]);
        crd_i_encode_u8(encoder,
                        (uint8_t)((complete != NULL ? HAS_COMPLETE : 0) | (incomplete != NULL ? HAS_INCOMPLETE : 0)));
        if (complete != NULL) write_products(complete, encoder);
        if (incomplete != NULL) write_products(incomplete, encoder);
    }
}

/* Sets *possible to false if all sums are zero or if some column has a mean that is not finite. false: out of
 * memory. */
static bool check_means(const crd_i_cross *cross, const crd_i_products *products, bool is_incomplete, bool *possible) {
    *possible = *possible && !crd_i_products_is_zero(products);
    for (size_t i = 0; *possible && i < cross->count; i++) {
        double mean = 0;
        bool defined;
        crd_i_comoment_cell cell =
            is_incomplete ? crd_i_cross_pair(products, cross->count, i, i) : crd_i_products_cell(products, i, i);
        if (!crd_i_comoments_mean(cell, &mean, NULL, &defined) && (defined || !is_incomplete)) return false;
        *possible = isfinite(mean);
    }
    return true;
}

/* Checks whether some rows can produce these sums, as far as necessary conditions show it. */
static crd_status cross_moments_file_check(const crd_i_cross *cross, size_t condition, crd_error *error) {
    const crd_i_products *complete = cross->products[condition], *incomplete = cross->incomplete[condition];
    bool possible;
    if (!crd_i_cross_is_possible(cross, condition, &possible)) return crd_i_fail_memory(error);
    if ((complete != NULL && !check_means(cross, complete, false, &possible)) ||
        (incomplete != NULL && !check_means(cross, incomplete, true, &possible)))
        return crd_i_fail_memory(error);
    double rows = crd_i_sums_value(&cross->left_out, condition);
    if (complete != NULL) rows += crd_i_sums_value(crd_i_products_total(complete), 0);
    if (rows > CRD_I_MOST_ROWS) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is too large");
    if (incomplete != NULL && crd_i_sums_value(crd_i_products_total(incomplete), 0) > rows) possible = false;
    return possible ? CRD_OK : crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products are impossible");
}

static crd_status cross_moments_file_read_products(crd_i_products *into, crd_i_cursor *cursor, crd_error *error) {
    if (into == NULL) return crd_i_fail_memory(error);
    for (size_t a = 0; a < crd_i_products_array_count(into); a++) {
        crd_i_sums *sums = crd_i_products_array(into, a);
        crd_status status = crd_i_window_read(cursor, sums, sums->cells, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_cross_read(crd_i_joint_tally *joint_tally, crd_i_cursor *cursor, crd_error *error) {
    crd_i_cross *cross = (crd_i_cross *)joint_tally;
    if (cross->count > CRD_I_CROSS_MOST_COLUMNS)
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products have too many columns");
    crd_status status = crd_i_window_read(cursor, &cross->left_out, joint_tally->conditions, error);
    for (size_t k = 0; status == CRD_OK && k < joint_tally->conditions; k++) {
        uint8_t has = crd_i_decode_u8(cursor);
        if (cursor->failed || has > (HAS_COMPLETE | HAS_INCOMPLETE))
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products are truncated, or have invalid marks");
        if (has & HAS_COMPLETE)
            status = cross_moments_file_read_products(crd_i_cross_complete_of(cross, k), cursor, error);
        if (status == CRD_OK && (has & HAS_INCOMPLETE))
            status = cross_moments_file_read_products(crd_i_cross_incomplete_of(cross, k), cursor, error);
        if (status == CRD_OK) status = cross_moments_file_check(cross, k, error);
    }
    return status;
}
