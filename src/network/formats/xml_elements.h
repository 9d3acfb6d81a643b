/* SPDX-License-Identifier: MIT */
/* xml_elements.h - XML elements and their content, shared by the readers of XMLBIF and XDSL. */
#ifndef CRD_NETWORK_FORMATS_XML_ELEMENTS_H
#define CRD_NETWORK_FORMATS_XML_ELEMENTS_H

#include "network/formats/xml.h"

/* Reports that the current piece is not the expected one. */
crd_status crd_i_xml_unexpected(const crd_i_draft *draft, const crd_i_xml *xml, const char *expected);
/* Returns whether the current piece closes the element. Sets *status to an error if it closes a different element. */
bool crd_i_xml_at_close(const crd_i_draft *draft, const crd_i_xml *xml, const char *name, crd_status *status);
/* Skips from an opening tag to its closing tag. */
CRD_MUST_USE crd_status crd_i_xml_pass_element(const crd_i_draft *draft, crd_i_xml *xml);
/* Reads the text of an element, without surrounding whitespace, from its opening to its closing tag. */
CRD_MUST_USE crd_status crd_i_xml_read_text(const crd_i_draft *draft, crd_i_xml *xml, const char *name,
                                            crd_i_buffer *buffer);
/* Appends the numbers of an element to the numbers of the draft. */
CRD_MUST_USE crd_status crd_i_xml_read_numbers(crd_i_draft *draft, crd_i_xml *xml, const char *name);
/* Reads an attribute of the current OPEN. `has` is set to whether it exists. */
CRD_MUST_USE crd_status crd_i_xml_read_attribute(const crd_i_draft *draft, const crd_i_xml *xml, const char *name,
                                                 crd_i_buffer *buffer, bool *has);
/* Returns whether the byte is whitespace or a comma. */
bool crd_i_xml_is_gap(char byte);
/* Returns whether the current piece is whitespace only. */
bool crd_i_xml_is_blanks(const crd_i_xml *xml);
/* Moves from the start to the first tag. Returns false if anything except whitespace, comments, instructions and a
 * document type comes before it. */
CRD_MUST_USE bool crd_i_xml_pass_prolog(crd_i_xml *xml);
/* Returns whether the element of the first tag begins with a child of that name. A truncated text counts if what is
 * there matches. If `may_be_cut` is true, it may end within the next tag. */
bool crd_i_xml_has_child(crd_i_xml xml, bool may_be_cut, const char *name);

#endif
