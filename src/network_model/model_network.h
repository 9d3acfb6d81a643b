/* SPDX-License-Identifier: MIT */
/* model_network.h - models of a specified network: the tables are given by the user, not estimated from rows.
 *
 * Such a model has a column for each node except utilities, in the order of nodes, with the states as declared values.
 * It has no rows. It can be queried and saved, but not updated. When rows are classified, decisions are treated as
 * chance nodes with uniform distributions. */
#ifndef CRD_NETWORK_MODEL_MODEL_NETWORK_H
#define CRD_NETWORK_MODEL_MODEL_NETWORK_H

#include "classify/classifier_internal.h"
#include "em/network_fit.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "model/structure_binding.h"
#include "network/network_internal.h"

#include <credence/network.h>

/* ======== Gaussian nodes ========
 *
 * The table of a Gaussian node is estimated from a model's sufficient statistics. */

/* A node whose table is estimated. Families and network number the nodes alike, and the parents are set in the network.
 * The data rows of the node are the rows without missing values in the node and its parents. */
typedef struct crd_i_learned_node {
    const crd_model *model;
    const crd_settings *settings;
    const crd_i_schema_view *view;
    const crd_i_families *families;
    const crd_network *network;
    size_t node;
} crd_i_learned_node;

/* Computes the rows of the node's table. Returns CRD_ERROR_SETTING if the model does not store the statistics that this
 * requires, and CRD_ERROR_LIMIT if they grew too large and were dropped. */
CRD_MUST_USE crd_status crd_i_learned_gaussian(const crd_i_learned_node *node, double *table, crd_error *error);

/* ======== Network of a model ========
 *
 * The tables of the network are estimated from a model's counts under given settings. */

/* ======== Fitted tables ========
 *
 * EM or gradient ascent fits the tables to the rows that a model stores.
 *
 * The tables are a function of the rows and the settings. So they are taken from the model's cache of fits if it
 * contains them, otherwise fitted; see em/network_fit.h. */

/* The inputs of a fit in addition to the rows. */
typedef struct crd_i_fitted_tables {
    const crd_model *model;
    const crd_settings *settings;
    const crd_i_schema_view *view;
    const crd_i_families *families;
    const double *const *assumed; /* for each node: pseudo-counts of its states, added to every row of its table */
    const bool *is_fixed;         /* for each node: true if its table is specified and not fitted */
} crd_i_fitted_tables;

/* Creates a network with a node for each column in the structure. The states of a node are the column's values in the
 * order of the view. Errors:
 *
 *   CRD_ERROR_SETTING  the settings do not define a network, the model does not store what is needed, or a prior is
 *                      specified but the target has parents
 *   CRD_ERROR_COLUMN   as for crd_network_from_model
 *   CRD_ERROR_EMPTY    there are no rows
 *   CRD_ERROR_LIMIT    a table is too large
 *
 * If the estimator of the settings fits tables to rows, a new fit is added to `fitted` and its
 * progress is stored in `fit`. Both may be NULL. */
CRD_MUST_USE crd_status crd_i_network_count(const crd_model *model, const crd_settings *settings,
                                            const crd_i_schema_view *view, crd_i_fit_cache *fitted, crd_fit *fit,
                                            crd_network **out, crd_error *error);

/* Returns whether the target, with or without parents, has the prior of the settings instead of a table from counts.
 * This is the case if naive Bayes is converted to a network, and if a prior is specified. */
bool crd_i_network_has_prior(const crd_settings *settings, bool has_parents);

/* ======== Scorer ========
 *
 * A Bayesian network can be a scorer, instead of a classifier's densities.
 *
 * The values of a row are evidence on their nodes, and the target is the query. If all parents of the observed nodes
 * and of the target are observed (or the target itself), all other nodes are barren. Then the log posterior is a sum of
 * logarithms of table entries and of log densities of Gaussian nodes. Otherwise a junction tree is used. It is compiled
 * when the first row needs it, or for a single row if the tree of all nodes would be too large. Which method is used
 * depends only on the network and the row.
 *
 * A node that is constant adds no information. Values that did not occur in training are not evidence. */

/* Creates the scorer of a classifier that has classes and attributes. Takes ownership of the network, also on failure.
 * `target` is the query node. Attributes that are nodes are scored jointly from then on. If has_prior is true, the
 * classifier's priors are the target's table, and the target has no parents. Otherwise the priors are set to the
 * marginal distribution of the target. */
CRD_MUST_USE crd_status crd_i_network_scorer_create(crd_classifier *classifier, crd_network *network, crd_text target,
                                                    bool has_prior, crd_error *error);
/* Derives the scorer from the network that a model of rows defines under the classifier's settings. */
CRD_MUST_USE crd_status crd_i_network_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                    const crd_i_schema_view *view, crd_error *error);

/* Marks which nodes are decisions in another network. The classifier must have a network scorer, in which these nodes
 * are chance nodes with uniform tables. Posteriors are then conditional on the observed decisions. */
CRD_MUST_USE crd_status crd_i_network_scorer_set_decisions(crd_classifier *classifier, const crd_network *network,
                                                           crd_error *error);

/* ======== Learned structure ========
 *
 * The structure of a network can be learned from the rows that a model stores.
 *
 * The learned structure is a function of the rows and the settings. So a model with a structure search gives the same
 * results as a model of the same rows with the learned arcs specified. */

/* Creates the network of a model of rows, with the arcs that the settings specify (crd_i_network_count), or with arcs
 * found by their search. The model's cache of fits is used if it contains the arcs. New arcs and new fits of tables are
 * added to `fitted`, and the progress of a table fit is stored in `fit`; both may be NULL. Returns CRD_ERROR_SETTING
 * if the model does not store its rows, or as crd_i_structure_find does. Returns CRD_ERROR_CANCELLED or
 * CRD_ERROR_DEADLINE if the search was stopped. */
CRD_MUST_USE crd_status crd_i_network_of_rows(const crd_model *model, const crd_settings *settings,
                                              const crd_i_schema_view *view, crd_i_fit_cache *fitted, crd_fit *fit,
                                              crd_network **out, crd_error *error);

#endif
