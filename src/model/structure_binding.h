/* SPDX-License-Identifier: MIT */
/* structure_binding.h - maps the setting `structure` to the columns of a model: which columns are nodes of a
 * network, and the parents of each node.
 *
 * Categories are discrete nodes. Numbers are Gaussian nodes, which cannot be parents of categories. A node's family is
 * the node and its parents. The table of a discrete node is estimated from the joint counts of its family's states. The
 * table of a Gaussian node is estimated from the sums of its numbers for each combination of states. The class is the
 * condition of all counts, so families with at most one attribute are in the main tallies. Other families need joint
 * tallies: joint counts if the node is categorical, grouped moments if it is numeric. */
#ifndef CRD_MODEL_STRUCTURE_BINDING_H
#define CRD_MODEL_STRUCTURE_BINDING_H

#include "model/model_internal.h"
#include "model/schema_view.h"

typedef struct crd_i_families {
    crd_context *context;
    size_t count;      /* number of nodes */
    size_t target;     /* node of the model's target; SIZE_MAX: none */
    size_t *columns;   /* schema column of each node; SIZE_MAX: the node is latent */
    size_t *hidden;    /* number of states of each latent node */
    crd_text *names;   /* name of each node, from the schema or the settings */
    size_t *ends;      /* for each node, the index after its last parent */
    uint32_t *parents; /* parent numbers of all nodes, ascending for each node */
    bool *are_numbers; /* whether each node is Gaussian */
} crd_i_families;

/* Opens the families. The nodes are the columns that the structure names, in schema order. If tables are fitted to
 * rows (crd_i_settings_estimator), these and the latent nodes are sorted by name, so fits do not depend on column
 * order. Without a structure, the nodes are the target and all other columns, with the target as their parent. A
 * model that is_naive has these nodes whatever structure is set, and then no numbers are allowed. Columns without
 * known values are omitted. CRD_ERROR_COLUMN: unknown column, or a number in a naive model. CRD_ERROR_TYPE: an arc
 * leads from a number to a category, or tables are fitted and a node is a number. CRD_ERROR_SETTING: the structure
 * does not name the target, there is neither a target nor a structure, or a latent node is a column, is not in the
 * structure, or has no number of states. crd_i_families_close also accepts a zeroed struct. */
CRD_MUST_USE crd_status crd_i_families_open(const crd_model *model, const crd_settings *settings,
                                            const crd_i_schema_view *view, bool is_naive, crd_i_families *out,
                                            crd_error *error);
void crd_i_families_close(crd_i_families *families);
size_t crd_i_families_first(const crd_i_families *families, size_t node); /* index of its first parent */

/* Sets of attributes that must be counted jointly: the families with two or more attributes, each sorted by name, one
 * after the other. A set may occur twice. The model must not have learned anything. The errors are as for
 * crd_i_families_open. */
typedef struct crd_i_family_blocks {
    crd_context *context;
    size_t count;
    size_t *columns;        /* the columns of all sets */
    size_t *ends;           /* end index of each set */
    crd_column_type *types; /* declared type of the node of each set; NONE: its cells will determine it */
} crd_i_family_blocks;

CRD_MUST_USE crd_status crd_i_family_blocks_open(const crd_model *model, crd_i_family_blocks *out, crd_error *error);
void crd_i_family_blocks_close(crd_i_family_blocks *blocks); /* a zeroed struct is allowed */

#endif
