/* SPDX-License-Identifier: MIT */
/* exact_sums_file.c - see exact_sums_file.h. */
#include "stats/exact_sums_file.h"

#include "base/error.h"

crd_i_window crd_i_window_begin(crd_i_encoder *encoder, const crd_i_sums *sums) {
    crd_i_window window;
    crd_i_sums_trimmed(sums, &window.base, &window.width);
    crd_i_encode_u32(encoder, (uint32_t)window.base);
    crd_i_encode_u32(encoder, window.width);
    return window;
}

void crd_i_window_cell(crd_i_encoder *encoder, crd_i_window window, const crd_i_sums *sums, size_t cell) {
    if (window.width == 0) return; /* all sums are zero, and may have no limbs at all */
    if (window.base == sums->base && window.width == sums->width) {
        crd_i_encode_u64s(encoder, sums->limbs + cell * sums->width, sums->width);
        return;
    }
    for (uint32_t i = 0; i < window.width; i++)
        crd_i_encode_u64(encoder, crd_i_sums_limb(sums, cell, window.base + (int32_t)i));
}

crd_status crd_i_window_read(crd_i_cursor *cursor, crd_i_sums *sums, uint64_t count, crd_error *error) {
    int64_t base = (int32_t)crd_i_decode_u32(cursor);
    uint32_t width = crd_i_decode_u32(cursor);
    if (cursor->failed) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a sum is truncated");
    if (width > CRD_I_SUMS_MOST_WIDTH || base < CRD_I_SUMS_LEAST_BASE ||
        base + width > CRD_I_SUMS_LEAST_BASE + (int64_t)CRD_I_SUMS_MOST_WIDTH)
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a sum is too wide");
    if (width > 0 && !crd_i_cursor_holds(cursor, count, (size_t)width * sizeof(uint64_t)))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a sum is truncated");
    if (count > SIZE_MAX || !crd_i_sums_extend(sums, (size_t)count) ||
        !crd_i_sums_set_window(sums, (int32_t)base, width))
        return crd_i_fail_memory(error);
    if (width > 0) crd_i_decode_u64s(cursor, sums->limbs, (size_t)count * width);

    int32_t least_base;
    uint32_t least_width;
    crd_i_sums_trimmed(sums, &least_base, &least_width);
    if (least_base != base || least_width != width)
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a sum is not stored in its minimum width");
    return CRD_OK;
}
