/* SPDX-License-Identifier: MIT */
/* xml_elements.h - elements of XML and what they hold: what the readers of XMLBIF and XDSL share. */
#ifndef CRD_NETWORK_FORMATS_XML_ELEMENTS_H
#define CRD_NETWORK_FORMATS_XML_ELEMENTS_H

#include "network/formats/xml.h"

/* What stands at the latest piece is not what should. */
crd_status crd_i_xml_unexpected(const crd_i_draft *draft, const crd_i_xml *xml, const char *expected);
/* Whether the latest piece is the end of the element; *status is not CRD_OK where it is the end of something else. */
bool crd_i_xml_at_close(const crd_i_draft *draft, const crd_i_xml *xml, const char *name, crd_status *status);
/* From the tag that opens an element to the one that closes it. */
CRD_MUST_USE crd_status crd_i_xml_pass_element(const crd_i_draft *draft, crd_i_xml *xml);
/* What an element says, without the blanks around it; from the tag that opens it to the one that closes it. */
CRD_MUST_USE crd_status crd_i_xml_read_text(const crd_i_draft *draft, crd_i_xml *xml, const char *name,
                                            crd_i_buffer *to);
/* Numbers of an element, appended to those of the draft. */
CRD_MUST_USE crd_status crd_i_xml_read_numbers(crd_i_draft *draft, crd_i_xml *xml, const char *name);
/* What an attribute of the latest OPEN says; has is whether it is there. */
CRD_MUST_USE crd_status crd_i_xml_read_attribute(const crd_i_draft *draft, const crd_i_xml *xml, const char *name,
                                                 crd_i_buffer *to, bool *has);
/* Blanks, ends of lines and commas. */
bool crd_i_xml_is_gap(char byte);
/* Whether the latest piece is a text of blanks only. */
bool crd_i_xml_is_blanks(const crd_i_xml *xml);
/* Before the first piece: to the first tag, unless something but blanks, comments, instructions and a document type precedes it. */
CRD_MUST_USE bool crd_i_xml_pass_prolog(crd_i_xml *xml);
/* At the first tag: whether its element begins with a child of that name. A text of which no more is there is taken for the beginning of
 * such an element: may_be_cut: also in the middle of the next tag. */
bool crd_i_xml_has_child(crd_i_xml xml, bool may_be_cut, const char *name);

#endif
