/* SPDX-License-Identifier: MIT */
/* ordered_items.c - see ordered_items.h. The file is mapped into memory, so the system can write and drop its
 * pages. Memory
 * is bounded by what the system can spare, for any number of rows. */
#include "verbs/predict/ordered_items.h"

#include "base/os.h"
#include "core/messages.h"

#include <credence/temporary_file.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ordered_items {
    FILE *file;
    char *records; /* each is an items_record, followed by the probabilities */
    size_t record, length;
};

typedef struct items_record {
    item item;
    bool is_there; /* false in records that were not written, because the file is initially zero */
} items_record;

static ordered_items *ordered_items_fail(ordered_items *items, int reason) {
    message_failed("cannot write predictions in the order of the rows: %s", strerror(reason));
    message_hint("a temporary file stores all predictions; to avoid it, sort the rows by sequence and time");
    ordered_items_destroy(items);
    return NULL;
}

ordered_items *ordered_items_create(uint64_t rows, size_t states) {
    ordered_items *items = memory_resize(NULL, 1, sizeof *items);
    *items = (ordered_items){.record = sizeof(items_record) + states * sizeof(double)};
    if (rows == 0 || rows > SIZE_MAX / 2 / items->record) return ordered_items_fail(items, ENOMEM);
    items->length = (size_t)rows * items->record;
    items->file = crd_temporary_file();
    if (items->file == NULL) return ordered_items_fail(items, errno);
    /* Allocates the whole file now. Otherwise a full disk would terminate the command during a write to the mapping. */
    const int file = crd_i_os_descriptor(items->file), reason = crd_i_os_allocate(file, items->length);
    if (reason != 0) return ordered_items_fail(items, reason);
    items->records = crd_i_os_map(file, items->length, true);
    return items->records == NULL ? ordered_items_fail(items, errno) : items;
}

void ordered_items_destroy(ordered_items *items) {
    if (items == NULL) return;
    if (items->records != NULL) crd_i_os_unmap(items->records, items->length);
    if (items->file != NULL) fclose(items->file);
    free(items);
}

void ordered_items_put(ordered_items *items, uint64_t row, const item *given_item, const double *probabilities) {
    char *cursor = items->records + (size_t)row * items->record;
    const items_record head = {*given_item, true};
    memcpy(cursor, &head, sizeof head);
    memcpy(cursor + sizeof head, probabilities, items->record - sizeof head);
}

bool ordered_items_get(const ordered_items *items, uint64_t row, item *given_item, const double **probabilities) {
    const char *cursor = items->records + (size_t)row * items->record;
    items_record head;
    memcpy(&head, cursor, sizeof head);
    *given_item = head.item;
    *probabilities = (const double *)(const void *)(cursor + sizeof head);
    return head.is_there;
}
