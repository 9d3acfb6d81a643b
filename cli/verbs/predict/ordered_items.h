/* SPDX-License-Identifier: MIT */
/* ordered_items.h - answers to items of sequences that are computed in another order than that of the rows: each is kept at
 * the place of its row, in a file without a name, until all are there. */
#ifndef CREDENCE_CLI_ORDERED_ITEMS_H
#define CREDENCE_CLI_ORDERED_ITEMS_H

#include "core/string_buffer.h"

/* What is known of an item, beside the probability of each state. */
typedef struct item {
    size_t sequence; /* of its batch */
    uint64_t step;   /* from 0 */
    int32_t state;   /* -1: none is possible */
    uint32_t unseen;
    double log_evidence;
} item;

typedef struct ordered_items ordered_items;

/* Room for so many rows; NULL, with a message, where the system has none. */
ordered_items *ordered_items_create(uint64_t rows, size_t states);
void ordered_items_destroy(ordered_items *items);
void ordered_items_put(ordered_items *items, uint64_t row, const item *given_item, const double *probabilities);
/* The item of a row, and its probabilities; false: nothing was put there. */
bool ordered_items_get(const ordered_items *items, uint64_t row, item *given_item, const double **probabilities);

#endif
