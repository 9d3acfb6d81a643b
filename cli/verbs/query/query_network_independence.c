/* SPDX-License-Identifier: MIT */
/* query_network_independence.c - d-separation (Pearl 1988): whether two nodes, or two sets of nodes, are
 * independent by
 * the arcs alone. If they are not, the report explains an open path. */
#include "verbs/query/query_network.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/network_text.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of paths that are reported for two nodes. */
enum { MOST_PATHS = 20 };

typedef struct independence_separation {
    network_question *q;
    size_t *sides[2]; /* the two sets of nodes */
    size_t counts[2];
    size_t *given;
    size_t given_count;
    int is_separated;
    size_t *path; /* the shortest open path, allocated by the library; NULL if the sets are separated */
    size_t length;
} independence_separation;

static bool is_of_nodes(const independence_separation *s) {
    return s->counts[0] == 1 && s->counts[1] == 1;
}

static bool independence_query_has_node(const size_t *nodes, size_t count, size_t node) {
    for (size_t i = 0; i < count; i++)
        if (nodes[i] == node) return true;
    return false;
}

/* ---- The command line ---- */

/* Reads an item of --given: a node, or NODE=STATE, where the state makes no difference. */
static int independence_query_read_given(independence_separation *s, const list *items, size_t index) {
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
    if (independence_query_has_node(s->sides[0], s->counts[0], node) ||
        independence_query_has_node(s->sides[1], s->counts[1], node)) {
        string shown = {0};
        string_add_shown(&shown, known->names[node]);
        ended = message_usage("--given: '%s' is one of the nodes of --independence", string_text(&shown));
        string_free(&shown);
        return ended;
    }
    if (independence_query_has_node(s->given, s->given_count, node)) return ENDED_WELL;
    s->given = memory_resize(s->given, s->given_count + 1, sizeof *s->given);
    s->given[s->given_count++] = node;
    return ENDED_WELL;
}

static int read_all_given(independence_separation *s) {
    int ended = ENDED_WELL;
    size_t index = 0;
    const arguments *words_given = &s->q->call->arguments;
    for (const char *value; ended == ENDED_WELL && (value = arguments_next(words_given, "given", &index)) != NULL;) {
        list items;
        if (!list_split(value, &items)) return message_usage("--given: a quote is not closed");
        bool is_empty = items.count == 1 && items.items[0].length == 0;
        for (size_t i = 0; i < items.count && !is_empty && ended == ENDED_WELL; i++)
            ended = independence_query_read_given(s, &items, i);
        list_free(&items);
    }
    return ended;
}

/* Reads the two sets of "A,B;C", or the two nodes of "A,B". */
static int read_sides(independence_separation *s) {
    const network_evidence *known = &s->q->known;
    const arguments *words_given = &s->q->call->arguments;
    const char *value = arguments_value(words_given, "independence");
    crd_text sets[2], more[2];
    if (!words_split_sets(crd_text_of(value), &sets[0], &sets[1]) ||
        crd_network_find(s->q->network, crd_text_of(value)) != SIZE_MAX) {
        size_t *nodes = NULL, count = 0;
        int ended = network_find_nodes(known, s->q->call, "independence", &nodes, &count);
        if (ended == ENDED_WELL && count != 2) {
            ended = message_usage("--independence needs two nodes, got %zu", count);
            message_hint("separate two sets with a semicolon: --independence 'A,B;C'");
        }
        for (size_t i = 0; ended == ENDED_WELL && i < 2; i++) {
            s->sides[i] = memory_resize(NULL, 1, sizeof *nodes);
            s->sides[i][0] = nodes[i];
            s->counts[i] = 1;
        }
        free(nodes);
        return ended;
    }
    int ended = ENDED_WELL;
    if (words_split_sets(sets[1], &more[0], &more[1])) ended = message_usage("--independence needs two sets: 'A,B;C'");
    for (size_t i = 0; ended == ENDED_WELL && i < 2; i++) {
        string text = {0};
        string_add(&text, sets[i].bytes, sets[i].length);
        ended = network_find_listed(known, "independence", string_text(&text), &s->sides[i], &s->counts[i]);
        string_free(&text);
    }
    for (size_t i = 0; ended == ENDED_WELL && i < s->counts[1]; i++) {
        if (!independence_query_has_node(s->sides[0], s->counts[0], s->sides[1][i])) continue;
        string shown = {0};
        string_add_shown(&shown, known->names[s->sides[1][i]]);
        ended = message_usage("--independence: '%s' is in both sets", string_text(&shown));
        string_free(&shown);
    }
    return ended;
}

/* ---- Explanation of an open path ---- */

