/* SPDX-License-Identifier: MIT */
/* fraction.c - see fraction.h. */
#include "core/fraction.h"

#include "core/lists.h"

#include <math.h>
#include <stdlib.h>

/* Returns the index of the last such byte, or the length if there is none. */
static size_t fraction_find_last(crd_text text, char byte) {
    size_t index = text.length;
    while (index > 0 && text.bytes[index - 1] != byte) index--;
    return index == 0 ? text.length : index - 1;
}

bool fraction_parse(crd_text text, double *out) {
    size_t slash = fraction_find_last(text, '/');
    bool is_percentage = text.length > 0 && text.bytes[text.length - 1] == '%';
    if (is_percentage) slash = text.length - 1;
    if (slash == text.length) return crd_number_parse(text, out) == CRD_NUMBER_FINITE;
    crd_text above = {text.bytes, slash}, below = {text.bytes + slash + 1, text.length - slash - 1};
    double numerator, denominator = 100;
    if (crd_number_parse(above, &numerator) != CRD_NUMBER_FINITE) return false;
    if (!is_percentage && crd_number_parse(below, &denominator) != CRD_NUMBER_FINITE) return false;
    *out = numerator / denominator;
    return isfinite(*out) != 0;
}

bool fraction_assignment(crd_text item, crd_text *name, double *out) {
    size_t equals = fraction_find_last(item, '=');
    if (equals == item.length || equals == 0) return false;
    *name = (crd_text){item.bytes, equals};
    return fraction_parse((crd_text){item.bytes + equals + 1, item.length - equals - 1}, out);
}

double *fraction_parse_list(const char *text, size_t *count, bool infinite_too) {
    list items;
    double *numbers = NULL;
    if (!list_split(text, &items)) return NULL;
    numbers = memory_resize(NULL, items.count, sizeof *numbers);
    *count = items.count;
    for (size_t i = 0; i < items.count; i++) {
        bool is_infinite = crd_number_parse(items.items[i], &numbers[i]) == CRD_NUMBER_INFINITE;
        if ((is_infinite && infinite_too) || fraction_parse(items.items[i], &numbers[i])) continue;
        free(numbers);
        numbers = NULL;
        break;
    }
    list_free(&items);
    return numbers;
}
