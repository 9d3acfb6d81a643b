/* SPDX-License-Identifier: MIT */
/* gaussian_parts.h - the Gaussian nodes of a question, in parts that are independent of each other given the discrete
 * nodes.
 *
 * An observed Gaussian node is a number in the regressions of its children. What is left connects nodes that meet in a
 * regression; a connected part depends on the discrete parents of its members alone, its boundary. In a strong junction
 * tree (Leimer 1989; Lauritzen 1992), where continuous nodes are eliminated before discrete ones, the boundary of every
 * part is complete. So a part is summed out by itself, for each combination of the states of its boundary: what it
 * leaves is how likely its observed numbers are there, which is virtual evidence of the boundary's nodes together. */
#ifndef CRD_INFER_EXACT_GAUSSIAN_PARTS_H
#define CRD_INFER_EXACT_GAUSSIAN_PARTS_H

#include "infer/exact/junction_tree.h"

/* A discrete parent, and how many rows of the table its states are apart. */
typedef struct crd_i_row_step {
    uint32_t node;
    size_t stride;
} crd_i_row_step;

/* A continuous parent: its position among the hidden nodes of the part, or its node where that is observed, and the
 * column of its coefficient in a row. */
typedef struct crd_i_slope {
    uint32_t at, column;
} crd_i_slope;

/* Members are the hidden nodes, in the order in which they are eliminated, then the observed ones. */
typedef struct crd_i_gaussian_part {
    uint32_t *nodes;
    size_t hidden_count, count;
    uint32_t *ranks;      /* by member: parents have lower ones */
    size_t *step_starts;  /* by member, in steps */
    size_t *known_starts; /* by member, slopes of observed parents, up to those of hidden ones */
    size_t *slope_starts; /* by member, slopes of hidden parents, ascending, up to the known ones of the next */
    crd_i_row_step *steps;
    crd_i_slope *slopes;
    /* By hidden position, its neighbours when it is eliminated: later positions, ascending. */
    size_t *later_starts;
    uint32_t *later;
    size_t width;       /* the most of these */
    crd_i_node_set set; /* the boundary, ascending, without nodes that every case observes */
    size_t combinations;
    bool is_asked;
} crd_i_gaussian_part;

typedef struct crd_i_gaussian_parts {
    crd_context *context;
    const crd_network *network;
    size_t count;
    crd_i_gaussian_part *parts;
    crd_i_node_set *sets; /* those of the parts, which own their nodes */
    uint32_t *part_of;    /* by node; UINT32_MAX: it counts for nothing here */
    uint32_t *member_of;  /* by node: its place among the members */
    size_t most_members, most_width, most_later;
} crd_i_gaussian_parts;

/* Of the Gaussian nodes that are observed or asked, with those from which arcs lead to them through nodes that are not
 * observed. By node: `observed` Gaussian nodes have numbers, discrete ones are observed in every case; `asked` may be
 * NULL. `together`: the nodes asked are in one part, and eliminated last, as neighbours of each other. A boundary with
 * more combinations of states than the bytes allow is CRD_ERROR_LIMIT, which has how much. */
CRD_MUST_USE crd_status crd_i_gaussian_parts_create(const crd_network *network, const bool *observed, const bool *asked,
                                                    bool together, double memory, crd_i_gaussian_parts **out,
                                                    crd_error *error);
void crd_i_gaussian_parts_destroy(crd_i_gaussian_parts *parts);

#endif
