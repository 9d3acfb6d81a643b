/* SPDX-License-Identifier: MIT */
/* struct_size.h - public structs that may grow, copied between a caller's version and ours.
 *
 * They begin with a size_t, the size that the caller was compiled with. These are the only ways in which the library
 * reads and writes them; `size` is the size of ours. */
#ifndef CRD_BASE_STRUCT_SIZE_H
#define CRD_BASE_STRUCT_SIZE_H

#include <credence/base.h>

#include <stdbool.h>

/* In: the caller's fields, as many as there are, over the defaults that `to` holds. False where the caller's size does
 * not even cover itself, as that of a struct that was not initialised. */
CRD_MUST_USE bool crd_i_copy_in(const void *from, void *to, size_t size);
/* Out: our fields, as many as the caller has. Its size stays as it is. */
void crd_i_copy_out(const void *from, size_t size, void *to);
/* The same into item `index` of a caller's array, whose first item has the size of all. */
void crd_i_copy_out_item(const void *from, size_t size, void *array, size_t index);
/* Whether a caller's struct, or the first of an array, was initialised with its size. */
bool crd_i_has_size(const void *sized);

#endif
