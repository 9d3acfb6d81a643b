/* SPDX-License-Identifier: MIT */
/* xmlbif.h - networks as XMLBIF 0.3, read and written.
 *
 *   <BIF VERSION="0.3"><NETWORK><NAME>...</NAME>
 *   <VARIABLE TYPE="nature"><NAME>A</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
 *   <DEFINITION><FOR>A</FOR><GIVEN>B</GIVEN><GIVEN>C</GIVEN><TABLE>0.1 0.9 ...</TABLE></DEFINITION>
 *   </NETWORK></BIF>
 *
 * TYPE is nature (or chance), decision or utility. Rows of a table have a number for each state of FOR, those of the last GIVEN
 * varying fastest; a utility has one number a row, and a decision's table means nothing. Tags are taken in any case of
 * letters; VALUE is OUTCOME and PROBABILITY is DEFINITION, as in older versions; other elements are passed over. Blanks
 * around names and numbers are layout.
 *
 * Written names have references (&#32;) for blanks at their ends and for control characters, so that every name comes
 * back. Strict readers of XML refuse the latter. */
#ifndef CRD_NETWORK_FORMATS_XMLBIF_H
#define CRD_NETWORK_FORMATS_XMLBIF_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Returns whether the text begins like XML, or with the tag or document type of the format. */
bool crd_i_xmlbif_recognise(crd_text beginning);
CRD_MUST_USE crd_status crd_i_xmlbif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                          crd_error *error);
/* Writes a network. Returns CRD_ERROR_SYNTAX for a name that contains a NUL character. */
CRD_MUST_USE crd_status crd_i_xmlbif_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
