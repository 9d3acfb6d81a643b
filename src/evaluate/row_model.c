/* SPDX-License-Identifier: MIT */
/* row_model.c - creates models for rows in frames. See row_model.h. */
#include "evaluate/row_model.h"

#include "base/error.h"
#include "model/model_create.h"

crd_status crd_i_row_model_create(crd_context *context, const crd_frame *frame, crd_text target, crd_text weight,
                                  const crd_settings *settings, crd_model **out, crd_error *error) {
    bool has_target = target.bytes != NULL;
    size_t column = frame->origin == NULL || !has_target ? SIZE_MAX : crd_i_schema_find(frame->origin, target);
    if (frame->origin == NULL || (has_target && column == SIZE_MAX) || frame->context != context)
        return weight.bytes == NULL ? crd_model_create(context, frame, target, settings, out, error)
                                    : crd_model_create_weighted(context, frame, target, weight, settings, out, error);
    crd_i_schema *schema = crd_i_schema_clone(frame->origin);
    if (schema == NULL) return crd_i_fail_memory(error);
    schema->target = column;
    return crd_i_model_create(context, schema, settings, out, error);
}
