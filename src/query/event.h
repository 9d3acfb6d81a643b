/* SPDX-License-Identifier: MIT */
/* event.h - the parsed form of an event: a tree whose leaves are comparisons, and whose inner nodes are NOT, AND, OR
 * and SET. */
#ifndef CRD_QUERY_EVENT_H
#define CRD_QUERY_EVENT_H

#include "base/arena.h"
#include "base/context.h"
#include "classify/classifier_internal.h"

#include <credence/query.h>

typedef enum crd_i_event_kind {
    CRD_I_EVENT_COMPARISON,
    CRD_I_EVENT_NOT,
    CRD_I_EVENT_AND,
    CRD_I_EVENT_OR,
    CRD_I_EVENT_SET /* holds if at least one part holds, like OR; the parts are the members of one "in {...}" */
} crd_i_event_kind;

struct crd_event {
    crd_i_arena *arena; /* contains the whole tree and its texts; NULL for all nodes but the root */
    crd_i_event_kind kind;
    crd_text text; /* the part of the input that this node was parsed from */

    crd_event **parts; /* NOT has one part, AND and OR have two or more, SET has one or more */
    size_t part_count, part_capacity;

    crd_column_comparison comparison;
    bool is_number; /* whether the value is a number */
    double number;
};

/* Returns whether the event is true, given `holds`, which returns whether a comparison is true. `user` is passed to
 * `holds`. Evaluates from left to right and stops as soon as the result is certain. */
bool crd_i_event_holds(const crd_event *event, bool (*holds)(const void *user, const crd_event *comparison),
                       const void *user);

/* ======== Members of a query ========
 *
 * A classifier, and the target at its original place among the columns. */

struct crd_query {
    crd_context *context;
    crd_classifier *classifier;
    size_t target; /* column of the target; the attributes before and after it keep their order */
    crd_text target_name;
};

/* Returns the attribute of a column, which must not be the target. */
const crd_i_attribute *crd_i_query_attribute(const crd_query *query, size_t column);

/* Sets *class_index to the class that the value names. Fails with CRD_ERROR_COLUMN if the target has no such class. */
CRD_MUST_USE crd_status crd_i_query_class(const crd_query *query, const crd_value *value, size_t *class_index,
                                          crd_error *error);

/* Returns whether the event is true, given the truth value of each of its comparisons in order. */
int crd_i_event_is_true(const crd_event *event, const unsigned char *are_true);

#endif
