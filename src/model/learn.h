/* SPDX-License-Identifier: MIT */
/* learn.h - trains a model on all rows of a reader. */
#ifndef CRD_MODEL_LEARN_H
#define CRD_MODEL_LEARN_H

#include "model/model_internal.h"

/* Creates a model with the columns and settings of `like` from all rows of a reader, using as many threads as the
 * reader's options allow. If each process of a group has a part of the rows, every process gets the model of all
 * parts. */
CRD_MUST_USE crd_status crd_i_model_tally_all(const crd_model *like, crd_reader *reader, crd_model **out,
                                              crd_read_facts *facts, crd_error *error);
/* Stores in the model the evidence that a reader collected from its part of the rows. Other parts contribute to the
 * decision about columns whose type was not given. */
CRD_MUST_USE crd_status crd_i_model_remember_shard(crd_model *model, const crd_reader *reader, crd_error *error);
/* Trains a model like crd_model_train_keeping, with a schema that replaces the reader's and is taken over. The
 * schema of a reader that has read its rows before contains the types of their cells. Collective. */
CRD_MUST_USE crd_status crd_i_model_train(crd_context *context, crd_i_schema *schema, crd_reader *reader,
                                          const crd_settings *settings, crd_i_kept kept, crd_model **out,
                                          crd_read_facts *facts, crd_error *error);

#endif
