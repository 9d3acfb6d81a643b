/* SPDX-License-Identifier: MIT */
/* structure_binding.h - the setting `structure` and the columns of a model: which of them are nodes of a network, and
 * which nodes are the parents of which.
 *
 * Categories are nodes with states, numbers are Gaussian nodes, which no category has for a parent. A node's family is the
 * node and its parents. How often which states of a family were met together, or the sums of its numbers for each
 * combination of states, is what its table is made of: the class is the condition of everything that a model counts, so
 * families with one attribute or none are in its main tallies; for the others it keeps joint tallies, of cells where the node
 * is a category, of groups where it is a number. */
#ifndef CRD_MODEL_STRUCTURE_BINDING_H
#define CRD_MODEL_STRUCTURE_BINDING_H

#include "model/model_internal.h"
#include "model/schema_view.h"

typedef struct crd_i_families {
    crd_context *context;
    size_t count;      /* of nodes */
    size_t target;     /* the node that is the model's target; SIZE_MAX: it has none */
    size_t *columns;   /* of each node, its column of the schema; SIZE_MAX: it is hidden */
    size_t *hidden;    /* of each node that is hidden, how many states it has */
    crd_text *names;   /* of each node, as the schema or the settings have it */
    size_t *ends;      /* of each node, where its last parent ends */
    uint32_t *parents; /* node by node, their numbers, which ascend */
    bool *are_numbers; /* of each node, whether it is Gaussian */
} crd_i_families;

/* The nodes are the columns that the structure names, in the order of the schema; where tables are fitted to rows
 * (crd_i_settings_estimator), these and the hidden ones in the order of names, so that fits do not depend on the order of
 * columns. Without a structure they are the target and all others, of which it is the parent; so they are in a model that
 * is_naive, whatever structure is stated, which may then have no numbers. Columns of which no value is known are left out.
 * CRD_ERROR_COLUMN: there is no such column, or a number in a naive one; CRD_ERROR_KIND: an arc leads from a number to a
 * category, or tables are fitted and a node is a number; CRD_ERROR_SETTING: the structure does not name the target, or
 * there is no target, and no structure either; or a hidden node is a column, is not in the structure, or has no number of
 * states. Closed with _close, which also takes
 * one that is all zero. */
CRD_MUST_USE crd_status crd_i_families_open(const crd_model *model, const crd_settings *settings,
                                            const crd_i_schema_view *order, bool is_naive, crd_i_families *out,
                                            crd_error *error);
void crd_i_families_close(crd_i_families *families);
size_t crd_i_families_first(const crd_i_families *families, size_t node); /* where its first parent is */

/* Sets of attributes that have to be counted together: those of the families that have two or more, in the order of
 * their names, one after the other; the same may be there twice. Nothing was learned yet. Errors are those of opening.
 */
typedef struct crd_i_family_blocks {
    crd_context *context;
    size_t count;
    size_t *columns; /* of all of them */
    size_t *ends;    /* of each */
    crd_kind *kinds; /* of each, that its node is declared as; NONE: its cells will show it */
} crd_i_family_blocks;

CRD_MUST_USE crd_status crd_i_family_blocks_open(const crd_model *model, crd_i_family_blocks *out, crd_error *error);
void crd_i_family_blocks_close(crd_i_family_blocks *blocks); /* all zero is fine */

#endif
