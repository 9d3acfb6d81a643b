/* SPDX-License-Identifier: MIT */
/* learn_reader.h - all rows of a reader into a model. */
#ifndef CRD_MODEL_LEARN_READER_H
#define CRD_MODEL_LEARN_READER_H

#include "model/model_internal.h"

/* A new model, with the columns and settings of `like`, of all rows of a reader, which are taken by as many threads as
 * the reader's options allow. */
CRD_MUST_USE crd_status crd_i_model_tally_all(const crd_model *like, crd_reader *reader, crd_model **out,
                                              crd_read_facts *facts, crd_error *error);

#endif
