/* SPDX-License-Identifier: MIT */
/* event.h - an event as a tree: comparisons at the leaves, and what joins them above. */
#ifndef CRD_QUERY_EVENT_H
#define CRD_QUERY_EVENT_H

#include "base/context.h"

#include <credence/query.h>

typedef enum crd_i_event_kind {
    CRD_I_EVENT_COMPARISON,
    CRD_I_EVENT_NOT,
    CRD_I_EVENT_AND,
    CRD_I_EVENT_OR,
    CRD_I_EVENT_SET /* holds if one part does, like OR; its parts are the values of one "in {...}" */
} crd_i_event_kind;

struct crd_event {
    crd_context *context;
    crd_i_event_kind kind;
    crd_text text; /* its part of what was written */
    char *written; /* all of it, owned by the event that is nobody's part; else NULL */

    crd_event **parts; /* owned: one of NOT, two or more of AND and OR, one or more of SET */
    size_t part_count, part_capacity;

    crd_column_comparison comparison;
    char *value;    /* what the comparison's value is in; owned */
    bool is_number; /* whether the value is one */
    double number;
};

/* Whether the event holds where `holds` says so of each comparison. */
bool crd_i_event_holds(const crd_event *event, bool (*holds)(const void *user, const crd_event *comparison),
                       const void *user);

#endif
