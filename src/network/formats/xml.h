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
/* Returns the place of a byte of the current piece's text. */
crd_i_file_place crd_i_xml_place_of(const crd_i_xml *xml, const char *cursor);

/* Appends the decoded TEXT or CDATA piece to `buffer`, in which the element's text begins at `start`. Leading
 * whitespace is skipped. *solid, initially `start`, is set to the end of `buffer` without trailing whitespace.
 * Whitespace written as references or CDATA is not trimmed. Returns CRD_ERROR_SYNTAX, with *bad at the place, for an
 * unknown reference or one that is not a character. */
CRD_MUST_USE crd_status crd_i_xml_decode(const crd_i_xml *xml, crd_i_buffer *buffer, size_t start, size_t *solid,
                                         const char **bad);

#endif
