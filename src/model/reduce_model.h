/* SPDX-License-Identifier: MIT */
/* reduce_model.h - the models that the processes of a group have made of parts of the rows, as one. */
#ifndef CRD_MODEL_REDUCE_MODEL_H
#define CRD_MODEL_REDUCE_MODEL_H

#include "model/model_internal.h"

/* What is known of further rows. */
void crd_i_read_facts_add(crd_read_facts *facts, const crd_read_facts *more);
/* A text of rows that were skipped: the least of all stays, so that it does not depend on which came first. */
void crd_i_read_facts_note(crd_read_facts *facts, crd_text text);

/* Merges the models of all processes along a tree, and adds up the facts; each has the whole then. Takes how the caller's own work has
 * ended, and is called by all: see base/collective.h. Where it fails, *model is NULL. */
CRD_MUST_USE crd_status crd_i_model_reduce(crd_context *context, crd_status status, crd_model **model,
                                           crd_read_facts *facts, crd_error *error);
/* The same of models of the rows of a reader: where each process has all rows, its own model is the whole. */
CRD_MUST_USE crd_status crd_i_model_reduce_rows(const crd_reader *reader, crd_status status, crd_model **model,
                                                crd_read_facts *facts, crd_error *error);

#endif
