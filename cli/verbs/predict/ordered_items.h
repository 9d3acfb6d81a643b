/* SPDX-License-Identifier: MIT */
/* ordered_items.h - stores predictions for items of sequences that are computed in another order than the rows.
 * Each is
 * stored at the index of its row in a temporary file. */
#ifndef CREDENCE_CLI_ORDERED_ITEMS_H
#define CREDENCE_CLI_ORDERED_ITEMS_H

#include "core/string_buffer.h"

/* The prediction for an item, without its probabilities. */
typedef struct item {
    size_t sequence; /* index in its batch */
    uint64_t step;   /* from 0 */
    int32_t state;   /* -1: no state is possible */
    uint32_t unseen;
    double log_evidence;
} item;

typedef struct ordered_items ordered_items;

/* Allocates space for `rows` rows. Returns NULL after reporting an error if the system cannot provide it. */
ordered_items *ordered_items_create(uint64_t rows, size_t states);
void ordered_items_destroy(ordered_items *items);
/* Stores an item and the probability of each state at the index of its row. */
void ordered_items_put(ordered_items *items, uint64_t row, const item *given_item, const double *probabilities);
/* Finds the item of a row and its probabilities. Returns false if none was stored. */
bool ordered_items_get(const ordered_items *items, uint64_t row, item *given_item, const double **probabilities);

#endif
