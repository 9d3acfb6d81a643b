/* SPDX-License-Identifier: MIT */
/* network_scorer.h - a Bayesian network as a scorer, instead of a classifier's densities.
 *
 * The values of a row are evidence on their nodes, and the target is the query. If all parents of the observed nodes
 * and of the target are observed (or the target itself), all other nodes are barren. Then the log posterior is a sum of
 * logarithms of table entries and of log densities of Gaussian nodes. Otherwise a junction tree is used. It is compiled
 * when the first row needs it, or for a single row if the tree of all nodes would be too large. Which method is used
 * depends only on the network and the row.
 *
 * A node that is constant adds no information. Values that did not occur in training are not evidence. */
#ifndef CRD_NETWORK_MODEL_NETWORK_SCORER_H
#define CRD_NETWORK_MODEL_NETWORK_SCORER_H

#include "classify/classifier_internal.h"
#include "network/network_internal.h"

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

#endif
