/* SPDX-License-Identifier: MIT */
/* gaussian_regression.h - the table of a Gaussian node from a model's sufficient statistics: see gaussian_regression.h. */
#ifndef CRD_NETWORK_MODEL_GAUSSIAN_REGRESSION_H
#define CRD_NETWORK_MODEL_GAUSSIAN_REGRESSION_H

#include "model/structure_binding.h"
#include "network/network_internal.h"

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

#endif
