/* SPDX-License-Identifier: MIT */
/* title_lines.h - skips lines before the header of a delimited file: titles and comments. They are recognized by a
 * later line that contains wanted names, or that is clearly the header of the rows below it. */
#ifndef CRD_TABLE_READ_TITLE_LINES_H
#define CRD_TABLE_READ_TITLE_LINES_H

#include "table/read/detect_dialect.h"

/* Names to search for. */
typedef struct crd_i_wanted_names {
    const void *owner;
    size_t count;
    crd_text (*name)(const void *owner, size_t i); /* empty: none */
} crd_i_wanted_names;

typedef struct crd_i_title_search {
    char separator; /* '\0': any separator that can be detected */
    char quote;     /* '\0': none */
    bool is_prompt; /* wait for lines only while the lines before them look like titles */
} crd_i_title_search;

/* The line with the most wanted names among the 20 lines after the latest record. */
typedef struct crd_i_title_find {
    uint64_t line;      /* line number in the file; 0: no line has a name */
    size_t bytes;       /* distance from the latest record to the line */
    bool follows_title; /* the lines before it are comments or have fewer cells, so they can be skipped */
    crd_text name;      /* the first wanted name in the line; lives as long as the names */
} crd_i_title_find;

CRD_MUST_USE crd_status crd_i_title_find_header(crd_i_slow_parse *records, const crd_i_title_search *search,
                                                const crd_i_wanted_names *names, crd_i_title_find *out,
                                                crd_error *error);

/* Finds the line after titles if the rows below it vote for a header. Each title must be one text with fewer cells
 * than that line. Finds nothing for a caller that cannot wait for lines. */
CRD_MUST_USE crd_status crd_i_title_find_table(crd_i_slow_parse *records, const crd_i_title_search *search,
                                               const crd_i_dialect_rules *rules, crd_i_title_find *out,
                                               crd_error *error);

#endif
