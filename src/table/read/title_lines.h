/* SPDX-License-Identifier: MIT */
/* title_lines.h - lines before the header of a delimited file: titles and comments, known by a later line that has the
 * names that somebody asks for, or that is clearly the header of the rows below it. */
#ifndef CRD_TABLE_READ_TITLE_LINES_H
#define CRD_TABLE_READ_TITLE_LINES_H

#include "table/read/detect_dialect.h"

/* Names that are looked for. */
typedef struct crd_i_wanted_names {
    const void *owner;
    size_t count;
    crd_text (*name)(const void *owner, size_t i); /* empty: none */
} crd_i_wanted_names;

typedef struct crd_i_title_search {
    char separator; /* '\0': any of those that are found without being stated */
    char quote;     /* '\0': none */
    bool is_prompt; /* lines are waited for only while those before them look like titles */
} crd_i_title_search;

/* The line with the most names, of the 20 lines that follow the record found last. */
typedef struct crd_i_title_find {
    uint64_t line;      /* its number in the file; 0: no line has a name */
    size_t bytes;       /* from the record found last to the line */
    bool follows_title; /* the lines before it are comments, or have fewer cells: they can be skipped */
    crd_text name;      /* the first of its names; lives as long as the names */
} crd_i_title_find;

CRD_MUST_USE crd_status crd_i_title_find_header(crd_i_slow_parse *records, const crd_i_title_search *search,
                                                const crd_i_wanted_names *names, crd_i_title_find *out,
                                                crd_error *error);

/* The line after titles, each of which is one text with fewer cells than that line, if the rows below it vote for a header. Of a caller
 * who cannot wait for lines, none. */
CRD_MUST_USE crd_status crd_i_title_find_table(crd_i_slow_parse *records, const crd_i_title_search *search,
                                               const crd_i_dialect_rules *rules, crd_i_title_find *out,
                                               crd_error *error);

#endif
