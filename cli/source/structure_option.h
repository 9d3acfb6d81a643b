/* SPDX-License-Identifier: MIT */
/* structure_option.h - the arcs of a network, which --structure names: a network's file, or text such as 'A->B,C->B'.
 *
 * A search may stand in their place, such as hill-climb, which finds arcs among all columns; --method network need not be given
 * with it. A file says more than its arcs: which states its nodes have. They become values of the columns, which are known
 * though no row may have them. */
#ifndef CREDENCE_CLI_STRUCTURE_OPTION_H
#define CREDENCE_CLI_STRUCTURE_OPTION_H

#include "core/invocation.h"
#include "core/lists.h"

#include <credence/profile.h>

/* Reads the file that --structure names, where it is one, and puts its arcs in the place of its name, so that from
 * here on the option is text. */
int structure_read(invocation *call);
void structure_free(structure *source_structure);

/* Whether a structure is given that needs no target: arcs, or a search that takes all columns alike. */
bool structure_needs_no_target(const invocation *call);

/* The usual texts that mean missing, in any case of letters, without those that are states of a file's nodes; false where
 * no state is one. */
bool structure_missing_texts(const invocation *call, list *out);

/* What the columns of a table are by the structure, in two steps, which do nothing where none is given. Before options
 * say what columns are: each node has to be a column. It is a category, with the states of a file's node as values, or a
 * number, which is a continuous node: as the file's node is, or else as its cells are, of which the profile tells: but few
 * different whole numbers are codes, and categories. Without a profile (NULL) the reader finds what they are. What the
 * schema, which may be NULL, has made categories stays so. A search has all columns for nodes, and takes them likewise. Behind them: other columns are left out, and
 * the target is a node, where one was named. */
int structure_choose_kinds(const invocation *call, crd_reader *reader, const crd_profile *profile,
                           const crd_schema *schema);
/* Whether that takes a profile of the rows: arcs are given as text, or a search that takes all columns alike. */
bool structure_needs_profile(const invocation *call);
/* Returns whether --structure names a search, not arcs. */
bool structure_is_searched(const invocation *call);
/* Refuses a reader of one of several shards, which cannot have that profile. */
int structure_check_shard(const invocation *call, const crd_reader *reader);
int structure_choose_columns(const invocation *call, crd_reader *reader, crd_text target);

/* Warns of values that a column has and the file's node has not. */
void structure_warn_of_values(const invocation *call, const crd_model *model);

#endif
