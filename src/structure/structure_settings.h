/* SPDX-License-Identifier: MIT */
/* structure_settings.h - runs the structure search that settings specify: the search, its score or test, and
 * constraints. */
#ifndef CRD_STRUCTURE_STRUCTURE_SETTINGS_H
#define CRD_STRUCTURE_STRUCTURE_SETTINGS_H

#include "structure/bootstrap.h"

#include <credence/structure.h>

/* Returns whether a column of a table can be a node: it is numeric or has states. */
bool crd_i_structure_is_node(const crd_i_case_column *column);
/* Drops the columns that cannot be nodes. */
CRD_MUST_USE crd_status crd_i_structure_keep_nodes(crd_i_case_table *table, crd_error *error);

/* Returns the search that settings specify, or NULL. Sets *dependence to the k of k-dependence. */
const crd_i_search *crd_i_structure_search_of(const crd_settings *settings, size_t *dependence);
/* Runs the search of the settings, which must specify one (crd_i_settings_search), over a table whose columns are
 * all nodes. Returns CRD_ERROR_EMPTY if the table has no rows or no nodes. Returns CRD_ERROR_COLUMN if a constraint
 * names an unknown node. Returns CRD_ERROR_SETTING or CRD_ERROR_CYCLE if constraints cannot be satisfied or the
 * search does not support them, or if it needs a target and the table has none. */
CRD_MUST_USE crd_status crd_i_structure_find(const crd_i_case_table *table, const crd_settings *settings,
                                             const crd_structure_options *options, crd_i_search_result *out,
                                             crd_error *error);

/* Runs the search of the settings over bootstrap resamples, and computes the averaged network: see crd_i_bootstrap. */
CRD_MUST_USE crd_status crd_i_structure_bootstrap(const crd_i_case_table *table, const crd_settings *settings,
                                                  const crd_structure_options *options, crd_i_bootstrap_result *out,
                                                  crd_error *error);

/* Returns the arcs of a DAG over the columns, in the syntax of the setting `structure`. The caller frees the text.
 * Returns NULL if memory runs out. */
char *crd_i_structure_arcs(const crd_i_case_table *table, const crd_i_graph *dag);

#endif
