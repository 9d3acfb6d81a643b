/* SPDX-License-Identifier: MIT */
/* partly_labelled.h - semi-supervised learning: training on partly labeled rows. See credence/latent.h. */
#ifndef CRD_EM_PARTLY_LABELLED_H
#define CRD_EM_PARTLY_LABELLED_H

#include "cases/case_table.h"

#include <credence/latent.h>

/* Trains a model on the rows of a table that has a target. `weights` gives the weight of each row; NULL: the table's
 * weights. Rows of weight 0 are ignored. The call takes ownership of `schema`, even on failure; table columns that are
 * missing in the schema are ignored. `facts` may be NULL. */
CRD_MUST_USE crd_status crd_i_partly_labelled_train(const crd_i_case_table *table, const double *weights,
                                                    crd_i_schema *schema, const crd_settings *settings,
                                                    const crd_unlabelled_options *options, crd_model **out,
                                                    crd_unlabelled_facts *facts, crd_error *error);

#endif
