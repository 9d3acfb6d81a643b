/* SPDX-License-Identifier: MIT */
/* xdsl.h - networks in the format of GeNIe and SMILE, read and written.
 *
 *   <smile version="1.0" id="NAME">
 *     <nodes>
 *       <cpt id="NODE">                                    or deterministic, decision, utility
 *         <state id="STATE" /> ...
 *         <parents>NODE NODE ...</parents>
 *         <probabilities>NUMBER ...</probabilities>        the node's states vary fastest, then the last parent's
 *       </cpt>
 *     </nodes>
 *   </smile>
 *
 * A deterministic node has <resultingstates>STATE ... instead of probabilities, and a utility has <utilities>NUMBER ...
 * . Nodes come in any order, so a file is read twice: for the nodes, and for arcs and tables. The names under
 * <extensions>, which contain the layout on the screen, are skipped. Nodes without a table (noisymax, equations,
 * submodels and so on) are an error that names the node.
 *
 * SMILE accepts identifiers as names. Other names are written as identifiers, with the original names in user
 * properties:
 *
 *   <property id="credence_name">...</property> <property id="credence_states">...</property> */
#ifndef CRD_NETWORK_FORMATS_XDSL_H
#define CRD_NETWORK_FORMATS_XDSL_H

#include "base/buffer.h"
#include "network/network_internal.h"

#define CRD_I_XDSL_NAME "credence_name"
#define CRD_I_XDSL_STATES "credence_states"

/* Returns whether the first tag opens a SMILE network. */
bool crd_i_xdsl_recognise(crd_text beginning);
/* Reads a network. Errors contain the line, the column as `field`, and `place`. */
CRD_MUST_USE crd_status crd_i_xdsl_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                        crd_error *error);
/* Appends the network. Reading it back restores every name and number exactly. */
CRD_MUST_USE crd_status crd_i_xdsl_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
