/* SPDX-License-Identifier: MIT */
/* new_columns.h - columns of which a model has learned no value yet, and what rows may make of columns.
 *
 * Training decides how the texts of a column are read by all of its rows: as numbers, amounts, truth values, categories. A model that
 * learns more rows must read them as training on all rows at once would. Where its columns do not allow that, rows are rejected. */
#ifndef CRD_MODEL_NEW_COLUMNS_H
#define CRD_MODEL_NEW_COLUMNS_H

#include "model/model_internal.h"

/* Whether the model has neither a value of the column nor a statement of what it is. */
bool crd_i_model_is_new_column(const crd_model *model, size_t column);
/* Sets the form that a reader has found for a column. false: out of memory. */
CRD_MUST_USE bool crd_i_model_learn_form(crd_model *model, size_t column, const crd_i_schema_column *found);
/* Gives the columns of `batch`, whose rows `model` is to learn, the forms that their reader has found, if they are new to the model. */
CRD_MUST_USE crd_status crd_i_model_learn_new_forms(const crd_model *model, crd_model *batch, const crd_i_schema *found,
                                                    crd_error *error);
/* Whether training declares the kinds of all columns that have values: if some column has intervals, which are mostly found in a reading
 * of all rows before the model is created. */
bool crd_i_model_declares_kinds(const crd_model *model);
/* Declares the kinds of all columns that have values, as such a training does. */
void crd_i_model_declare_kinds(crd_model *model);
/* CRD_ERROR_SCHEMA_DIFFERS if training on the rows of both at once would read a column in another way than the model does.
 * declares: the model's training declares kinds; finds_forms: forms are found by the texts of values; is_typed: the rows are columns in
 * memory, whose labels are as they are spelled. */
CRD_MUST_USE crd_status crd_i_model_check_columns(const crd_model *model, const crd_model *batch, bool declares,
                                                  bool finds_forms, bool is_typed, crd_error *error);

#endif
