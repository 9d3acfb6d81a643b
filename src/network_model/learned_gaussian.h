/* SPDX-License-Identifier: MIT */
/* learned_gaussian.h - the table of a Gaussian node from what a model has learned: see gaussian_regression.h. */
#ifndef CRD_NETWORK_MODEL_LEARNED_GAUSSIAN_H
#define CRD_NETWORK_MODEL_LEARNED_GAUSSIAN_H

#include "model/structure_binding.h"
#include "network/network_internal.h"

/* A node of the families, which are numbered as those of the network, whose parents are set. Its rows are those of data
 * that have the node and all of its parents. */
typedef struct crd_i_learned_node {
    const crd_model *model;
    const crd_settings *settings;
    const crd_i_schema_view *view;
    const crd_i_families *families;
    const crd_network *network;
    size_t node;
} crd_i_learned_node;

/* Fills the rows of its table. CRD_ERROR_SETTING where the model has not kept what that takes, CRD_ERROR_LIMIT where it was
 * too much. */
CRD_MUST_USE crd_status crd_i_learned_gaussian(const crd_i_learned_node *node, double *table, crd_error *error);

#endif