/* Adds the role of an inner node on the path, and why it does not block the path. */
static void independence_query_add_reason(string *out, const independence_separation *s, const crd_path_node *path) {
    if (path->role == CRD_PATH_COMMON_EFFECT && path->opened_by == path->node) {
        string_format(out, "a common effect that is given, which makes its causes dependent");
    } else if (path->role == CRD_PATH_COMMON_EFFECT) {
        string_format(out, "a common effect, and ");
        if (path->opened_by != CRD_NONE) string_add_shown(out, s->q->known.names[path->opened_by]);
        string_format(out, ", a descendant of it, is given");
    } else if (path->role == CRD_PATH_COMMON_CAUSE) {
        string_format(out, "a common cause that is not given");
    } else {
        string_format(out, "between cause and effect, and not given");
    }
}

/* Returns the role of each node on the path, which the caller frees. Returns NULL and sets *ended if the library
 * fails. */
static crd_path_node *look_along(const independence_separation *s, const size_t *path, size_t length, int *ended) {
    crd_error error;
    crd_path_node *nodes = memory_resize(NULL, length, sizeof *nodes);
    if (crd_network_path_nodes(s->q->network, path, length, s->given, s->given_count, nodes, &error) == CRD_OK)
        return nodes;
    *ended = message_error(&error);
    free(nodes);
    return NULL;
}

/* ---- The report ---- */

