/* SPDX-License-Identifier: MIT */
/* arrow_frame.c - a frame over a record batch of the Arrow C Data Interface. See credence/data.h.
 *
 * Cell i of a child is its element parent.offset + i, which lies at child.offset + parent.offset + i of its buffers; a
 * null of the parent is a null of every child. */
#include "table/arrow/arrow_column.h"

#include "base/error.h"
#include "base/memory.h"
#include "table/arrow/arrow_names.h"

#include <stdint.h>

crd_status crd_i_arrow_report(const crd_i_cell_fault *fault, crd_text name, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    if (fault->status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (crd_i_is_cancelled(fault->status)) return crd_i_fail_cancelled(error);
    crd_i_quote(name, shown);
    if (fault->row == SIZE_MAX) crd_i_fail(error, fault->status, "column '%s' %s", shown, fault->what);
    else crd_i_fail(error, fault->status, "row %zu of column '%s' %s", fault->row + 1, shown, fault->what);
    crd_i_error_subject(error, name);
    return fault->status;
}

static crd_status import_child(crd_frame *frame, const struct ArrowArray *parent, const struct ArrowSchema *schema,
                               const struct ArrowArray *array, size_t index, crd_error *error) {
    char numbered[CRD_I_ARROW_NAME_ROOM];
    crd_text name = crd_i_arrow_name(schema, index, numbered);
    const crd_i_arrow_column arrow = {crd_i_arrow_type_of(schema), parent, array};
    const crd_i_conversion conversion = {frame->context, NULL, SIZE_MAX, NULL, false};
    crd_kind kind = crd_i_arrow_type_kind(&arrow.type);
    crd_i_column_room workspace = {.dictionary = NULL};
    crd_i_column column = {.kind = CRD_KIND_NONE};
    crd_i_cell_fault fault = {.status = CRD_OK};
    if (kind == CRD_KIND_CATEGORY) {
        workspace.dictionary = crd_i_dictionary_create(frame->context);
        if (workspace.dictionary == NULL) return crd_i_fail_memory(error);
    }
    crd_status status = crd_i_arrow_check_column(&arrow, &fault);
    if (status == CRD_OK)
        status = crd_i_arrow_convert(&arrow, crd_i_context_serial(frame->context), kind, 0, frame->rows, &conversion,
                                     &workspace, &column, &fault);
    if (status != CRD_OK) status = crd_i_arrow_report(&fault, name, error);
    column.owns_dictionary = column.dictionary != NULL;
    column.owned = workspace.numbers;
    column.owned_bits = workspace.bits;
    if (arrow.type.is_indexed && column.dictionary != NULL) {
        column.arrow_schema = schema;
        column.arrow_array = array;
    }
    if (status == CRD_OK) status = crd_i_frame_add(frame, name, &column, error);
    crd_free(frame->context, workspace.map);
    if (status == CRD_OK) return CRD_OK;
    crd_i_dictionary_destroy(workspace.dictionary);
    crd_free(frame->context, workspace.numbers);
    crd_free(frame->context, workspace.bits);
    return status;
}

crd_status crd_frame_borrow_arrow(crd_context *context, const struct ArrowSchema *schema,
                                  const struct ArrowArray *array, crd_frame **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new frame");
    *out = NULL;
    if (context == NULL || schema == NULL || array == NULL || schema->release == NULL || array->release == NULL) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context, or the Arrow schema or array is released");
    }
    crd_status status = crd_i_arrow_check_schema(schema, error);
    if (status == CRD_OK) status = crd_i_arrow_check_batch(schema, array, error);
    if (status != CRD_OK) return status;
    crd_frame *frame = NULL;
    status = crd_frame_create(context, (size_t)array->length, &frame, error);
    for (int64_t i = 0; i < array->n_children && status == CRD_OK; i++) {
        status = import_child(frame, array, schema->children[i], array->children[i], (size_t)i, error);
    }
    if (status != CRD_OK) {
        crd_frame_destroy(frame);
        return status;
    }
    *out = frame;
    return CRD_OK;
}

crd_status crd_frame_declare_dictionary(crd_frame *frame, size_t index, crd_error *error) {
    if (frame == NULL || frame->origin != NULL || index >= frame->column_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing frame, or unknown column");
    crd_i_column *column = &frame->columns[index];
    if (column->kind != CRD_KIND_CATEGORY) {
        char shown[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_ARGUMENT, "column '%s' is not a category, so it has no dictionary",
                   crd_i_quote(column->name, shown));
        crd_i_error_subject(error, column->name);
        return CRD_ERROR_ARGUMENT;
    }
    if (column->arrow_array != NULL) {
        /* Any parent is sufficient, because the dictionary does not depend on rows. */
        const struct ArrowArray parent = {.length = 0};
        const crd_i_arrow_column arrow = {crd_i_arrow_type_of(column->arrow_schema), &parent, column->arrow_array};
        const crd_i_conversion conversion = {frame->context, NULL, SIZE_MAX, NULL, false};
        crd_i_cell_fault fault = {.status = CRD_OK};
        crd_status status = crd_i_arrow_add_dictionary(&arrow, &conversion, column->dictionary, &fault);
        if (status != CRD_OK) return crd_i_arrow_report(&fault, column->name, error);
    }
    column->declared = column->dictionary;
    return CRD_OK;
}
