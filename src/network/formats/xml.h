/* SPDX-License-Identifier: MIT */
/* xml.h - the subset of XML that XMLBIF and XDSL need: a stream of tags and text pieces with their places.
 *
 * Comments, processing instructions and the document type, including its declarations, are skipped. Opening and
 * closing tags are not matched here. Nothing is allocated. */
#ifndef CRD_NETWORK_FORMATS_XML_H
#define CRD_NETWORK_FORMATS_XML_H

#include "network/formats/network_draft.h"

typedef enum crd_i_xml_kind {
    CRD_I_XML_END,
    CRD_I_XML_OPEN,  /* <name ...>; for <name/> a CLOSE follows */
    CRD_I_XML_CLOSE, /* </name> */
    CRD_I_XML_TEXT,  /* text that may contain references such as &lt; */
    CRD_I_XML_CDATA, /* literal text */
    CRD_I_XML_BROKEN /* `problem` describes the error; nothing follows */
} crd_i_xml_kind;

/* The current piece and the position of the next one. A copy continues from the same position. */
typedef struct crd_i_xml {
    const char *cursor, *end, *line_start;
    uint64_t line_at; /* line of `cursor` */
    bool is_latin;    /* the bytes are ISO-8859-1; otherwise they are kept unchanged */
    bool is_empty;    /* a CLOSE of the same name comes next */
    crd_i_xml_kind kind;
    crd_text name; /* name in OPEN and CLOSE */
    crd_text text; /* for OPEN: the attributes */
    crd_i_file_place place;
    const char *problem;
} crd_i_xml;

/* Returns a parser positioned before the first piece. */
crd_i_xml crd_i_xml_begin(crd_text bytes);
void crd_i_xml_next(crd_i_xml *xml);
/* Returns whether the byte is a space, a tab or a line break. */
bool crd_i_xml_is_blank(char byte);
/* Returns whether the current tag has this name, ignoring case. */
bool crd_i_xml_is(const crd_i_xml *xml, const char *name);
/* Returns the raw value of an attribute of the current OPEN; its bytes are NULL if it is missing. */
crd_text crd_i_xml_attribute(const crd_i_xml *xml, const char *name);

/* ======== Elements and content ========
 *
 * The readers of XMLBIF and XDSL share these functions. */

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
