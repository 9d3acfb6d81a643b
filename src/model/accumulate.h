/* SPDX-License-Identifier: MIT */
/* accumulate.h - adds rows of frames to the sufficient statistics (tallies) of a model. */
#ifndef CRD_MODEL_ACCUMULATE_H
#define CRD_MODEL_ACCUMULATE_H

#include "model/model_internal.h"

/* Adds the rows of a frame, with their weights if the schema has a weight. On failure some rows may have been added,
 * so the model must be discarded. */
CRD_MUST_USE crd_status crd_i_accumulate_frame(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                               crd_error *error);
/* Adds the rows of one of many frames. Numbers are buffered, so several frames are added together. The model is
 * complete after crd_i_accumulate_flush; until then only these functions may use it. */
CRD_MUST_USE crd_status crd_i_accumulate_buffered(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                                  crd_error *error);
CRD_MUST_USE crd_status crd_i_accumulate_flush(crd_model *model, crd_error *error);
/* Returns CRD_ERROR_LIMIT if the tallies of all columns together are too large, which can happen when models are
 * combined. */
CRD_MUST_USE crd_status crd_i_accumulate_check_sizes(const crd_model *model, crd_error *error);

#endif
