/* SPDX-License-Identifier: MIT */
/* network_draft.h - a network while a file of it is read: what the readers of all formats do alike.
 *
 *   begin; words and numbers as they come; a node of the words, a family of the words, a table of the numbers; end
 *
 * Errors say where: line and column, both from 1. */
#ifndef CRD_NETWORK_FORMATS_NETWORK_DRAFT_H
#define CRD_NETWORK_FORMATS_NETWORK_DRAFT_H

#include "base/buffer.h"
#include "network/network_internal.h"

typedef struct crd_i_file_place {
    uint64_t line, column;
} crd_i_file_place;

typedef struct crd_i_draft {
    crd_context *context;
    const char *file; /* names where the bytes are from */
    crd_error *error;
    crd_network *network;
    crd_text *words; /* of a list: states, or names of nodes */
    size_t word_count, word_room;
    crd_i_buffer letters; /* of words that do not stand in the file as they are */
    size_t letters_used;  /* by the words so far */
    double *numbers;      /* of a list */
    size_t number_count, number_room;
    uint32_t *family; /* the words as nodes */
    size_t family_room;
} crd_i_draft;

CRD_MUST_USE crd_status crd_i_draft_begin(crd_i_draft *draft, crd_context *context, const char *file, crd_error *error);
/* What writers call a network without a name, where the format needs one. */
#define CRD_I_NETWORK_UNNAMED "unknown"

/* Calls the network so, unless it is unnamed. */
CRD_MUST_USE crd_status crd_i_draft_name(crd_i_draft *draft, crd_text name);
/* Finishes the network and hands it over if status is CRD_OK, else destroys it; frees everything else. */
CRD_MUST_USE crd_status crd_i_draft_end(crd_i_draft *draft, crd_status status, crd_network **out);

/* An error and its place; `draft_here` adds the place to an error that is filled in already. */
crd_status crd_i_draft_fail(const crd_i_draft *draft, crd_i_file_place place, crd_status status, const char *format,
                            ...) __attribute__((format(printf, 4, 5)));
crd_status crd_i_draft_here(const crd_i_draft *draft, crd_i_file_place place, crd_status status);

/* Empty lists of words and numbers. */
void crd_i_draft_clear_words(crd_i_draft *draft);
void crd_i_draft_clear_numbers(crd_i_draft *draft);
/* Another word, whose bytes stay where they are. */
CRD_MUST_USE crd_status crd_i_draft_word(crd_i_draft *draft, crd_text word);
/* Another word, of what was appended to `letters` behind the word before; a list has words of one sort only. Before
 * they are looked at, settle says where they are. */
CRD_MUST_USE crd_status crd_i_draft_letters_word(crd_i_draft *draft);
void crd_i_draft_settle(crd_i_draft *draft);
/* Appends a name in which %XX stands for a byte that a reader might take for something else. */
CRD_MUST_USE crd_status crd_i_draft_decode(const crd_i_draft *draft, crd_text text, crd_i_buffer *to);
/* States that are so encoded, with commas between, in the place of as many words. */
CRD_MUST_USE crd_status crd_i_draft_decode_states(crd_i_draft *draft, crd_i_file_place place, crd_text text);
CRD_MUST_USE crd_status crd_i_draft_number(crd_i_draft *draft, double number);

/* A node with the words as its states; those of a utility do not matter. */
CRD_MUST_USE crd_status crd_i_draft_node(crd_i_draft *draft, crd_i_file_place place, crd_text name, crd_node_kind kind);
/* Whether each of the words is the name of a node; `names` has node numbers by name, NULL: those of the network. */
bool crd_i_draft_knows(const crd_i_draft *draft, const crd_i_dictionary *names);
/* The first of the words as a node, the others as its parents. A word that is no node is CRD_ERROR_COLUMN. */
CRD_MUST_USE crd_status crd_i_draft_family(crd_i_draft *draft, crd_i_file_place place, const crd_i_dictionary *names,
                                           size_t *node);
/* The numbers as the table of a node, row by row. */
CRD_MUST_USE crd_status crd_i_draft_table(crd_i_draft *draft, crd_i_file_place place, size_t node);
/* The error for a list of numbers that is too short or too long. */
crd_status crd_i_draft_wrong_count(const crd_i_draft *draft, crd_i_file_place place, const crd_i_node *node,
                                   size_t expected);

#endif
