/* SPDX-License-Identifier: MIT */
/* xmlbif.h - networks as XMLBIF 0.3, read and written.
 *
 *   <BIF VERSION="0.3"><NETWORK><NAME>...</NAME>
 *   <VARIABLE TYPE="nature"><NAME>A</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
 *   <DEFINITION><FOR>A</FOR><GIVEN>B</GIVEN><GIVEN>C</GIVEN><TABLE>0.1 0.9 ...</TABLE></DEFINITION>
 *   </NETWORK></BIF>
 *
 * TYPE is nature (or chance), decision or utility. Table rows have one number per state of FOR; the states of the last
 * GIVEN vary fastest. A utility has one number per row, and a decision's table is ignored. Tags are case-insensitive.
 * VALUE means OUTCOME and PROBABILITY means DEFINITION, as in older versions. Other elements are skipped. Whitespace
 * around names and numbers is layout.
 *
 * Names are written with references such as &#32; for spaces at their ends, tabs and line breaks, so every name is
 * read back unchanged. Names with other control characters or invalid UTF-8 cannot be written, because XML cannot
 * contain them. */
#ifndef CRD_NETWORK_FORMATS_XMLBIF_H
#define CRD_NETWORK_FORMATS_XMLBIF_H

#include "base/buffer.h"
#include "network/network_internal.h"

/* Returns whether the text begins like XML, or with the tag or document type of the format. */
bool crd_i_xmlbif_recognise(crd_text beginning);
CRD_MUST_USE crd_status crd_i_xmlbif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                                          crd_error *error);
/* Writes a network. Returns CRD_ERROR_SYNTAX for a name with a character that XML cannot contain. */
CRD_MUST_USE crd_status crd_i_xmlbif_write(const crd_network *network, crd_i_buffer *out, crd_error *error);

#endif
