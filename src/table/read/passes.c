/* SPDX-License-Identifier: MIT */
/* passes.c - repeats passes over all rows of a reader, each with a thread pool, until one is valid. See reader.h. */
#include "table/read/reader.h"

#include "base/call.h"

int crd_i_reader_end_weight(crd_status status) {
    switch (status) {
    case CRD_OK: return 0;
    case CRD_RESTART: return 1;
    case CRD_ERROR_CANCELLED: return 2;
    default: return 3;
    }
}

/* Returns whether one worker must read all rows. Workers count categories separately, so near the limit only a
 * single worker can find whether and where it is exceeded, and whether an earlier error exists. */
static bool is_for_one_alone(const crd_reader *reader, crd_status status) {
    if (status == CRD_OK || status == CRD_RESTART || status == CRD_ERROR_MEMORY || crd_i_is_cancelled(status) ||
        !crd_i_reader_can_reread(reader))
        return false;
    return status == CRD_ERROR_LIMIT || crd_i_reader_check_categories(reader, NULL) != CRD_OK;
}

crd_status crd_i_reader_make_passes(crd_reader *reader, crd_i_reader_pass *pass, void *state, crd_error *error) {
    unsigned most = crd_reader_threads(reader);
    for (bool is_again = false;;) {
        crd_error fault = {.status = CRD_OK};
        unsigned size = 1;
        crd_status status = is_again ? crd_reader_begin_again(reader, &fault) : CRD_OK;
        if (status == CRD_OK) {
            size = most;
            crd_i_reader_begin_pass(reader);
            status = pass(state, &size, &fault);
        }
        const bool is_for_one = size > 1 && is_for_one_alone(reader, status);
        if (is_for_one) most = 1;
        else status = crd_i_reader_agree(reader, status, &fault);
        is_again = is_for_one || status == CRD_RESTART;
        if (is_again) continue;
        if (status != CRD_OK && error != NULL) *error = fault;
        return status;
    }
}
