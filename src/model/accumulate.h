/* SPDX-License-Identifier: MIT */
/* accumulate.h - rows of frames into the tallies of a model. */
#ifndef CRD_MODEL_ACCUMULATE_H
#define CRD_MODEL_ACCUMULATE_H

#include "model/model_internal.h"

/* Adds the rows of a frame, with their weights where the schema has one. On failure a part may have been added: for
 * models that are then thrown away. */
CRD_MUST_USE crd_status crd_i_accumulate_frame(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                               crd_error *error);
/* The same for one frame of many: numbers may wait, so that frames are added together. The model is complete once it is
 * settled, and nobody but these may use it before. */
CRD_MUST_USE crd_status crd_i_accumulate_buffered(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                                  crd_error *error);
CRD_MUST_USE crd_status crd_i_accumulate_flush(crd_model *model, crd_error *error);
/* CRD_ERROR_LIMIT if the tallies of all columns together have become too large, as they may when models are
 * combined. */
CRD_MUST_USE crd_status crd_i_accumulate_check_sizes(const crd_model *model, crd_error *error);

#endif
