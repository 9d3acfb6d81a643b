/* SPDX-License-Identifier: MIT */
/* weight_groups.c - see weight_groups.h. */
#include "model/weight_groups.h"

#include "base/memory.h"
#include "stats/moments.h"

#include <string.h>

/* More distinct weights than this are too many; the table of them is a quarter full at most. */
enum { MOST_WEIGHTS = 64, TABLE = 4 * MOST_WEIGHTS };

typedef struct pair {
    size_t class_code;
    double weight;
} pair;

struct crd_i_weight_groups {
    crd_context *context;
    bool is_full;
    size_t weight_count;
    double weights[MOST_WEIGHTS];
    int16_t table[TABLE]; /* numbers of weights, by a hash of their bits; -1: none */
    int32_t *map;         /* of each weight, of each class, the pair; -1: not met */
    size_t classes;       /* that the map has room for */
    pair *pairs;
    size_t pair_count, pair_capacity;
    int32_t *found; /* of the latest rows */
    size_t found_capacity;
    crd_i_tally **tallies; /* of each column; NULL: none yet */
    size_t columns;
};

crd_i_weight_groups *crd_i_weight_groups_create(crd_context *context, size_t columns) {
    crd_i_weight_groups *groups = crd_i_alloc_zeroed(context, 1, sizeof *groups);
    if (groups == NULL) return NULL;
    groups->context = context;
    groups->columns = columns;
    memset(groups->table, -1, sizeof groups->table);
    groups->tallies = crd_i_alloc_zeroed(context, columns, sizeof *groups->tallies);
    if (groups->tallies != NULL) return groups;
    crd_free(context, groups);
    return NULL;
}

void crd_i_weight_groups_destroy(crd_i_weight_groups *groups) {
    if (groups == NULL) return;
    for (size_t i = 0; i < groups->columns; i++) crd_i_tally_destroy(groups->tallies[i]);
    crd_free(groups->context, groups->tallies);
    crd_free(groups->context, groups->map);
    crd_free(groups->context, groups->pairs);
    crd_free(groups->context, groups->found);
    crd_free(groups->context, groups);
}

/* ---- Pairs ---- */

/* The number of a weight, found or new; -1: there are too many. */
static int find_weight(crd_i_weight_groups *groups, double weight) {
    uint64_t bits;
    memcpy(&bits, &weight, sizeof bits);
    size_t at = (size_t)(bits * UINT64_C(0x9E3779B97F4A7C15) >> 56) % TABLE;
    for (; groups->table[at] >= 0; at = (at + 1) % TABLE)
        if (groups->weights[groups->table[at]] == weight) return groups->table[at];
    if (groups->weight_count == MOST_WEIGHTS) return -1;
    groups->weights[groups->weight_count] = weight;
    groups->table[at] = (int16_t)groups->weight_count;
    return (int)groups->weight_count++;
}

/* Room in the map for so many classes. */
static bool widen(crd_i_weight_groups *groups, size_t classes) {
    if (classes < 2 * groups->classes) classes = 2 * groups->classes;
    int32_t *map = crd_i_alloc(groups->context, classes, MOST_WEIGHTS * sizeof *map);
    if (map == NULL) return false;
    memset(map, -1, classes * MOST_WEIGHTS * sizeof *map);
    for (size_t i = 0; i < groups->pair_count; i++) {
        int weight = find_weight(groups, groups->pairs[i].weight);
        map[groups->pairs[i].class_code * MOST_WEIGHTS + (size_t)weight] = (int32_t)i;
    }
    crd_free(groups->context, groups->map);
    groups->map = map;
    groups->classes = classes;
    return true;
}

static bool add_pair(crd_i_weight_groups *groups, size_t class_code, double weight, int32_t *number) {
    if (!crd_i_reserve(groups->context, &groups->pairs, &groups->pair_capacity, groups->pair_count + 1,
                       sizeof *groups->pairs))
        return false;
    const pair added = {class_code, weight};
    *number = (int32_t)groups->pair_count;
    groups->pairs[groups->pair_count++] = added;
    return true;
}

bool crd_i_weight_groups_assign(crd_i_weight_groups *groups, size_t rows, const int32_t *classes, const double *weights,
                                const int32_t **out) {
    *out = NULL;
    if (groups->is_full) return true;
    if (!crd_i_reserve(groups->context, &groups->found, &groups->found_capacity, rows, sizeof *groups->found))
        return false;
    int latest = -1;
    for (size_t row = 0; row < rows; row++) {
        groups->found[row] = -1;
        if (classes[row] < 0) continue;
        if (latest < 0 || groups->weights[latest] != weights[row]) latest = find_weight(groups, weights[row]);
        groups->is_full = latest < 0;
        if (groups->is_full) return true;
        size_t class_code = (size_t)classes[row];
        if (class_code >= groups->classes && !widen(groups, class_code + 1)) return false;
        int32_t *number = &groups->map[class_code * MOST_WEIGHTS + (size_t)latest];
        if (*number < 0 && !add_pair(groups, class_code, weights[row], number)) return false;
        groups->found[row] = *number;
    }
    *out = groups->found;
    return true;
}

size_t crd_i_weight_groups_count(const crd_i_weight_groups *groups) {
    return groups->pair_count;
}

/* ---- Tallies ---- */

crd_i_tally *crd_i_weight_groups_tally(crd_i_weight_groups *groups, size_t column) {
    crd_i_tally **tally = &groups->tallies[column];
    if (*tally == NULL) *tally = crd_i_moments.create(groups->context);
    if (*tally == NULL || !crd_i_moments.extend(*tally, groups->pair_count, 0)) return NULL;
    return *tally;
}

bool crd_i_weight_groups_pour(const crd_i_weight_groups *groups, size_t column, crd_i_tally *own) {
    const crd_i_tally *tally = groups->tallies[column];
    if (tally == NULL) return true;
    for (size_t i = 0; i < groups->pair_count && i < tally->conditions; i++)
        if (!crd_i_moments_add_scaled(own, groups->pairs[i].class_code, tally, i, groups->pairs[i].weight))
            return false;
    return true;
}
