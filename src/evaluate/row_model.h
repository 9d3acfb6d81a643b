/* SPDX-License-Identifier: MIT */
/* row_model.h - creates a model for rows in frames, as if it were trained on their reader. */
#ifndef CRD_EVALUATE_ROW_MODEL_H
#define CRD_EVALUATE_ROW_MODEL_H

#include "model/model_internal.h"

/* Creates a model without rows, with the columns of a frame. If a reader made the frame, column types are declared
 * only if they were specified by the user: subtracted rows must not leave a column type in the model. If the caller
 * made the frame, its columns define the types. In that case `weight` names its weight column, or has bytes NULL. */
CRD_MUST_USE crd_status crd_i_row_model_create(crd_context *context, const crd_frame *frame, crd_text target,
                                               crd_text weight, const crd_settings *settings, crd_model **out,
                                               crd_error *error);

#endif
