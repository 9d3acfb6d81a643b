/* SPDX-License-Identifier: MIT */
/* query_network_independence.c - whether two nodes are independent by the arcs alone, and why not where they are not.
 */
#include "verbs/query/query_network.h"

#include "core/messages.h"
#include "describe/network_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct separation {
    network_question *q;
    size_t *nodes; /* the two */
    size_t node_count;
    size_t *given;
    size_t given_count;
    int is_separated;
    size_t *path; /* the library's; NULL where they are separated */
    size_t length;
} separation;

/* ---- The command line ---- */

/* A name, or a name and a state, which says no more here. */
static int read_given(separation *s, const list *items, size_t index) {
    const network_evidence *known = &s->q->known;
    crd_text item = items->items[index];
    size_t node = crd_network_find(s->q->network, item), state;
    int ended = ENDED_WELL;
    if (node == SIZE_MAX && words_compare(item)) {
        ended = network_find_assignment(known, "given", items, index, &node, &state);
    } else if (node == SIZE_MAX) {
        ended = network_find_node(known, "given", item, &node);
    }
    if (ended != ENDED_WELL) return ended;
    if (node == s->nodes[0] || node == s->nodes[1]) {
        string shown = {0};
        string_add_shown(&shown, known->names[node]);
        ended = message_usage("--given: '%s' is one of the two columns themselves", string_text(&shown));
        string_free(&shown);
        return ended;
    }
    s->given = memory_resize(s->given, s->given_count + 1, sizeof *s->given);
    s->given[s->given_count++] = node;
    return ENDED_WELL;
}

static int read_all_given(separation *s) {
    int ended = ENDED_WELL;
    size_t at = 0;
    const arguments *words_given = &s->q->call->arguments;
    for (const char *value; ended == ENDED_WELL && (value = arguments_next(words_given, "given", &at)) != NULL;) {
        list items;
        if (!list_split(value, &items)) return message_usage("--given: a quote is not closed");
        bool is_empty = items.count == 1 && items.items[0].length == 0;
        for (size_t i = 0; i < items.count && !is_empty && ended == ENDED_WELL; i++) ended = read_given(s, &items, i);
        list_free(&items);
    }
    return ended;
}

static int read_question(separation *s) {
    int ended = network_find_nodes(&s->q->known, s->q->call, "independence", &s->nodes, &s->node_count);
    if (ended == ENDED_WELL && s->node_count != 2) {
        ended = message_usage("--independence takes two nodes, not %zu", s->node_count);
    }
    return ended == ENDED_WELL ? read_all_given(s) : ended;
}

/* ---- Why a path is open ---- */

static bool is_given(const separation *s, size_t node) {
    for (size_t i = 0; i < s->given_count; i++) {
        if (s->given[i] == node) return true;
    }
    return false;
}

/* The nearest node that is given among those to which arcs lead from a node. */
static size_t given_below(const separation *s, size_t node) {
    const crd_network *network = s->q->network;
    size_t count = crd_network_node_count(network), found = SIZE_MAX, reached = 1;
    size_t *queue = memory_resize(NULL, count, sizeof *queue);
    bool *seen = memory_resize(NULL, count, sizeof *seen);
    memset(seen, 0, count * sizeof *seen);
    queue[0] = node;
    for (size_t at = 0; at < reached && found == SIZE_MAX; at++) {
        if (is_given(s, queue[at])) found = queue[at];
        for (size_t i = 0; i < crd_network_child_count(network, queue[at]); i++) {
            size_t child = crd_network_child(network, queue[at], i);
            if (!seen[child]) queue[reached++] = child;
            seen[child] = true;
        }
    }
    free(queue);
    free(seen);
    return found;
}

/* What the node at a place inside the path is there, and why it lets something through. */
static void add_reason(string *out, const separation *s, size_t place) {
    const crd_network *network = s->q->network;
    size_t node = s->path[place];
    bool from_left = network_has_arrow(network, s->path[place - 1], node),
         from_right = network_has_arrow(network, s->path[place + 1], node);
    if (from_left && from_right) {
        size_t below = given_below(s, node);
        if (below == node) {
            string_format(out, "a common effect that is given: it ties its causes together");
        } else {
            string_format(out, "a common effect, and ");
            if (below != SIZE_MAX) string_add_shown(out, s->q->known.names[below]);
            string_format(out, ", to which it leads, is given");
        }
    } else if (!from_left && !from_right) {
        string_format(out, "a common cause that is not given");
    } else {
        string_format(out, "between cause and effect, and not given");
    }
}

/* ---- The answer ---- */

static void report_reasons(separation *s) {
    network_question *q = s->q;
    report *r = q->report;
    size_t inside = s->length < 2 ? 0 : s->length - 2;
    if (inside == 0) return;
    report_empty_line(r);
    report_table *t = report_add_table(r, NULL);
    t->is_headed = false;
    if (!q->all) t->rows_shown = QUERY_VALUES_SHOWN;
    column_add(t, NULL, "");
    column_add_left(t, NULL, "");
    for (size_t i = 1; i <= inside; i++) {
        string reason = {0};
        add_reason(&reason, s, i);
        cell_name(t, q->known.names[s->path[i]]);
        cell_words(t, report_take(r, &reason));
    }
    if (inside > t->rows_shown) report_remark(r, "and %zu more (--all)", inside - t->rows_shown);
}

/* The nodes on the way, and the arcs between them. */
static void report_path(separation *s) {
    report *r = s->q->report;
    string path = {0};
    network_add_path(&path, s->q->network, s->path, s->length);
    report_remark(r, "not d-separated: a path between them is open");
    report_remark(r, "%s", report_take(r, &path));
    network_question_report_names(s->q, "path", s->path, s->length);
    report_array(r, "arrows");
    for (size_t i = 1; i < s->length; i++)
        report_words(r, NULL, network_has_arrow(s->q->network, s->path[i - 1], s->path[i]) ? "->" : "<-");
    report_end(r);
    report_reasons(s);
}

static void report_answer(separation *s) {
    network_question *q = s->q;
    report *r = q->report;
    string what = {0}, rest = {0};
    string_format(&what, "Independence of ");
    words_add_names(&what, q->known.names, s->nodes, 2);
    if (s->given_count > 0) {
        string_format(&rest, " given ");
        words_add_names(&rest, q->known.names, s->given, s->given_count);
    }
    network_question_open(q);
    report_heading_above(r, 2, report_take(r, &what), report_take(r, &rest));
    report_object(r, "independence");
    network_question_report_names(q, "of", s->nodes, 2);
    network_question_report_names(q, "given", s->given, s->given_count);
    report_boolean(r, "independent", s->is_separated != 0);
    if (s->is_separated) report_remark(r, "independent, whatever the tables say: every path between them is blocked");
    else report_path(s);
    report_end(r);
}

int network_independence_answer(network_question *q) {
    separation s = {.q = q};
    crd_error error;
    int ended = read_question(&s);
    if (ended == ENDED_WELL && crd_network_separation(q->network, s.nodes[0], s.nodes[1], s.given, s.given_count,
                                                      &s.is_separated, &s.path, &s.length, &error) != CRD_OK) {
        ended = inference_failed(q->call, &error, NULL);
    }
    if (ended == ENDED_WELL) report_answer(&s);
    crd_free(q->call->context, s.path);
    free(s.nodes);
    free(s.given);
    return ended;
}
