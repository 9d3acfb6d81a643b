/* SPDX-License-Identifier: MIT */
/* hugin_normal.h - the distributions of continuous nodes in Hugin's NET language.
 *
 *   normal ( 0.1 + 0.5 * Y - 2 * Z, 1.5 )      the mean, linear in continuous parents, and the variance
 *
 * There is one such term per combination of discrete parent states; the last parent varies fastest. A mean is a sum
 * of products of numbers and at most one parent. Parents that do not occur have coefficient 0. */
#ifndef CRD_NETWORK_FORMATS_HUGIN_NORMAL_H
#define CRD_NETWORK_FORMATS_HUGIN_NORMAL_H

#include "network/formats/network_parser.h"
#include "network/formats/network_writer.h"

/* Reads the list from after "data =" to after its semicolon into the numbers of the draft, as table rows of a node
 * whose parents are set. `names` maps names in the file to node numbers. */
CRD_MUST_USE crd_status crd_i_net_take_normals(crd_i_parser *parser, const crd_i_dictionary *names, size_t node);

/* Writes one row of a Gaussian node's table. `put_name` writes the name of a node in the file. */
void crd_i_net_put_normal(crd_i_writing *writing, const crd_network *network, const crd_i_node *node, const double *row,
                          void (*put_name)(crd_i_writing *writing, const crd_network *network, size_t node));

#endif
