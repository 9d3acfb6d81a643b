/* SPDX-License-Identifier: MIT */
/* learn_reader.h - all rows of a reader into a model. */
#ifndef CRD_MODEL_LEARN_READER_H
#define CRD_MODEL_LEARN_READER_H

#include "model/model_internal.h"

/* A new model, with the columns and settings of `like`, of all rows of a reader, which are taken by as many threads as
 * the reader's options allow; where each process of a group has a part of the rows, that of all parts, in each of them. */
CRD_MUST_USE crd_status crd_i_model_tally_all(const crd_model *like, crd_reader *reader, crd_model **out,
                                              crd_read_facts *facts, crd_error *error);
/* The same of the rows of this process alone, where each of a group has a part of them: all have read theirs by the same kinds of
 * columns. crd_i_model_reduce makes one of all. */
CRD_MUST_USE crd_status crd_i_model_tally_part(const crd_model *like, crd_reader *reader, crd_model **out,
                                               crd_read_facts *facts, crd_error *error);
/* Of a reader of a part of the rows that collects what they show: the model remembers it, since other parts decide, too, what columns
 * are whose kind was not given. */
CRD_MUST_USE crd_status crd_i_model_remember_shard(crd_model *model, const crd_reader *reader, crd_error *error);
/* Where each process had a part of the rows: whether all of them together are too many for a model. */
CRD_MUST_USE crd_status crd_i_model_check_whole(const crd_model *model, crd_error *error);
/* The same twice: of all rows as rows of one class, and of another; see crd_reader_set_class. */
CRD_MUST_USE crd_status crd_i_model_tally_as_both(const crd_model *like, crd_reader *reader, crd_text one,
                                                  crd_text other, crd_model *out[2], crd_read_facts *facts,
                                                  crd_error *error);
/* crd_model_train_keeping with a schema, which is taken over, in the place of the reader's: that of a reader that has
 * read its rows before has the kinds of their cells. Takes how the caller's own work has ended, as collective calls do; where that is a
 * failure, there is no schema. */
CRD_MUST_USE crd_status crd_i_model_train(crd_context *context, crd_status status, crd_i_schema *schema,
                                          crd_reader *reader, const crd_settings *settings, crd_i_kept kept,
                                          crd_model **out, crd_read_facts *facts, crd_error *error);

#endif
