/* SPDX-License-Identifier: MIT */
/* network_scorer.h - a Bayesian network in the place of a classifier's densities.
 *
 * A row's cells are what is known of their nodes; what is asked is the target. Where every node that is known, and the
 * target, has parents that are known, all other nodes are barren, and an answer is a sum of logarithms of table
 * entries, and of log densities of Gaussian nodes. A node that is a constant tells nothing. Else it comes from a junction tree, which is compiled when the first row needs it, or for a row alone where
 * the tree of all nodes would be too large. Which way it is depends on the network and the row alone. Values that no
 * row has shown are no evidence. */
#ifndef CRD_NETWORK_MODEL_NETWORK_SCORER_H
#define CRD_NETWORK_MODEL_NETWORK_SCORER_H

#include "classify/classifier_internal.h"
#include "network/network_internal.h"

/* Makes the scorer of a classifier that has its classes and attributes, of a network, which is taken over also when
 * this fails, with this node as target. Attributes that are nodes are scored together from then on. Where has_prior,
 * the classifier's priors are those of its target, which then has no parents; else they become the marginal
 * distribution of the target. */
CRD_MUST_USE crd_status crd_i_network_scorer_create(crd_classifier *classifier, crd_network *network, crd_text target,
                                                    bool has_prior, crd_error *error);
/* The same of the network that a model of rows has counted, under the classifier's settings. */
CRD_MUST_USE crd_status crd_i_network_scorer_derive(crd_classifier *classifier, const crd_model *model,
                                                    const crd_i_schema_view *view, crd_error *error);

/* Of a classifier that has such a scorer: which nodes are the decisions of another network, as whose choices they have
 * even odds. Answers are then of what else is known, given these. */
CRD_MUST_USE crd_status crd_i_network_scorer_set_decisions(crd_classifier *classifier, const crd_network *network,
                                                           crd_error *error);

#endif
