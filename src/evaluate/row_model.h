/* SPDX-License-Identifier: MIT */
/* row_model.h - a model for rows that come in frames, as training on their reader would begin it. */
#ifndef CRD_EVALUATE_ROW_MODEL_H
#define CRD_EVALUATE_ROW_MODEL_H

#include "model/model_internal.h"

/* A model that has learned nothing, with the columns of a frame. Kinds are declared only where a reader was told them,
 * since cells that are forgotten must not leave their kind behind. A frame that was made by hand is all there is to go
 * by; then `weight` is its column of weights, without bytes: none. */
CRD_MUST_USE crd_status crd_i_row_model_create(crd_context *context, const crd_frame *frame, crd_text target,
                                               crd_text weight, const crd_settings *settings, crd_model **out,
                                               crd_error *error);

#endif
