/* SPDX-License-Identifier: MIT */
/* xml.h - as much of XML as XMLBIF needs: tags and the text between them, one after the other, each with its place.
 *
 * Comments, processing instructions and the document type, its declarations included, are passed over. Elements are not
 * matched with each other here. Nothing is allocated. */
#ifndef CRD_NETWORK_FORMATS_XML_H
#define CRD_NETWORK_FORMATS_XML_H

#include "network/formats/network_draft.h"

typedef enum crd_i_xml_kind {
    CRD_I_XML_END,
    CRD_I_XML_OPEN,  /* <name ...>; of <name/> a CLOSE follows */
    CRD_I_XML_CLOSE, /* </name> */
    CRD_I_XML_TEXT,  /* with references in it: &lt; and so on */
    CRD_I_XML_CDATA, /* text as it is */
    CRD_I_XML_BROKEN /* `problem` says what is wrong; nothing follows */
} crd_i_xml_kind;

/* The latest piece, and where the next one is looked for. Copies go on from the same place. */
typedef struct crd_i_xml {
    const char *at, *end, *line_start;
    uint64_t line_at; /* of `at` */
    bool is_latin;    /* the bytes are ISO-8859-1, else kept as they are */
    bool is_empty;    /* a CLOSE of the same name comes next */
    crd_i_xml_kind kind;
    crd_text name; /* of OPEN and CLOSE */
    crd_text text; /* of OPEN: the attributes */
    crd_i_file_place place;
    const char *problem;
} crd_i_xml;

/* Before the first piece. */
crd_i_xml crd_i_xml_begin(crd_text bytes);
void crd_i_xml_next(crd_i_xml *xml);
/* A space, a tab or a line end. */
bool crd_i_xml_is_blank(char byte);
/* Whether the latest tag has this name, in any case of letters. */
bool crd_i_xml_is(const crd_i_xml *xml, const char *name);
/* The value of an attribute of the latest OPEN, as it stands there; bytes NULL where there is none. */
crd_text crd_i_xml_attribute(const crd_i_xml *xml, const char *name);
/* Where a byte of the latest piece's text stands. */
crd_i_file_place crd_i_xml_place_of(const crd_i_xml *xml, const char *at);

/* Appends what the latest TEXT or CDATA says to `to`, in which what the element says begins at `start`. Blanks in front
 * of everything else are passed over; *solid, at first `start`, comes to be the end of `to` without blanks behind
 * everything else. Blanks as references or CDATA are no blanks in this sense. CRD_ERROR_SYNTAX, with *bad at the place,
 * where a reference is not known or stands for no character. */
CRD_MUST_USE crd_status crd_i_xml_decode(const crd_i_xml *xml, crd_i_buffer *to, size_t start, size_t *solid,
                                         const char **bad);

#endif
