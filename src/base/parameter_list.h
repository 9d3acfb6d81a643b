/* SPDX-License-Identifier: MIT */
/* parameter_list.h - the parameters of a density as named numeric arrays, from which other programs can compute the
 * density. Zero-initialize a list, set `context`, and use it. crd_i_parameter_list_clear frees it. */
#ifndef CRD_BASE_PARAMETER_LIST_H
#define CRD_BASE_PARAMETER_LIST_H

#include "base/context.h"

typedef struct crd_i_parameter_array {
    const char *name; /* not copied */
    int dimensions;   /* 0: one number; 1: `rows` numbers; 2: rows x columns */
    size_t rows, columns;
    double *numbers; /* row by row */
} crd_i_parameter_array;

typedef struct crd_i_parameter_list {
    crd_context *context;
    crd_i_parameter_array *arrays;
    size_t count, capacity;
} crd_i_parameter_list;

/* Append an array of zeros that the caller fills in. Return NULL if memory runs out. */
double *crd_i_parameter_list_matrix(crd_i_parameter_list *list, const char *name, size_t rows, size_t columns);
double *crd_i_parameter_list_vector(crd_i_parameter_list *list, const char *name, size_t count);
/* Append a number or a copy of an array. Return false if memory runs out. */
CRD_MUST_USE bool crd_i_parameter_list_number(crd_i_parameter_list *list, const char *name, double number);
CRD_MUST_USE bool crd_i_parameter_list_copy(crd_i_parameter_list *list, const char *name, const double *numbers,
                                            size_t rows, size_t columns);
/* Returns the array with this name, which must exist. */
const crd_i_parameter_array *crd_i_parameter_list_find(const crd_i_parameter_list *list, const char *name);
void crd_i_parameter_list_clear(crd_i_parameter_list *list);

#endif
