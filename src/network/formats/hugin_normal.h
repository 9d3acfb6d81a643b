/* SPDX-License-Identifier: MIT */
/* hugin_normal.h - the distributions of continuous nodes in Hugin's NET language.
 *
 *   normal ( 0.1 + 0.5 * Y - 2 * Z, 1.5 )      the mean, linear in continuous parents, and the variance
 *
 * one for each combination of the discrete parents' states, those of the last varying fastest. A mean is a sum of
 * products of numbers and at most one parent; parents that it does not name have a coefficient of 0. */
#ifndef CRD_NETWORK_FORMATS_HUGIN_NORMAL_H
#define CRD_NETWORK_FORMATS_HUGIN_NORMAL_H

#include "network/formats/network_parser.h"
#include "network/formats/network_writer.h"

/* Takes the list from behind "data =" up to behind its semicolon, into the numbers of the draft, as rows of the table of
 * a node whose parents are set. `names` has node numbers by what they are called in the file. */
CRD_MUST_USE crd_status crd_i_net_take_normals(crd_i_parser *parser, const crd_i_dictionary *names, size_t node);

/* One row of a Gaussian node's table; put_name writes what a node is called in the file. */
void crd_i_net_put_normal(crd_i_writing *to, const crd_network *network, const crd_i_node *node, const double *row,
                          void (*put_name)(crd_i_writing *to, const crd_network *network, size_t node));

#endif