/* Reports for each inner node of the open path why it does not block the path. */
static int report_reasons(independence_separation *s) {
    network_question *q = s->q;
    crd_result *r = q->report;
    int ended = ENDED_WELL;
    size_t inside = s->length < 2 ? 0 : s->length - 2;
    if (inside == 0) return ENDED_WELL;
    crd_path_node *nodes = look_along(s, s->path, s->length, &ended);
    if (nodes == NULL) return ended;
    crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    if (!q->all) t->rows_shown = QUERY_VALUES_SHOWN;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    for (size_t i = 1; i <= inside; i++) {
        string reason = {0};
        independence_query_add_reason(&reason, s, &nodes[i]);
        crd_cell_name(t, q->known.names[s->path[i]]);
        crd_cell_words(t, report_take(r, &reason));
    }
    if (inside > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", inside - t->rows_shown);
    free(nodes);
    return ENDED_WELL;
}

static void report_arrows(independence_separation *s, const size_t *path, size_t length) {
    crd_result *r = s->q->report;
    crd_result_begin(r, CRD_ARRAY, "arrows");
    for (size_t i = 1; i < length; i++)
        crd_result_words(r, NULL, network_has_arrow(s->q->network, path[i - 1], path[i]) ? "->" : "<-");
    crd_result_end(r);
}

/* Reports the shortest open path: its nodes, its arcs, and why it is open. */
static int independence_query_report_path(independence_separation *s) {
    crd_result *r = s->q->report;
    string path = {0};
    network_add_path(&path, s->q->network, s->path, s->length);
    crd_result_line(r, CRD_REMARK, "not d-separated: a path between them is open");
    crd_result_line(r, CRD_REMARK, "%s", report_take(r, &path));
    network_question_report_names(s->q, "path", s->path, s->length);
    report_arrows(s, s->path, s->length);
    return report_reasons(s);
}

/* Reports one of the paths between two nodes in JSON. */
static int report_one_path(independence_separation *s, const size_t *path, size_t length) {
    static const char *const ROLES[] = {[CRD_PATH_CHAIN] = "chain",
                                        [CRD_PATH_COMMON_CAUSE] = "common cause",
                                        [CRD_PATH_COMMON_EFFECT] = "common effect"};
    crd_result *r = s->q->report;
    int ended = ENDED_WELL;
    crd_path_node *nodes = look_along(s, path, length, &ended);
    if (nodes == NULL) return ended;
    crd_result_begin(r, CRD_OBJECT, NULL);
    network_question_report_names(s->q, "nodes", path, length);
    report_arrows(s, path, length);
    crd_result_boolean(r, "open", !s->is_separated);
    crd_result_begin(r, CRD_ARRAY, "inner");
    for (size_t i = 1; i + 1 < length; i++) {
        crd_result_begin(r, CRD_OBJECT, NULL);
        crd_result_text(r, "node", s->q->known.names[nodes[i].node]);
        crd_result_words(r, "role", ROLES[nodes[i].role]);
        crd_result_boolean(r, "blocks", nodes[i].is_blocking != 0);
        if (nodes[i].opened_by != CRD_NONE) crd_result_text(r, "opened_by", s->q->known.names[nodes[i].opened_by]);
        crd_result_end(r);
    }
    crd_result_end(r);
    crd_result_end(r);
    free(nodes);
    return ENDED_WELL;
}

/* Reports the shortest paths between two nodes: open paths if there are any, else blocked ones. */
static int independence_query_report_paths(independence_separation *s) {
    network_question *q = s->q;
    crd_result *r = q->report;
    size_t *nodes = NULL, *lengths = NULL, count = 0, index = 0;
    int is_complete = 0, ended = ENDED_WELL;
    crd_error error;
    if (crd_network_paths(q->network, s->sides[0][0], s->sides[1][0], s->given, s->given_count, !s->is_separated,
                          MOST_PATHS, &nodes, &lengths, &count, &is_complete, &error) != CRD_OK)
        return message_error(&error);
    crd_result_begin(r, CRD_ARRAY, "paths");
    for (size_t i = 0; ended == ENDED_WELL && i < count; i++) {
        ended = report_one_path(s, nodes + index, lengths[i]);
        index += lengths[i];
    }
    crd_result_end(r);
    crd_result_boolean(r, "more", !is_complete);
    crd_free(q->call->context, nodes);
    crd_free(q->call->context, lengths);
    return ended;
}

/* Reports each pair of nodes from the two sets that is not d-separated, with its shortest open path. */
static int independence_query_report_pairs(independence_separation *s) {
    network_question *q = s->q;
    crd_result *r = q->report;
    int ended = ENDED_WELL;
    size_t open = 0, pairs = s->counts[0] * s->counts[1];
    crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
    crd_result_table *t = crd_result_add_table(r, "pairs");
    if (!q->all) t->rows_shown = QUERY_VALUES_SHOWN;
    t->is_short = true;
    crd_result_add_column(t, "of", "");
    crd_result_add_column(t, "and", "")->is_left = true;
    crd_result_add_column(t, "path", "shortest open path")->is_left = true;
    for (size_t i = 0; ended == ENDED_WELL && i < pairs; i++) {
        size_t a = s->sides[0][i / s->counts[1]], b = s->sides[1][i % s->counts[1]], *path = NULL, length = 0;
        int is_separated = 0;
        crd_error error;
        if (crd_network_separation(q->network, a, b, s->given, s->given_count, &is_separated, &path, &length, &error) !=
            CRD_OK) {
            ended = message_error(&error);
        } else if (!is_separated) {
            string shown = {0};
            network_add_path(&shown, q->network, path, length);
            crd_cell_name(t, q->known.names[a]);
            crd_cell_name(t, q->known.names[b]);
            crd_cell_words(t, report_take(r, &shown));
            open++;
        }
        crd_free(q->call->context, path);
    }
    if (open > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", open - t->rows_shown);
    if (open < pairs) crd_result_line(r, CRD_REMARK, "d-separated: the other %zu of %zu pairs", pairs - open, pairs);
    return ended;
}

/* Adds the names of the two sides: "A and B" for nodes, "{A, B} and {C}" for sets. */
static void add_sides(string *out, const independence_separation *s) {
    for (size_t i = 0; i < 2; i++) {
        if (i > 0) string_format(out, " and ");
        if (!is_of_nodes(s)) string_add_char(out, '{');
        for (size_t k = 0; k < s->counts[i]; k++) string_add_listed(out, k, s->q->known.names[s->sides[i][k]]);
        if (!is_of_nodes(s)) string_add_char(out, '}');
    }
}

/* Reports whether the two sides are d-separated, and the paths between them. */
static int independence_query_report_answer(independence_separation *s) {
    network_question *q = s->q;
    crd_result *r = q->report;
    int ended = ENDED_WELL;
    string given_string = {0}, other_string = {0};
    string_format(&given_string, "Independence of ");
    add_sides(&given_string, s);
    if (s->given_count > 0) {
        string_format(&other_string, " given ");
        words_add_names(&other_string, q->known.names, s->given, s->given_count);
    }
    network_question_open(q);
    crd_result_prose(r, CRD_HEADING_ABOVE, 2, "", report_take(r, &given_string), report_take(r, &other_string));
    crd_result_begin(r, CRD_OBJECT, "independence");
    crd_result_begin(r, CRD_ARRAY, "of");
    for (size_t i = 0; i < 2; i++) {
        if (is_of_nodes(s)) crd_result_text(r, NULL, q->known.names[s->sides[i][0]]);
        else network_question_report_names(q, NULL, s->sides[i], s->counts[i]);
    }
    crd_result_end(r);
    network_question_report_names(q, "given", s->given, s->given_count);
    crd_result_boolean(r, "independent", s->is_separated != 0);
    if (s->is_separated)
        crd_result_line(r, CRD_REMARK, "independent for all tables: every path between them is blocked");
    else ended = independence_query_report_path(s);
    if (ended == ENDED_WELL && is_of_nodes(s)) ended = independence_query_report_paths(s);
    if (ended == ENDED_WELL && !s->is_separated && !is_of_nodes(s)) ended = independence_query_report_pairs(s);
    crd_result_end(r);
    return ended;
}

int network_independence_answer(network_question *q) {
    independence_separation s = {.q = q};
    crd_error error;
    int ended = read_sides(&s);
    if (ended == ENDED_WELL) ended = read_all_given(&s);
    if (ended == ENDED_WELL &&
        crd_network_set_separation(q->network, s.sides[0], s.counts[0], s.sides[1], s.counts[1], s.given, s.given_count,
                                   &s.is_separated, &s.path, &s.length, &error) != CRD_OK) {
        ended = inference_failed(q->call, &error, NULL);
    }
    if (ended == ENDED_WELL) ended = independence_query_report_answer(&s);
    crd_free(q->call->context, s.path);
    free(s.sides[0]);
    free(s.sides[1]);
    free(s.given);
    return ended;
}
