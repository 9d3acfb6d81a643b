/* SPDX-License-Identifier: MIT */
/* credence/structure.h - learns the structure of a Bayesian network from rows.
 *
 * Settings choose the search, the score or test that it uses, and constraints on the structure: `structure` (or the
 * methods tan and kdb:K), `score`, `test`, `alpha`, `required`, `forbidden`, `tiers`, `max-parents`,
 * `max-conditioning`, `restarts`. The result depends only on the multiset of rows and the settings. The order of rows
 * and columns and the number of threads have no effect. */
#ifndef CREDENCE_STRUCTURE_H
#define CREDENCE_STRUCTURE_H

#ifndef CRD_EXPERIMENTAL
#error "credence/structure.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>
#include <credence/evaluate.h>
#include <credence/model.h>
#include <credence/profile.h>
#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A learned structure. */
typedef struct crd_structure crd_structure;

/* Returns the name of the search in the settings, such as "hill-climb". Returns NULL if they contain no search. */
CRD_API const char *crd_structure_search(const crd_settings *settings);

/* Returns the name of a node in the arcs of the setting `structure`. Nodes are in byte order. The bytes are NULL after
 * the last node. */
CRD_API crd_text crd_structure_stated_node(const crd_settings *settings, size_t index);

/* Checks whether one shard of the rows is sufficient to determine the node types. Call it before reading the rows for
 * crd_structure_column_types. Returns CRD_ERROR_SETTING if the structure treats some integers as codes, and the reader
 * reads one of several shards. One shard does not show which integers are codes. Use a schema of all rows, which
 * contains the column types. */
CRD_API CRD_MUST_USE crd_status crd_structure_check_shard(const crd_settings *settings, const crd_reader *reader,
                                                          crd_error *error);

/* Determines the types of columns as nodes of the structure in the settings. Pass them to crd_reader_set_column_type before
 * rows are read for learning. `profile` is a profile of the table, and `target` is the target's name (bytes NULL:
 * none). `types` must have space for each column of the profile. NONE means that the type stays unchanged.
 *
 * If the structure is a list of arcs, each node is categorical or numeric like its values. A column with few distinct
 * integers contains codes, so it is categorical. The target is categorical, and so is each node with an arc to a
 * categorical node. If the structure is a search over all columns, numeric columns that contain codes become
 * categorical. */
CRD_API CRD_MUST_USE crd_status crd_structure_column_types(const crd_settings *settings, const crd_profile *profile,
                                                           crd_text target, crd_column_type *types, crd_error *error);

/* Options for learning a structure. Initialize it with CRD_STRUCTURE_OPTIONS_INIT. */
typedef struct crd_structure_options {
    size_t size;
    unsigned threads; /* 0: one per CPU core */
    /* The number of bootstrap resamples; 0: no bootstrap. A resample has as many rows as the table, drawn with
     * replacement, and the search runs on each resample. The strength of an arc is the proportion of resamples that
     * contain it. The result is the averaged network: the arcs whose strength is above the threshold. */
    size_t resamples;
    /* from 0 to 1; negative: the threshold that best separates strong and weak arcs (Scutari and Nagarajan 2013) */
    double threshold;
    uint64_t seed; /* seed of resamples and restarts */
} crd_structure_options;

#define CRD_STRUCTURE_OPTIONS_INIT                                                                                     \
    { sizeof(crd_structure_options), 1, 0, -1, 1 }

/* Learns a structure from the rows of a source in *out, in one pass over the rows. Nodes are the columns that contain
 * values. If there is a target, rows without it are skipped. If a search is cancelled or its deadline passes
 * (crd_call_options), it returns the best structure so far, if there is one: see crd_structure_facts.is_stopped. A
 * search by several processes of a group does not. `options` may be NULL. Destroy the structure with
 * crd_structure_destroy.
 *
 * Returns CRD_ERROR_SETTING if the settings contain no search, if the search needs a target and there is none, or if
 * constraints contradict each other. Returns CRD_ERROR_COLUMN if a constraint names an unknown node, CRD_ERROR_EMPTY if
 * there are no rows, and CRD_ERROR_LIMIT if the search does not support that many nodes. */
CRD_API CRD_MUST_USE crd_status crd_structure_learn(crd_row_source *source, const crd_settings *settings,
                                                    const crd_structure_options *options, crd_structure **out,
                                                    crd_error *error);
