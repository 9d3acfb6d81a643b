/* SPDX-License-Identifier: MIT */
/* dictionary_order.c - the order in which texts are displayed and written.
 *
 * A model file stores its values in order. A dictionary that was read from a model file is therefore already sorted,
 * except for the few texts that were added since. Only these are sorted, and then merged with the others. */
#include "base/dictionary_internal.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct order_ordered {
    crd_text text;
    double number; /* 0 for all items unless all are numbers */
    int32_t code;
} order_ordered;

static int dictionary_order_compare(const void *left, const void *right) {
    const order_ordered *a = left, *b = right;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return crd_i_text_compare(a->text, b->text);
}

/* The live codes to sort, and their numbers; NULL if not all texts are numbers. */
typedef struct order_listing {
    const crd_i_dictionary *dictionary;
    int32_t *codes;
    double *numbers;
    size_t count;
} order_listing;

static order_ordered dictionary_order_item(const order_listing *list, size_t i) {
    order_ordered item = {crd_i_dictionary_text(list->dictionary, (size_t)list->codes[i]),
                          list->numbers == NULL ? 0 : list->numbers[i], list->codes[i]};
    return item;
}

/* Parses all texts and stores their numbers if all of them are numbers. Returns false if memory runs out. */
static bool parse_all(crd_context *context, order_listing *list, bool (*parse)(crd_text text, double *value)) {
    double first;
    if (list->count == 0 || !parse(dictionary_order_item(list, 0).text, &first)) return true;
    double *numbers = crd_i_alloc(context, list->count, sizeof *numbers);
    if (numbers == NULL) return false;
    for (size_t i = 0; i < list->count; i++) {
        if (parse(dictionary_order_item(list, i).text, &numbers[i])) continue;
        crd_free(context, numbers);
        return true;
    }
    list->numbers = numbers;
    return true;
}

/* Returns the length of the longest sorted prefix. */
static size_t count_ordered(const order_listing *list) {
    if (list->count == 0) return 0;
    order_ordered before = dictionary_order_item(list, 0);
    for (size_t i = 1; i < list->count; i++) {
        order_ordered item = dictionary_order_item(list, i);
        if (dictionary_order_compare(&before, &item) > 0) return i;
        before = item;
    }
    return list->count;
}

/* Returns the position of an item within the first `end` items, which are sorted. */
static size_t dictionary_order_place(const order_listing *list, size_t end, const order_ordered *item) {
    size_t begin = 0;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        order_ordered other = dictionary_order_item(list, middle);
        if (dictionary_order_compare(&other, item) < 0) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

/* Merges sorted items into the first `end` items, which are also sorted, starting from the last. */
static void dictionary_order_merge(const order_listing *list, size_t end, const order_ordered *items, size_t count) {
    while (count-- > 0) {
        size_t place = dictionary_order_place(list, end, &items[count]);
        memmove(list->codes + place + count + 1, list->codes + place, (end - place) * sizeof *list->codes);
        list->codes[place + count] = items[count].code;
        end = place;
    }
}

/* Sorts the list. Returns false if memory runs out. */
static bool dictionary_order_order(crd_context *context, const order_listing *list) {
    size_t in_order = count_ordered(list), others = list->count - in_order;
    if (others == 0) return true;
    order_ordered *items = crd_i_alloc(context, others, sizeof *items);
    if (items == NULL) return false;
    for (size_t i = 0; i < others; i++) items[i] = dictionary_order_item(list, in_order + i);
    /* qsort may allocate memory without the context, but it sorts in place if the allocation fails. */
    qsort(items, others, sizeof *items, dictionary_order_compare);
    dictionary_order_merge(list, in_order, items, others);
    crd_free(context, items);
    return true;
}

size_t crd_i_dictionary_order(const crd_i_dictionary *dictionary, const bool *is_live,
                              bool (*parse)(crd_text text, double *value), int32_t *codes) {
    crd_context *context = dictionary->context;
    order_listing list = {dictionary, codes, NULL, 0};
    size_t size = crd_i_dictionary_size(dictionary);
    for (size_t code = 0; code < size; code++)
        if (is_live == NULL || is_live[code]) codes[list.count++] = (int32_t)code;
    bool done = parse_all(context, &list, parse) && dictionary_order_order(context, &list);
    crd_free(context, list.numbers);
    return done ? list.count : SIZE_MAX;
}
