/* SPDX-License-Identifier: MIT */
/* structure_option.h - the arcs of a network: --arcs 'A->B,C->B', --arcs-from FILE, or --search hill-climb.
 *
 * A search learns arcs among all columns and implies --method network. A network file also defines the states of its
 * nodes. They become values of the columns, even if no row contains them. */
#ifndef CREDENCE_CLI_STRUCTURE_OPTION_H
#define CREDENCE_CLI_STRUCTURE_OPTION_H

#include "core/invocation.h"
#include "core/lists.h"

#include <credence/profile.h>

/* Reads --arcs, --arcs-from and --search. Replaces --arcs-from FILE by --arcs with the arcs of the file. */
int structure_read(invocation *call);
void structure_free(structure *source_structure);

/* Returns whether the given structure needs no target: it consists of arcs, or it is a search that treats all columns
 * the same. */
bool structure_needs_no_target(const invocation *call);

/* Lists the usual texts that mean missing, without those that are states of the file's nodes. They are matched in upper
 * or lower case. Returns false if no state is such a text. */
bool structure_missing_texts(const invocation *call, list *out);

/* Sets the column types that the structure implies, before other options are applied. Does nothing if there is no
 * structure. Each node must be a column. It is categorical, with the states of the file's node as values, or numeric,
 * which makes it a continuous node. If there is no file, the type follows from the values in the profile; few distinct
 * integers are codes and therefore categorical. Without a profile (NULL) the reader detects the types. Columns that the
 * schema, which may be NULL, has made categorical stay categorical. A search uses all columns as nodes, with the same
 * rules. Afterwards structure_choose_columns ignores the other columns and checks that the target, if any, is a
 * node. */
int structure_choose_types(const invocation *call, crd_reader *reader, const crd_profile *profile,
                           const crd_schema *schema);
/* Returns whether structure_choose_types needs a profile of the rows: the arcs are given as text, or a search treats
 * all columns the same. */
bool structure_needs_profile(const invocation *call);
/* Returns whether --search is given. */
bool structure_is_searched(const invocation *call);
/* Rejects a reader of one of several shards, because a shard cannot provide the profile. */
int structure_check_shard(const invocation *call, const crd_reader *reader);
int structure_choose_columns(const invocation *call, crd_reader *reader, crd_text target);

/* Warns of values in a column that are not states of the file's node. */
void structure_warn_of_values(const invocation *call, const crd_model *model);

#endif
