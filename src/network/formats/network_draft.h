/* SPDX-License-Identifier: MIT */
/* network_draft.h - a network while its file is read, shared by the readers of all formats.
 *
 * Usage: begin; collect words and numbers; create a node from words, a family from words, a table from numbers; end.
 *
 * Errors contain the line and column, both counted from 1. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_DRAFT_H
#define CRD_NETWORK_FORMATS_NETWORK_DRAFT_H

#include "base/buffer.h"
#include "network/network_internal.h"

typedef struct crd_i_file_place {
    uint64_t line, column;
} crd_i_file_place;

typedef struct crd_i_draft {
    crd_context *context;
    const char *file; /* name of the source of the bytes */
    crd_error *error;
    crd_network *network;
    crd_text *words; /* words of a list: states, or node names */
    size_t word_count, word_room;
    crd_i_buffer letters; /* storage of decoded words, which do not occur literally in the file */
    size_t letters_used;  /* bytes used by the words so far */
    double *numbers;      /* numbers of a list */
    size_t number_count, number_room;
    uint32_t *family; /* the words as node numbers */
    size_t family_room;
} crd_i_draft;

CRD_MUST_USE crd_status crd_i_draft_begin(crd_i_draft *draft, crd_context *context, const char *file, crd_error *error);
/* Name written for an unnamed network if the format requires one. */
#define CRD_I_NETWORK_UNNAMED "unknown"

/* Sets the network's name, unless the name means "unnamed". */
CRD_MUST_USE crd_status crd_i_draft_name(crd_i_draft *draft, crd_text name);
/* Finishes the network and stores it in *out if `status` is CRD_OK, otherwise destroys it. Frees everything else. */
CRD_MUST_USE crd_status crd_i_draft_end(crd_i_draft *draft, crd_status status, crd_network **out);

/* Report an error with its place. crd_i_draft_here adds the place to an error that is already filled in. */
crd_status crd_i_draft_fail(const crd_i_draft *draft, crd_i_file_place place, crd_status status, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));
crd_status crd_i_draft_here(const crd_i_draft *draft, crd_i_file_place place, crd_status status);

/* Empty the lists of words and numbers. */
void crd_i_draft_clear_words(crd_i_draft *draft);
void crd_i_draft_clear_numbers(crd_i_draft *draft);
/* Adds a word without copying its bytes. */
CRD_MUST_USE crd_status crd_i_draft_word(crd_i_draft *draft, crd_text word);
/* Adds a word made of the bytes appended to `letters` since the previous word. A list contains either such words or
 * plain ones. Call settle before reading the words, to set their addresses. */
CRD_MUST_USE crd_status crd_i_draft_letters_word(crd_i_draft *draft);
void crd_i_draft_settle(crd_i_draft *draft);
/* Appends a name and decodes %XX escapes, which protect bytes that readers might misinterpret. */
CRD_MUST_USE crd_status crd_i_draft_decode(const crd_i_draft *draft, crd_text text, crd_i_buffer *buffer);
/* Decodes comma-separated encoded states, which replace the same number of words. */
CRD_MUST_USE crd_status crd_i_draft_decode_states(crd_i_draft *draft, crd_i_file_place place, crd_text text);
CRD_MUST_USE crd_status crd_i_draft_number(crd_i_draft *draft, double number);

/* Adds a node whose states are the words. The words are ignored for a utility. */
CRD_MUST_USE crd_status crd_i_draft_node(crd_i_draft *draft, crd_i_file_place place, crd_text name, crd_node_kind kind);
/* Returns whether each word is the name of a node. `names` maps names to node numbers; NULL means the names of the
 * network. */
bool crd_i_draft_knows(const crd_i_draft *draft, const crd_i_dictionary *names);
/* Makes the first word a node and the others its parents. Returns CRD_ERROR_COLUMN if a word is not a node. */
CRD_MUST_USE crd_status crd_i_draft_family(crd_i_draft *draft, crd_i_file_place place, const crd_i_dictionary *names,
                                           size_t *node);
/* Sets the table of a node from the numbers, row by row. */
CRD_MUST_USE crd_status crd_i_draft_table(crd_i_draft *draft, crd_i_file_place place, size_t node);
/* Returns the error for a list with the wrong number of values. */
crd_status crd_i_draft_wrong_count(const crd_i_draft *draft, crd_i_file_place place, const crd_i_node *node,
                                   size_t expected);

/* ======== Identifiers ========
 *
 * Identifiers replace names in formats whose readers accept only identifiers. */

/* An identifier starts with a letter, an underscore or, if allowed, a digit. It continues with letters, digits,
 * underscores and `further` bytes. An identifier that starts with a digit contains only letters and digits. Only
 * ASCII is allowed. */
typedef struct crd_i_identifier_rules {
    const char *further;
    bool may_begin_with_digit;
    size_t most_bytes;           /* 0: any number */
    const char *const *keywords; /* compared case-insensitively, terminated by NULL; NULL: none */
} crd_i_identifier_rules;

bool crd_i_is_identifier(crd_text name, const crd_i_identifier_rules *rules);

/* A unique identifier for each node and each state of a network, with the same numbers. It is the name itself if
 * that is an identifier. Otherwise each forbidden character becomes an underscore, and a number is appended if the
 * result is in use. */
typedef struct crd_i_network_identifiers {
    const crd_network *network;
    crd_i_dictionary *nodes;
    crd_i_dictionary **states; /* by node */
} crd_i_network_identifiers;

/* Creates identifiers for all nodes and states. Returns false if memory runs out. Always clear it with _clear. */
CRD_MUST_USE bool crd_i_network_identifiers_create(crd_i_network_identifiers *identifiers, const crd_network *network,
                                                   const crd_i_identifier_rules *nodes,
                                                   const crd_i_identifier_rules *states);
void crd_i_network_identifiers_clear(crd_i_network_identifiers *identifiers);
/* Returns whether the identifier of the node, or of one of its states, differs from its name. */
bool crd_i_network_identifiers_rename(const crd_i_network_identifiers *identifiers, size_t node);
bool crd_i_network_identifiers_rename_states(const crd_i_network_identifiers *identifiers, size_t node);

#endif
