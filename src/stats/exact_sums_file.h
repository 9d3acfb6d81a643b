/* SPDX-License-Identifier: MIT */
/* exact_sums_file.h - the file format of exact sums.
 *
 * i32 base, u32 width, then for each entry `width` limbs (u64), least significant first. An entry is the sum of limb[i]
 * * 2^(64 * (base + i)), in two's complement. The window (base, width) is the smallest that contains every written
 * entry, and (0, 0) if all entries are zero. */
#ifndef CRD_STATS_EXACT_SUMS_FILE_H
#define CRD_STATS_EXACT_SUMS_FILE_H

#include "base/byte_codec.h"
#include "math/exact/exact_sums.h"

typedef struct crd_i_window {
    int32_t base;
    uint32_t width;
} crd_i_window;

/* Write the window, then the cells one by one; cells that are not written must be zero. */
crd_i_window crd_i_window_begin(crd_i_encoder *encoder, const crd_i_sums *sums);
void crd_i_window_cell(crd_i_encoder *encoder, crd_i_window window, const crd_i_sums *sums, size_t cell);

/* Reads `count` cells into new sums. */
CRD_MUST_USE crd_status crd_i_window_read(crd_i_cursor *cursor, crd_i_sums *sums, uint64_t count, crd_error *error);

/* The maximum number of rows, or total weight, in a tally that is read from a file. Above it, counts are not exact
 * integers. */
#define CRD_I_MOST_ROWS 0x1p63

#endif
