/* SPDX-License-Identifier: MIT */
/* parameter_list.c - see parameter_list.h. */
#include "base/parameter_list.h"

#include "base/memory.h"

#include <string.h>

static double *parameter_list_add(crd_i_parameter_list *list, crd_i_parameter_array array) {
    if (array.columns > 0 && array.rows > SIZE_MAX / array.columns) return NULL;
    if (!crd_i_reserve(list->context, &list->arrays, &list->capacity, list->count + 1, sizeof *list->arrays))
        return NULL;
    array.numbers = crd_i_alloc_zeroed(list->context, array.rows * array.columns, sizeof *array.numbers);
    if (array.numbers != NULL) list->arrays[list->count++] = array;
    return array.numbers;
}

double *crd_i_parameter_list_matrix(crd_i_parameter_list *list, const char *name, size_t rows, size_t columns) {
    const crd_i_parameter_array matrix = {name, 2, rows, columns, NULL};
    return parameter_list_add(list, matrix);
}

double *crd_i_parameter_list_vector(crd_i_parameter_list *list, const char *name, size_t count) {
    const crd_i_parameter_array vector = {name, 1, count, 1, NULL};
    return parameter_list_add(list, vector);
}

bool crd_i_parameter_list_number(crd_i_parameter_list *list, const char *name, double number) {
    const crd_i_parameter_array one = {name, 0, 1, 1, NULL};
    double *destination = parameter_list_add(list, one);
    if (destination != NULL) *destination = number;
    return destination != NULL;
}

bool crd_i_parameter_list_copy(crd_i_parameter_list *list, const char *name, const double *numbers, size_t rows,
                               size_t columns) {
    double *destination = columns == 1 ? crd_i_parameter_list_vector(list, name, rows)
                                       : crd_i_parameter_list_matrix(list, name, rows, columns);
    if (destination != NULL && rows * columns > 0) memcpy(destination, numbers, rows * columns * sizeof *destination);
    return destination != NULL;
}

const crd_i_parameter_array *crd_i_parameter_list_find(const crd_i_parameter_list *list, const char *name) {
    size_t i = 0;
    while (strcmp(list->arrays[i].name, name) != 0) i++;
    return &list->arrays[i];
}

void crd_i_parameter_list_clear(crd_i_parameter_list *list) {
    for (size_t i = 0; i < list->count; i++) crd_free(list->context, list->arrays[i].numbers);
    crd_free(list->context, list->arrays);
    list->arrays = NULL;
    list->count = list->capacity = 0;
}
