/* SPDX-License-Identifier: MIT */
/* structure_settings.h - the search for a structure that settings state: which one, its score or test, and constraints. */
#ifndef CRD_STRUCTURE_STRUCTURE_SETTINGS_H
#define CRD_STRUCTURE_STRUCTURE_SETTINGS_H

#include "structure/bootstrap.h"

#include <credence/structure.h>

/* Whether a column of a table can be a node: it has states, or numbers. */
bool crd_i_structure_is_node(const crd_i_case_column *column);
/* Drops the columns that can be no nodes. */
CRD_MUST_USE crd_status crd_i_structure_keep_nodes(crd_i_case_table *table, crd_error *error);

/* The search that settings state, and the k of k-dependence; NULL: none. */
const crd_i_search *crd_i_structure_search_of(const crd_settings *settings, size_t *dependence);
/* The search of the settings, of which there is one (crd_i_settings_search), over a table whose columns are all nodes.
 * CRD_ERROR_EMPTY: the table has no row, or no node; CRD_ERROR_COLUMN: a constraint names no node; CRD_ERROR_SETTING,
 * CRD_ERROR_CYCLE: constraints cannot be met, or the search takes none; it needs a target, and the table has none. */
CRD_MUST_USE crd_status crd_i_structure_find(const crd_i_case_table *table, const crd_settings *settings,
                                             const crd_structure_options *options, crd_i_search_result *out,
                                             crd_error *error);

/* The same of resamples, and the averaged network: see crd_i_bootstrap. */
CRD_MUST_USE crd_status crd_i_structure_bootstrap(const crd_i_case_table *table, const crd_settings *settings,
                                                  const crd_structure_options *options, crd_i_bootstrap_result *out,
                                                  crd_error *error);

/* The arcs of a DAG over the columns, as the setting `structure` has them. NULL: out of memory. */
char *crd_i_structure_arcs(const crd_i_case_table *table, const crd_i_graph *dag);

#endif
