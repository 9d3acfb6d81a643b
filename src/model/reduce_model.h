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

#endif
