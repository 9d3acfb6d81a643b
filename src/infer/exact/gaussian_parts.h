/* SPDX-License-Identifier: MIT */
/* gaussian_parts.h - the Gaussian nodes of a query, divided into parts that are independent given the discrete
 * nodes.
 *
 * An observed Gaussian node is a constant in the regressions of its children. The remaining nodes are connected if
 * they occur in the same regression. A connected part depends only on the discrete parents of its members, its
 * boundary. In a strong junction tree (Leimer 1989; Lauritzen 1992), which eliminates continuous nodes before
 * discrete ones, the boundary of every part is complete. So each part is summed out separately for each combination
 * of its boundary states. The result is the likelihood of its observed numbers, which is joint virtual evidence on
 * the boundary nodes. */
#ifndef CRD_INFER_EXACT_GAUSSIAN_PARTS_H
#define CRD_INFER_EXACT_GAUSSIAN_PARTS_H

#include "infer/exact/junction_tree.h"

/* A discrete parent, and the distance of its states in rows of the table. */
typedef struct crd_i_row_step {
    uint32_t node;
    size_t stride;
} crd_i_row_step;

/* A continuous parent and the column of its coefficient in a row. A hidden parent is given by its position among the
 * hidden nodes of the part, an observed one by its node. */
typedef struct crd_i_slope {
    uint32_t index, column;
} crd_i_slope;

/* Members are the hidden nodes in elimination order, followed by the observed ones. */
typedef struct crd_i_gaussian_part {
    uint32_t *nodes;
    size_t hidden_count, count;
    uint32_t *ranks;      /* by member: parents have lower ranks */
    size_t *step_starts;  /* by member: start in `steps` */
    size_t *known_starts; /* by member: start of the slopes of observed parents; hidden parents follow */
    /* by member: start of the slopes of hidden parents, ascending; the known slopes of the next member follow */
    size_t *slope_starts;
    crd_i_row_step *steps;
    crd_i_slope *slopes;
    /* By hidden position: its neighbors when it is eliminated, as later positions in ascending order. */
    size_t *later_starts;
    uint32_t *later;
    size_t width;       /* the largest number of these neighbors */
    crd_i_node_set set; /* the boundary, ascending, without nodes that every case observes */
    size_t combinations;
    bool is_asked;
} crd_i_gaussian_part;

typedef struct crd_i_gaussian_parts {
    crd_context *context;
    const crd_network *network;
    size_t count;
    crd_i_gaussian_part *parts;
    crd_i_node_set *sets; /* the boundary sets of the parts, which own their nodes */
    uint32_t *part_of;    /* by node; UINT32_MAX if the node is not relevant */
    uint32_t *member_of;  /* by node: its index among the members */
    size_t most_members, most_width, most_later;
} crd_i_gaussian_parts;

/* Creates the parts of the observed or queried Gaussian nodes, and of their ancestors through unobserved nodes. By
 * node: `observed` Gaussian nodes have numbers, and `observed` discrete nodes are observed in every case. `asked`
 * may be NULL. If `together` is true, the queried nodes are in one part and are eliminated last, as neighbors of
 * each other. Returns CRD_ERROR_LIMIT, with the required bytes, if a boundary has too many state combinations for
 * the memory limit. */
CRD_MUST_USE crd_status crd_i_gaussian_parts_create(const crd_network *network, const bool *observed, const bool *asked,
                                                    bool together, double memory, crd_i_gaussian_parts **out,
                                                    crd_error *error);
void crd_i_gaussian_parts_destroy(crd_i_gaussian_parts *parts);

#endif
