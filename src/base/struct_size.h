/* SPDX-License-Identifier: MIT */
/* struct_size.h - copies extensible public structs between the caller's version and the library's version.
 *
 * Such a struct begins with a size_t: its size when the caller was compiled. The library reads and writes these structs
 * only through the functions below, where `size` is the size of the library's version. */
#ifndef CRD_BASE_STRUCT_SIZE_H
#define CRD_BASE_STRUCT_SIZE_H

#include <credence/base.h>

#include <stdbool.h>

/* Copies the caller's fields, as many as the caller has, over the defaults in `destination`. Returns false if the
 * caller's size does not even cover the size field, which means that the struct was not initialized. */
CRD_MUST_USE bool crd_i_copy_in(const void *source, void *destination, size_t size);
/* Copies the library's fields, as many as the caller has, to the caller's struct. The caller's size field does not
 * change. */
void crd_i_copy_out(const void *source, size_t size, void *destination);
/* Copies the library's fields to item `index` of a caller's array. The size field of the first item applies to all
 * items. */
void crd_i_copy_out_item(const void *source, size_t size, void *array, size_t index);
/* Returns whether a caller's struct, or the first item of an array, was initialized with its size. */
bool crd_i_has_size(const void *sized);

#endif
