/* network_classifier.h - a Bayesian network in the place of a classifier's densities.
 *
 * A row's cells are what is known of their nodes; what is asked is the target. Where every node that is known, and the
 * target, has parents that are known, all other nodes are barren, and an answer is a sum of logarithms of table
 * entries. Else it comes from a junction tree, which is compiled when the first row needs it, or for a row alone where
 * the tree of all nodes would be too large. Which way it is depends on the network and the row alone. Values that no
 * row has shown are no evidence. */
#ifndef CRD_NETWORK_MODEL_NETWORK_CLASSIFIER_H
#define CRD_NETWORK_MODEL_NETWORK_CLASSIFIER_H

#include "classify/classifier_internal.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "network/network_internal.h"

typedef struct crd_i_network_part crd_i_network_part;

/* Of a network, which is taken over also when this fails, with this node as target, for a classifier that has its
 * classes, attributes and compound, where it is put. Marks the attributes that are nodes as taken. Where has_prior, the
 * classifier's priors are those of its target, which then has no parents; else they become what the network says before
 * anything is known. */
CRD_MUST_USE crd_status crd_i_network_part_create(crd_classifier *classifier, crd_network *network, crd_text target,
                                                  bool has_prior, crd_error *error);
/* The same of the network that a model of rows has counted, under the classifier's settings. */
CRD_MUST_USE crd_status crd_i_network_part_derive(crd_classifier *classifier, const crd_model *model,
                                                  const crd_i_schema_view *order, crd_error *error);
void crd_i_network_part_destroy(crd_i_network_part *part); /* NULL is fine */

/* Says which nodes are the decisions of another network, as whose choices they have even odds: answers are then of what
 * else is known, given these. */
CRD_MUST_USE crd_status crd_i_network_part_set_decisions(crd_i_network_part *part, const crd_network *network,
                                                         crd_error *error);

/* Doubles that an answer works in. */
size_t crd_i_network_part_room(const crd_i_network_part *part);
/* The logarithm of the probability of the cells together with each class; -INFINITY for all where they cannot be.
 * CRD_ERROR_LIMIT: it would take too much memory. For any thread. */
CRD_MUST_USE crd_status crd_i_network_part_ask(crd_i_network_part *part, const crd_classifier *classifier,
                                               const crd_i_one_cell *cells, double *sums, double *room,
                                               crd_error *error);
/* What crd_i_compound_propose asks of a classifier that has a network. */
CRD_MUST_USE crd_status crd_i_network_part_answer(const crd_classifier *classifier, const crd_i_one_cell *cells,
                                                  double *log_posterior, double *probabilities, crd_answer *answer,
                                                  double *room, crd_error *error);

const crd_network *crd_i_network_part_network(const crd_i_network_part *part);

#endif