/* Learns a structure from the rows that a model has stored (statistic `table`): see crd_structure_learn. `settings` may
 * be NULL (the model's settings). */
CRD_API CRD_MUST_USE crd_status crd_structure_learn_from_model(const crd_model *model, const crd_settings *settings,
                                                               const crd_structure_options *options,
                                                               crd_structure **out, crd_error *error);
/* Frees the structure. `structure` may be NULL. */
CRD_API void crd_structure_destroy(crd_structure *structure);

/* Facts about a learned structure. Initialize it with CRD_STRUCTURE_FACTS_INIT. */
typedef struct crd_structure_facts {
    size_t size;
    const char *search;       /* name of the search, such as "hill-climb" */
    double rows;              /* number or total weight of the rows */
    size_t nodes, arcs;       /* number of nodes, and of directed arcs */
    size_t edges;             /* number of undirected edges, whose direction the rows do not determine */
    double score;             /* score by the setting `score`; NaN if the search does not maximize a score */
    uint64_t steps;           /* number of steps of a local search */
    uint64_t tests;           /* number of conditional independence tests */
    uint64_t scores_computed; /* number of families that were scored, without cache hits */
    int is_stopped;    /* nonzero: the search was cancelled or its deadline passed; this is the best structure so far */
    int is_consistent; /* nonzero: some DAG has exactly these arcs and edges, and no further v-structure */
    size_t resamples;  /* number of bootstrap resamples; 0: no bootstrap */
    double threshold;  /* threshold of the averaged network */
    size_t pairs;      /* number of pairs of nodes that are adjacent in some resample */
    /* Number or weight of the rows that the search used. It is less than `rows`, but at least half, if a score uses
     * only rows without missing values. */
    double rows_searched;
} crd_structure_facts;

#define CRD_STRUCTURE_FACTS_INIT                                                                                       \
    { sizeof(crd_structure_facts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Writes facts about a structure to *out. */
CRD_API void crd_structure_describe(const crd_structure *structure, crd_structure_facts *out);

/* Returns the name of a node, which is valid as long as the structure. Nodes are in byte order. */
CRD_API crd_text crd_structure_node(const crd_structure *structure, size_t index);

/* An arc or an undirected edge. Texts are valid as long as the structure. Initialize it with CRD_STRUCTURE_ARC_INIT. */
typedef struct crd_structure_arc {
    size_t size;
    crd_text from, to;
    int is_directed; /* 0: an undirected edge, whose direction the rows do not determine */
} crd_structure_arc;

#define CRD_STRUCTURE_ARC_INIT                                                                                         \
    { sizeof(crd_structure_arc), {0, 0}, {0, 0}, 0 }

/* Writes arc `index` to *out. The number of arcs is `arcs` + `edges` in crd_structure_facts. They are sorted by child,
 * then by parent. For an undirected edge, `from` is the first node. */
CRD_API void crd_structure_arc_at(const crd_structure *structure, size_t index, crd_structure_arc *out);

/* Two nodes that are adjacent in some bootstrap resample. Texts are valid as long as the structure. Initialize it with
 * CRD_STRUCTURE_PAIR_INIT. */
typedef struct crd_structure_pair {
    size_t size;
    crd_text from, to;
    double strength; /* proportion of resamples in which the nodes are adjacent */
    /* among these resamples, the proportion with an arc from `from` to `to`, at least 0.5; an undirected edge is
     * half an arc */
    double direction;
    int is_averaged; /* nonzero: adjacent in the averaged network */
} crd_structure_pair;

#define CRD_STRUCTURE_PAIR_INIT                                                                                        \
    { sizeof(crd_structure_pair), {0, 0}, {0, 0}, 0, 0, 0 }

/* Writes pair `index` to *out. The number of pairs is `pairs` in crd_structure_facts. They are sorted by descending
 * strength, then by nodes. */
CRD_API void crd_structure_pair_at(const crd_structure *structure, size_t index, crd_structure_pair *out);

/* Returns the arcs of a DAG as text for the setting `structure`. The DAG contains the learned arcs. Undirected edges
 * are directed such that no further v-structure arises. The text is valid as long as the structure. */
CRD_API const char *crd_structure_arcs(const crd_structure *structure);

/* Returns the name of a column that is not a node because it contains no value. The bytes are NULL after the last such
 * column. */
CRD_API crd_text crd_structure_left_out(const crd_structure *structure, size_t index);

#ifdef __cplusplus
}
#endif
#endif
