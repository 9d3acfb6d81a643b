/* SPDX-License-Identifier: MIT */
/* partly_labelled.h - learning from rows of which some have no label: see credence/latent.h. */
#ifndef CRD_EM_PARTLY_LABELLED_H
#define CRD_EM_PARTLY_LABELLED_H

#include "cases/case_table.h"

#include <credence/latent.h>

/* A model of the rows of a table that has a target. `weights`, of each row, take the place of the table's own (NULL: these);
 * rows of weight 0 are not there. Columns of the table that the schema has not, which is taken over in any case, are left
 * out. facts may be NULL. */
CRD_MUST_USE crd_status crd_i_partly_labelled_train(const crd_i_case_table *table, const double *weights,
                                                    crd_i_schema *schema, const crd_settings *settings,
                                                    const crd_unlabelled_options *options, crd_model **out,
                                                    crd_unlabelled_facts *facts, crd_error *error);

#endif
