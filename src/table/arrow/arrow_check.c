/* SPDX-License-Identifier: MIT */
/* arrow_check.c - validates external data as far as possible: schemas, the number of children and buffers, lengths
 * and offsets. Buffer sizes cannot be checked, because the interface does not contain them. */
#include "table/arrow/arrow_column.h"

#include "base/error.h"

#include <string.h>

crd_status crd_i_arrow_check_schema(const struct ArrowSchema *schema, crd_error *error) {
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0 || schema->dictionary != NULL) {
        char shown[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the Arrow format is '%s', but expected a struct, '+s': pass a table, not a single column",
                          crd_i_quote(crd_text_of(schema->format == NULL ? "" : schema->format), shown));
    }
    if (schema->n_children < 0 || (schema->n_children > 0 && schema->children == NULL)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow schema lacks children");
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] != NULL) continue;
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "child %lld of the Arrow schema is missing", (long long)i + 1);
    }
    return CRD_OK;
}

/* Returns whether an array's own buffers, `buffers` in number for the type, can be read up to its length. Only
 * validity bits of arrays without nulls, and buffers of empty arrays, may be absent. */
static bool arrow_check_is_whole(const struct ArrowArray *array, int64_t buffers) {
    if (array->length < 0 || array->offset < 0 || array->offset >= INT64_MAX - array->length) return false;
    if (array->n_buffers < buffers || (array->n_buffers > 0 && array->buffers == NULL)) return false;
    return buffers < 2 || array->length == 0 || array->buffers[1] != NULL;
}

crd_status crd_i_arrow_check_batch(const struct ArrowSchema *schema, const struct ArrowArray *array, crd_error *error) {
    if (array->n_children != schema->n_children) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow array has %lld children, but its schema has %lld",
                          (long long)array->n_children, (long long)schema->n_children);
    }
    if ((array->n_children > 0 && array->children == NULL) || !arrow_check_is_whole(array, 0)) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the Arrow array lacks buffers or children");
    }
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i] != NULL) continue;
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "child %lld of the Arrow array is missing", (long long)i + 1);
    }
    return CRD_OK;
}

static int64_t buffers_of(const crd_i_arrow_type *type) {
    switch (type->layout) {
    case CRD_I_ARROW_NULL:
    case CRD_I_ARROW_FOREIGN: return 0;
    case CRD_I_ARROW_TEXT:
    case CRD_I_ARROW_VIEW: return 3;
    default: return 2;
    }
}

crd_status crd_i_arrow_check_column(const crd_i_arrow_column *column, crd_i_cell_fault *fault) {
    const struct ArrowArray *array = column->array, *parent = column->parent;
    const crd_i_arrow_type *type = &column->type;
    static const char LACKS[] = "lacks buffers";
    if (array->length < parent->length || array->length - parent->length < parent->offset) {
        return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, "is shorter than the batch");
    }
    if (type->is_run_end) {
        bool has_runs = array->n_children == 2 && array->children != NULL && array->children[0] != NULL &&
                        array->children[1] != NULL;
        if (!has_runs || !arrow_check_is_whole(array, 0) || !arrow_check_is_whole(array->children[0], 2)) {
            return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, "has no runs");
        }
        if (array->children[1]->length < array->children[0]->length) {
            return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, "has fewer values than runs");
        }
        array = array->children[1];
    }
    if (type->is_indexed) {
        if (!arrow_check_is_whole(array, 2)) return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, LACKS);
        array = array->dictionary;
        if (array == NULL || !arrow_check_is_whole(array, buffers_of(type))) {
            return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, "has no dictionary");
        }
    }
    if (arrow_check_is_whole(array, buffers_of(type))) return CRD_OK;
    return crd_i_cell_fail(fault, CRD_ERROR_ARGUMENT, SIZE_MAX, LACKS);
}
