/* SPDX-License-Identifier: MIT */
/* credence/structure.h - the structure of a Bayesian network, found in rows.
 *
 * Which search finds it, what it maximises or tests, and what it must or must not have is stated by settings: `structure`
 * (or the methods tan and kdb:K), `score`, `test`, `alpha`, `required`, `forbidden`, `tiers`, `most-parents`, `max-conditioning`, `restarts`.
 * What is found is a function of the multiset of rows and the settings: the same with any order of rows and columns, and any
 * number of threads. */
#ifndef CREDENCE_STRUCTURE_H
#define CREDENCE_STRUCTURE_H

#include <credence/base.h>
#include <credence/evaluate.h>
#include <credence/model.h>
#include <credence/profile.h>
#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_structure crd_structure;

/* The name of the search that settings state, such as "hill-climb"; NULL: none. */
CRD_API const char *crd_structure_search(const crd_settings *settings);

/* The nodes that the setting `structure` states, in the order of their bytes; bytes NULL behind the last. */
CRD_API crd_text crd_structure_stated_node(const crd_settings *settings, size_t index);

/* Before rows are read for such a profile as the next call takes: CRD_ERROR_SETTING where the structure takes whole numbers for codes,
 * and the reader has one of several shards, whose own rows do not show which are: a schema of all rows states what columns are. */
CRD_API CRD_MUST_USE crd_status crd_structure_check_shard(const crd_settings *settings, const crd_reader *reader,
                                                          crd_error *error);

/* What the columns of a table, of which a profile was made, are as nodes of the structure that settings state: to be set with
 * crd_reader_set_kind before rows are learned from. Arcs: each node is a category or a number, as its cells are, but few different
 * whole numbers are codes, and categories; so is the target (bytes NULL: none), and what has an arc to a category. A search that takes
 * all columns alike: numbers that are codes are categories. `kinds` has a place for each column of the profile; NONE: as it is. */
CRD_API CRD_MUST_USE crd_status crd_structure_node_kinds(const crd_settings *settings, const crd_profile *profile,
                                                         crd_text target, crd_kind *kinds, crd_error *error);

typedef struct crd_structure_options {
    size_t size;
    unsigned threads; /* 0: one for each processor */
    /* Above 0: so many tables of as many rows are drawn from the rows with replacement, and searched (bootstrap). An arc is
     * as sure as often as it was found; the structure is the averaged network, of the arcs whose strength is above the
     * threshold. */
    size_t resamples;
    double threshold; /* from 0 to 1; negative: where the strengths part best (Scutari and Nagarajan 2013) */
    uint64_t seed;    /* of resamples and restarts */
} crd_structure_options;

#define CRD_STRUCTURE_OPTIONS_INIT                                                                                     \
    { sizeof(crd_structure_options), 1, 0, -1, 1 }

/* A pass over the rows of a source, and the search that the settings state. Nodes are the columns that have values; rows
 * whose target is missing are left out, where there is a target. A search that is cancelled, or whose deadline has passed
 * (crd_call_options), returns the best structure that it has, where it has one, unless processes of a group search together:
 * see crd_structure_facts.is_stopped. options may be NULL. CRD_ERROR_SETTING: the settings state no search, or one that needs a target where there is none, or
 * constraints that cannot be met; CRD_ERROR_COLUMN: a constraint names no node; CRD_ERROR_EMPTY: there are no rows;
 * CRD_ERROR_LIMIT: the search is for fewer nodes. */
CRD_API CRD_MUST_USE crd_status crd_structure_learn(crd_row_source *source, const crd_settings *settings,
                                                    const crd_structure_options *options, crd_structure **out,
                                                    crd_error *error);
/* The same of the rows that a model has kept (tally `table`); settings NULL: the model's own. */
CRD_API CRD_MUST_USE crd_status crd_structure_learn_from_model(const crd_model *model, const crd_settings *settings,
                                                               const crd_structure_options *options,
                                                               crd_structure **out, crd_error *error);
CRD_API void crd_structure_destroy(crd_structure *structure); /* NULL is fine */

typedef struct crd_structure_facts {
    size_t size;
    const char *search;       /* its name: "hill-climb" */
    double rows;              /* how many there are, or their weight */
    size_t nodes, arcs;       /* directed ones */
    size_t edges;             /* whose direction the rows do not determine */
    double score;             /* as the setting `score` has it; NaN of a search that maximises none */
    uint64_t steps;           /* of a search that goes from graph to graph */
    uint64_t tests;           /* of conditional independence */
    uint64_t scores_computed; /* of families, not counting those that were known */
    int is_stopped;           /* it was cancelled, or its time was over: the best so far */
    int is_consistent;        /* some DAG has exactly the arcs and edges found, and no other v-structure */
    size_t resamples;         /* that were searched; 0: no bootstrap */
    double threshold;         /* of the averaged network */
    size_t pairs;             /* of nodes that are joined in some resample */
    double rows_searched; /* less than `rows` where a score is of the rows that lack no cell: at least half of all */
} crd_structure_facts;

#define CRD_STRUCTURE_FACTS_INIT                                                                                       \
    { sizeof(crd_structure_facts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API void crd_structure_describe(const crd_structure *structure, crd_structure_facts *out);

/* Texts live as long as the structure. Nodes are in the order of their bytes. */
CRD_API crd_text crd_structure_node(const crd_structure *structure, size_t index);

typedef struct crd_structure_arc {
    size_t size;
    crd_text from, to;
    int is_directed; /* else the rows do not determine its direction */
} crd_structure_arc;

#define CRD_STRUCTURE_ARC_INIT                                                                                         \
    { sizeof(crd_structure_arc), {0, 0}, {0, 0}, 0 }

/* arcs + edges of the facts, by their children, then their parents; of an undirected edge `from` is the first node. */
CRD_API void crd_structure_arc_at(const crd_structure *structure, size_t index, crd_structure_arc *out);

/* Two nodes that are joined in some resample of a bootstrap. */
typedef struct crd_structure_pair {
    size_t size;
    crd_text from, to;
    double strength; /* the share of resamples in which they are joined */
    double
        direction; /* of these, the share with an arc from `from` to `to`, at least 0.5; undirected ones are half of one */
    int is_averaged; /* whether they are joined in the averaged network */
} crd_structure_pair;

#define CRD_STRUCTURE_PAIR_INIT                                                                                        \
    { sizeof(crd_structure_pair), {0, 0}, {0, 0}, 0, 0, 0 }

/* `pairs` of the facts, by descending strength, then by their nodes. */
CRD_API void crd_structure_pair_at(const crd_structure *structure, size_t index, crd_structure_pair *out);

/* The arcs of a DAG, for the setting `structure`: those found, with undirected edges directed such that no further
 * v-structure comes to be. */
CRD_API const char *crd_structure_arcs(const crd_structure *structure);

/* Columns that are no nodes, since they have no value at all; bytes NULL behind the last. */
CRD_API crd_text crd_structure_left_out(const crd_structure *structure, size_t index);

#ifdef __cplusplus
}
#endif
#endif
