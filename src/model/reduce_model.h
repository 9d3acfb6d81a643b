/* SPDX-License-Identifier: MIT */
/* reduce_model.h - combines the models that the processes of a group trained on parts of the rows. */
#ifndef CRD_MODEL_REDUCE_MODEL_H
#define CRD_MODEL_REDUCE_MODEL_H

#include "model/model_internal.h"

/* Adds the facts about further rows. */
void crd_i_read_facts_add(crd_read_facts *facts, const crd_read_facts *more);
/* Records a text of skipped rows. The smallest text is kept, so the result does not depend on order. */
void crd_i_read_facts_note(crd_read_facts *facts, crd_text text);

/* Merges the models of all processes along a tree and adds the facts; each process gets the result. `status` is the
 * status of the caller's own work, and all processes must call it: see base/collective.h. On failure *model is NULL. */
CRD_MUST_USE crd_status crd_i_model_reduce(crd_context *context, crd_status status, crd_model **model,
                                           crd_read_facts *facts, crd_error *error);
/* Merges the models of a reader's rows like crd_i_model_reduce. If each process has all rows, its own model is
 * already the result. */
CRD_MUST_USE crd_status crd_i_model_reduce_rows(const crd_reader *reader, crd_status status, crd_model **model,
                                                crd_read_facts *facts, crd_error *error);

/* ---- columns without any learned value, and checks that new rows do not change the meaning of columns.
 *
 * Training uses all rows to decide how the texts of a column are read: as numbers, amounts, truth values,
 * categories. A model that learns more rows must read them as training on all rows at once would. If its columns do
 * not allow that, rows are rejected. */

/* Returns whether the model has neither a value nor a declaration of the column. */
bool crd_i_model_is_new_column(const crd_model *model, size_t column);
/* Sets the format that a reader has found for a column. false: out of memory. */
CRD_MUST_USE bool crd_i_model_learn_form(crd_model *model, size_t column, const crd_i_schema_column *schema_column);
/* Gives the columns of `batch`, whose rows `model` is to learn, the formats that their reader has found, if they are
 * new to the model. */
CRD_MUST_USE crd_status crd_i_model_learn_new_forms(const crd_model *model, crd_model *batch,
                                                    const crd_i_schema *found_schema, crd_error *error);
/* Returns whether training declares the kinds of all columns that have values. It does if some column has intervals,
 * because cut points are usually found in a pass over all rows before the model is created. */
bool crd_i_model_declares_kinds(const crd_model *model);
/* Declares the kinds of all columns that have values, as such training does. */
void crd_i_model_declare_kinds(crd_model *model);
/* Returns CRD_ERROR_SCHEMA_DIFFERS if training on the rows of both models at once would read a column in another way
 * than the model does. declares: the model's training declares kinds; finds_forms: formats are detected from the texts
 * of values; is_typed: the rows are columns in memory, whose labels keep their spelling. */
CRD_MUST_USE crd_status crd_i_model_check_columns(const crd_model *model, const crd_model *batch, bool declares,
                                                  bool finds_forms, bool is_typed, crd_error *error);

#endif
