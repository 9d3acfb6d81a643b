/* counts_block.c - see counts_block.h. */
#include "tally/counts_block.h"

#include <string.h>

void crd_i_counts_block_init(crd_i_counts_block *block, crd_context *context) {
    memset(block, 0, sizeof *block);
    crd_i_sums_init(&block->sums, context);
}

/* Empty, with the window of another. */
static bool begin_like(crd_i_counts_block *block, const crd_i_counts_block *other, const size_t extents[3]) {
    crd_i_counts_block_init(block, other->sums.context);
    memcpy(block->extents, extents, sizeof block->extents);
    if (crd_i_sums_extend(&block->sums, extents[0] * extents[1] * extents[2]) &&
        crd_i_sums_set_window(&block->sums, other->sums.base, other->sums.width))
        return true;
    crd_i_sums_clear(&block->sums);
    return false;
}

bool crd_i_counts_block_copy(crd_i_counts_block *to, const crd_i_counts_block *from) {
    if (!begin_like(to, from, from->extents)) return false;
    size_t limbs = from->sums.cells * from->sums.width;
    if (limbs > 0) memcpy(to->sums.limbs, from->sums.limbs, limbs * sizeof *to->sums.limbs);
    return true;
}

bool crd_i_counts_block_combine(crd_i_counts_block *to, const crd_i_counts_block *from, const size_t known[3],
                                const size_t *const maps[3], int sign) {
    size_t ends[3];
    for (int i = 0; i < 3; i++) ends[i] = from->extents[i] < known[i] ? from->extents[i] : known[i];
    for (size_t i = 0; from->sums.width > 0 && i < ends[0]; i++)
        for (size_t j = 0; j < ends[1]; j++)
            for (size_t k = 0; k < ends[2]; k++) {
                size_t at = crd_i_counts_block_at(from, i, j, k);
                if (crd_i_counts_block_is_zero(from, at)) continue;
                size_t there =
                    crd_i_counts_block_at(to, maps[0] == NULL ? i : maps[0][i], maps[1] == NULL ? j : maps[1][j],
                                          maps[2] == NULL ? k : maps[2][k]);
                if (!crd_i_sums_combine(&to->sums, there, &from->sums, at, sign)) return false;
            }
    return true;
}

static bool lay_out(crd_i_counts_block *block, const size_t extents[3], const size_t *const maps[3]) {
    crd_i_counts_block next;
    if (!begin_like(&next, block, extents)) return false;
    if (!crd_i_counts_block_combine(&next, block, block->extents, maps, 1)) {
        crd_i_sums_clear(&next.sums);
        return false;
    }
    crd_i_sums_clear(&block->sums);
    *block = next;
    return true;
}

bool crd_i_counts_block_fit(crd_i_counts_block *block, const size_t extents[3]) {
    static const size_t *const as_they_are[3] = {NULL, NULL, NULL};
    size_t wanted[3];
    bool fits = true;
    for (int i = 0; i < 3; i++) {
        size_t has = block->extents[i];
        fits = fits && extents[i] <= has;
        wanted[i] = extents[i] <= has ? has : extents[i] < has + has / 2 ? has + has / 2 : extents[i];
    }
    return fits || lay_out(block, wanted, as_they_are);
}

bool crd_i_counts_block_renumber(crd_i_counts_block *block, const size_t *map_i, const size_t *map_j) {
    const size_t *const maps[3] = {map_i, map_j, NULL};
    return lay_out(block, block->extents, maps);
}

double crd_i_counts_block_value(const crd_i_counts_block *block, size_t i, size_t j, size_t k) {
    if (block->sums.width == 0 || i >= block->extents[0] || j >= block->extents[1] || k >= block->extents[2]) return 0;
    size_t at = crd_i_counts_block_at(block, i, j, k);
    return crd_i_counts_block_is_zero(block, at) ? 0 : crd_i_sums_value(&block->sums, at);
}
