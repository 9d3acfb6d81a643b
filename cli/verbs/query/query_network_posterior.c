/* SPDX-License-Identifier: MIT */
/* query_network_posterior.c - posterior probabilities of network nodes, separately or jointly, and of events. */
#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/network_picture.h"
#include "verbs/query/query_network_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of nodes in a joint query, which limits the nesting of JSON objects. */
enum { MOST_TOGETHER = 32 };

/* One queried item: a node, a joint distribution of nodes, or an event over the nodes that it compares. */
typedef struct item {
    size_t *nodes;
    size_t count;
    crd_event *event; /* NULL: no event, or the event "the first node is in `state`" */
    size_t state;     /* SIZE_MAX: not an event of this kind */
    crd_text text;    /* the event as typed */
    /* Probabilities with one cell per combination of states, the last node varying fastest; for an event, true and
     * false. */
    double *values, *errors;
    crd_normal_mixture *mixture; /* the posterior of a continuous node */
    double *means, *covariance;  /* joint moments of several continuous nodes */
} item;

typedef struct network_posterior {
    network_question *q;
    item *items;
    size_t count;
    bool has_all; /* all nodes are queried, so a node that is also named is not an error */
    words words;  /* owns the texts of the items */
    crd_inference_result result;
} network_posterior;

static bool is_event(const item *it) {
    return it->event != NULL || it->state != SIZE_MAX;
}

static bool posterior_query_is_continuous(const network_posterior *p, size_t node) {
    return crd_network_node_kind(p->q->network, node) == CRD_NODE_GAUSSIAN;
}

/* Returns whether an item is a continuous node, or an event that compares only a continuous node. Both are computed
 * from
 * its mixture. */
static bool posterior_query_is_number(const network_posterior *p, const item *it) {
    return it->count == 1 && posterior_query_is_continuous(p, it->nodes[0]);
}

static void posterior_free(network_posterior *p) {
    for (size_t i = 0; i < p->count; i++) {
        free(p->items[i].nodes);
        free(p->items[i].values);
        free(p->items[i].errors);
        crd_event_destroy(p->items[i].event);
        crd_normal_mixture_destroy(p->items[i].mixture);
        free(p->items[i].means);
        free(p->items[i].covariance);
    }
    free(p->items);
    words_free(&p->words);
}

/* ---- The command line ---- */

static item *posterior_query_add_item(network_posterior *p) {
    p->items = memory_resize(p->items, p->count + 1, sizeof *p->items);
    p->items[p->count] = (item){.state = SIZE_MAX};
    return &p->items[p->count++];
}

static void posterior_query_add_node(item *target_item, size_t node) {
    target_item->nodes = memory_resize(target_item->nodes, target_item->count + 1, sizeof *target_item->nodes);
    target_item->nodes[target_item->count++] = node;
}

static bool posterior_query_has_node(const item *it, size_t node) {
    for (size_t i = 0; i < it->count; i++) {
        if (it->nodes[i] == node) return true;
    }
    return false;
}

/* Adds a node to the query: to the joint item if there is one, else as an item of its own. Reports a duplicate,
 * unless
 * all nodes are queried. */
static int ask_for(network_posterior *p, item *joint, size_t node) {
    bool is_there = joint != NULL && posterior_query_has_node(joint, node);
    for (size_t i = 0; joint == NULL && i < p->count; i++) {
        is_there = is_there || (!is_event(&p->items[i]) && p->items[i].nodes[0] == node);
    }
    if (is_there && p->has_all) return ENDED_WELL;
    if (!is_there) {
        posterior_query_add_node(joint != NULL ? joint : posterior_query_add_item(p), node);
        return ENDED_WELL;
    }
    string shown = {0};
    string_add_shown(&shown, p->q->known.names[node]);
    int ended = message_usage("--of: '%s' is listed twice", string_text(&shown));
    string_free(&shown);
    return ended;
}

/* Adds the nodes that a number, range or glob selects. */
static int ask_for_selected(network_posterior *p, item *joint, crd_text selector) {
    size_t count = 0, *nodes = memory_resize(NULL, p->q->known.node_count, sizeof *nodes);
    int ended = network_select_nodes(&p->q->known, "of", selector, nodes, &count);
    if (ended == ENDED_FAILED) network_hint_at_quotes(&p->q->known, p->q->call, "of");
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) ended = ask_for(p, joint, nodes[i]);
    free(nodes);
    return ended;
}

/* Adds all nodes with probabilities that are not queried yet. A joint item gets all discrete nodes, or all continuous
 * nodes if the network has no discrete ones. */
static void ask_for_all(network_posterior *p, item *joint) {
    const crd_network *network = p->q->network;
    size_t count = crd_network_node_count(network);
    bool *there = memory_resize(NULL, count, sizeof *there);
    memset(there, 0, count * sizeof *there);
    for (size_t i = 0; i < p->count; i++) {
        for (size_t k = 0; !is_event(&p->items[i]) && k < p->items[i].count; k++) there[p->items[i].nodes[k]] = true;
    }
    bool takes_numbers = true;
    for (size_t node = 0; joint != NULL && node < count; node++)
        takes_numbers = takes_numbers && crd_network_node_kind(network, node) != CRD_NODE_CHANCE;
    for (size_t node = 0; node < count; node++) {
        bool is_asked = crd_network_node_kind(network, node) == CRD_NODE_CHANCE ||
                        (takes_numbers && crd_network_node_kind(network, node) == CRD_NODE_GAUSSIAN);
        if (there[node] || !is_asked) continue;
        posterior_query_add_node(joint != NULL ? joint : posterior_query_add_item(p), node);
    }
    free(there);
    p->has_all = true;
}

/* Returns whether a text is NODE=STATE, where the state is taken literally. So a state that contains event operators
 * needs no quotes. */
static bool is_equality(const network_posterior *p, crd_text text, bool is_quoted, size_t *node, size_t *state) {
    crd_text view;
    const list one = {.items = &text, .is_quoted = &is_quoted, .count = 1};
    const network_evidence *known = &p->q->known;
    if (!list_split_assignment(&one, 0, known->names, known->node_count, node, &view)) return false;
    *state = crd_network_find_state(p->q->network, *node, view);
    return *state != SIZE_MAX;
}

/* Returns whether an item is a joint query of continuous nodes, which is answered by moments. */
static bool are_numbers(const network_posterior *p, const item *it) {
    bool is_each = it->count > 1 && !is_event(it);
    for (size_t i = 0; i < it->count; i++) is_each = is_each && posterior_query_is_continuous(p, it->nodes[i]);
    return is_each;
}

/* Rejects a continuous node in an event or joint query of several nodes, which needs a table of states. */
static int posterior_query_refuse_continuous(const network_posterior *p, const item *it) {
    for (size_t i = 0; it->count > 1 && !are_numbers(p, it) && i < it->count; i++) {
        if (!posterior_query_is_continuous(p, it->nodes[i])) continue;
        string shown = {0};
        string_add_shown(&shown, p->q->known.names[it->nodes[i]]);
        int ended = message_failed("--%s: '%s' is a continuous node and cannot be combined with states of other nodes",
                                   is_event(it) ? "of" : "joint-distribution", string_text(&shown));
        string_free(&shown);
        return ended;
    }
    return ENDED_WELL;
}

/* Reads an event such as 'A=yes or B!=no'. Discrete nodes can only be compared by = and !=. */
static int posterior_query_read_event(network_posterior *p, crd_text text) {
    const network_evidence *known = &p->q->known;
    item *it = posterior_query_add_item(p);
    it->text = text;
    int ended = words_parse_event(p->q->call, "of", "node", text, known->names, known->node_count, &it->event);
    if (ended != ENDED_WELL) return ended;
    for (size_t i = 0; i < crd_event_comparison_count(it->event) && ended == ENDED_WELL; i++) {
        crd_column_comparison c = crd_event_comparison(it->event, i);
        size_t state;
        if (posterior_query_is_continuous(p, c.column)) {
            ended = ENDED_WELL;
        } else if (c.relation != CRD_EVENT_EQUAL && c.relation != CRD_EVENT_UNEQUAL) {
            ended = message_usage("--of: states have no order: compare them by = or !=");
            message_hint("put a state whose name begins with < or > in double quotes: --of 'node=\"<5\"'");
        } else {
            ended = network_find_state(known, "of", c.column, c.value, &state);
        }
        if (ended == ENDED_WELL && !posterior_query_has_node(it, c.column)) posterior_query_add_node(it, c.column);
    }
    return ended == ENDED_WELL ? posterior_query_refuse_continuous(p, it) : ended;
}

/* Reads an item of --of: a node, P(node), all, a selection, NODE=STATE or an event. */
static int posterior_query_read_item(network_posterior *p, crd_text text, item *joint) {
    const crd_network *network = p->q->network;
    list unquoted;
    crd_text bare = words_unquoted(text, &unquoted), inside;
    bool is_quoted = unquoted.count > 0;
    size_t node = crd_network_find(network, bare), state;
    int ended = ENDED_WELL;
    if (node == SIZE_MAX && !is_quoted && words_probability(bare, &inside)) node = crd_network_find(network, inside);
    if (node != SIZE_MAX) {
        ended = ask_for(p, joint, node);
    } else if (!is_quoted && crd_text_equal(bare, crd_text_of("all"))) {
        ask_for_all(p, joint);
    } else if (!words_compare(bare) && !words_hold(bare, "|")) {
        ended = ask_for_selected(p, joint, bare);
    } else if (joint != NULL) {
        ended = message_usage("--joint-distribution expects nodes; join events by 'and' or 'or'");
    } else if (is_equality(p, bare, is_quoted, &node, &state)) {
        item *it = posterior_query_add_item(p);
        posterior_query_add_node(it, node);
        it->state = state;
        it->text = text;
    } else {
        ended = posterior_query_read_event(p, text);
    }
    list_free(&unquoted);
    return ended;
}

/* Checks the size of a joint table. Fails if it has too many cells. */
static int check_cells(const network_posterior *p, const item *it) {
    double cells = 1;
    if (posterior_query_refuse_continuous(p, it) != ENDED_WELL) return ENDED_FAILED;
    for (size_t i = 0; i < it->count; i++) cells *= (double)crd_network_state_count(p->q->network, it->nodes[i]);
    if (it->count > MOST_TOGETHER)
        return message_failed("--joint-distribution: at most %d nodes are supported", MOST_TOGETHER);
    if (cells <= CRD_TABLE_MOST_CELLS) return ENDED_WELL;
    return message_failed("--%s: the table would have more than %d entries; name fewer nodes",
                          is_event(it) ? "of" : "joint-distribution", CRD_TABLE_MOST_CELLS);
}

static int posterior_query_read_items(network_posterior *p) {
    const arguments *words_given = &p->q->call->arguments;
    bool together = arguments_have(words_given, "joint-distribution");
    if (!arguments_have(words_given, "of")) {
        if (!together && (p->q->known.count > 0 || arguments_have(&p->q->call->arguments, "do"))) ask_for_all(p, NULL);
        return ENDED_WELL;
    }
    words_split(p->q->call, "of", &p->words);
    item *joint = together ? posterior_query_add_item(p) : NULL;
    int ended = p->words.count == 0 ? message_usage("--of names no node") : ENDED_WELL;
    for (size_t i = 0; i < p->words.count && ended == ENDED_WELL; i++)
        ended = posterior_query_read_item(p, p->words.items[i], joint);
    for (size_t i = 0; i < p->count && ended == ENDED_WELL; i++) ended = check_cells(p, &p->items[i]);
    return ended;
}

/* ---- Computation ---- */

static size_t posterior_query_cells(const network_posterior *p, const item *it) {
    size_t cells = 1;
    for (size_t i = 0; i < it->count; i++) cells *= crd_network_state_count(p->q->network, it->nodes[i]);
    return cells;
}

/* Stores the properties of an inference result. Among several, the report shows the least reliable one, which has the
 * fewest effective draws. */
static void note_asked(network_posterior *p, const crd_inference_result *result) {
    bool is_first = p->result.approximation == CRD_APPROXIMATION_NEVER;
    if (is_first || result->effective_draws < p->result.effective_draws) p->result = *result;
}

/* Sums the posterior of a node for the event that the node is in `state`: values[0] is true, values[1] is false. The
 * standard error of a sum is bounded by the sum of its cells' errors. Both sums have the same error, because they
 * sum to
 * 1, so the smaller bound applies. */
static void sum_state(const network_posterior *p, item *it) {
    double sums[2] = {0, 0}, errors[2] = {0, 0};
    for (size_t cell = 0; cell < posterior_query_cells(p, it); cell++) {
        sums[cell == it->state] += it->values[cell];
        errors[cell == it->state] += it->errors[cell];
    }
    it->values[0] = sums[1];
    it->values[1] = sums[0];
    it->errors[0] = it->errors[1] = errors[1] > errors[0] ? errors[0] : errors[1];
}

/* Computes an event or a joint posterior of discrete nodes. */
static int posterior_query_ask_joint(network_posterior *p, item *it) {
    crd_error error;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    size_t cells = posterior_query_cells(p, it), capacity = cells < 2 ? 2 : cells;
    const network_question *q = p->q;
    const crd_network_query query = network_question_query(q, it->nodes, it->count);
    it->values = memory_resize(NULL, capacity, sizeof *it->values);
    it->errors = memory_resize(NULL, capacity, sizeof *it->errors);
    crd_status status;
    if (it->event != NULL)
        status = crd_network_event(q->network, q->known.items, q->known.count, it->event, &q->options, it->values,
                                   it->errors, &result, &error);
    else status = crd_network_joint_posterior(q->network, &query, it->values, it->errors, &result, &error);
    if (status != CRD_OK) return inference_failed(q->call, &error, &result);
    note_asked(p, &result);
    if (it->event != NULL) it->errors[1] = it->errors[0];
    else if (is_event(it)) sum_state(p, it);
    return ENDED_WELL;
}

static int ask_moments(network_posterior *p, item *it) {
    const network_question *q = p->q;
    const crd_network_query query = network_question_query(q, it->nodes, it->count);
    crd_error error;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    it->means = memory_resize(NULL, it->count, sizeof *it->means);
    it->covariance = memory_resize(NULL, it->count * it->count, sizeof *it->covariance);
    if (crd_network_moments(q->network, &query, it->means, it->covariance, &result, &error) != CRD_OK)
        return inference_failed(q->call, &error, &result);
    note_asked(p, &result);
    return ENDED_WELL;
}

/* Computes the posteriors of all separately queried discrete nodes in one call. If there are no items, the call
 * computes only the probability of the evidence. */
static int posterior_query_ask_each(network_posterior *p) {
    const network_question *q = p->q;
    crd_error error;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    size_t count = 0, cells = 0, *nodes = memory_resize(NULL, p->count, sizeof *nodes);
    for (size_t i = 0; i < p->count; i++) {
        if (is_event(&p->items[i]) || p->items[i].count != 1 || posterior_query_is_number(p, &p->items[i])) continue;
        nodes[count++] = p->items[i].nodes[0];
        cells += posterior_query_cells(p, &p->items[i]);
    }
    double *values = memory_resize(NULL, cells, sizeof *values), *errors = memory_resize(NULL, cells, sizeof *errors);
    const crd_network_query query = network_question_query(q, nodes, count);
    int ended = ENDED_WELL;
    if ((count > 0 || p->count == 0) &&
        crd_network_posteriors(q->network, &query, values, errors, &result, &error) != CRD_OK) {
        ended = inference_failed(q->call, &error, &result);
    }
    if (ended == ENDED_WELL && (count > 0 || p->count == 0)) note_asked(p, &result);
    for (size_t i = 0, index = 0; i < p->count && ended == ENDED_WELL; i++) {
        item *it = &p->items[i];
        if (is_event(it) || it->count != 1 || posterior_query_is_number(p, it)) continue;
        size_t states = posterior_query_cells(p, it);
        it->values = memory_resize(NULL, states, sizeof *values);
        it->errors = memory_resize(NULL, states, sizeof *errors);
        memcpy(it->values, values + index, states * sizeof *values);
        memcpy(it->errors, errors + index, states * sizeof *errors);
        index += states;
    }
    free(nodes);
    free(values);
    free(errors);
    return ended;
}

/* Computes the mixtures of all queried continuous nodes in one call. Events that compare a continuous node follow
 * from
 * its mixture. */
static int ask_numbers(network_posterior *p) {
    const network_question *q = p->q;
    crd_error error;
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    size_t count = 0, *nodes = memory_resize(NULL, p->count, sizeof *nodes);
    crd_normal_mixture **mixtures = memory_resize(NULL, p->count, sizeof *mixtures);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < p->count; i++)
        if (posterior_query_is_number(p, &p->items[i])) nodes[count++] = p->items[i].nodes[0];
    const crd_network_query query = network_question_query(q, nodes, count);
    if (count > 0 && crd_network_mixtures(q->network, &query, mixtures, &result, &error) != CRD_OK)
        ended = inference_failed(q->call, &error, &result);
    for (size_t i = 0, index = 0; ended == ENDED_WELL && i < p->count; i++)
        if (posterior_query_is_number(p, &p->items[i])) p->items[i].mixture = mixtures[index++];
    if (ended == ENDED_WELL && count > 0) note_asked(p, &result);
    for (size_t i = 0; ended == ENDED_WELL && i < p->count; i++) {
        item *it = &p->items[i];
        if (it->mixture == NULL || !is_event(it)) continue;
        it->values = memory_resize(NULL, 2, sizeof *it->values);
        it->errors = memory_resize(NULL, 2, sizeof *it->errors);
        it->errors[0] = it->errors[1] = 0;
        if (crd_normal_mixture_event(q->call->context, it->mixture, it->event, it->values, &error) != CRD_OK)
            ended = message_error(&error);
    }
    free(nodes);
    free(mixtures);
    return ended;
}

static int posterior_query_ask(network_posterior *p) {
    int ended = posterior_query_ask_each(p);
    if (ended == ENDED_WELL) ended = ask_numbers(p);
    for (size_t i = 0; i < p->count && ended == ENDED_WELL; i++) {
        item *it = &p->items[i];
        if (are_numbers(p, it)) ended = ask_moments(p, it);
        else if (it->values == NULL && it->mixture == NULL) ended = posterior_query_ask_joint(p, it);
    }
    return ended;
}

/* ---- The report ---- */

static bool is_estimate(const network_posterior *p) {
    return p->result.approximation != CRD_APPROXIMATION_NEVER;
}

static void posterior_query_add_number(const network_posterior *p, crd_result_table *t, double value, double error) {
    crd_cell_number(t, value);
    if (is_estimate(p)) crd_cell_number(t, error);
}

static void report_numbers_alone(network_posterior *p) {
    numbers_table t = {NULL};
    for (size_t i = 0; i < p->count; i++) {
        const item *it = &p->items[i];
        if (is_event(it) || it->mixture == NULL) continue;
        if (t.table == NULL) t = numbers_table_begin(p->q);
        numbers_table_add(&t, p->q->known.names[it->nodes[0]], it->mixture);
    }
}

/* Reports several separately queried nodes in one text table. */
static void report_nodes_alone(network_posterior *p) {
    network_question *q = p->q;
    bool is_any = false;
    for (size_t i = 0; i < p->count; i++) is_any = is_any || (!is_event(&p->items[i]) && p->items[i].mixture == NULL);
    if (!is_any) return;
    network_question_heading(q, "Each node");
    crd_result_table *t = crd_result_add_table(q->report, NULL);
    crd_result_add_column(t, NULL, "node");
    crd_result_add_column(t, NULL, "state")->is_left = true;
    crd_result_add_column(t, NULL, "probability");
    if (is_estimate(p)) crd_result_add_column(t, NULL, "error");
    for (size_t i = 0; i < p->count; i++) {
        const item *it = &p->items[i];
        if (is_event(it) || it->mixture != NULL) continue;
        for (size_t s = 0; s < posterior_query_cells(p, it); s++) {
            crd_cell_name(t, s == 0 ? q->known.names[it->nodes[0]] : crd_text_of(""));
            crd_cell_name(t, crd_network_state(q->network, it->nodes[0], s));
            posterior_query_add_number(p, t, it->values[s], it->errors[s]);
        }
    }
}

/* An item as a joint distribution. */
typedef struct item_view {
    const network_posterior *p;
    const item *it;
    bool is_of_errors;
    bool is_hidden; /* only in JSON, which has the standard errors in another object */
} item_view;

static crd_text posterior_query_value_name(const void *object, size_t variable, size_t value,
                                           char buffer[CRD_NUMBER_ROOM]) {
    const item_view *v = object;
    (void)buffer;
    if (is_event(v->it)) return crd_text_of(value == 0 ? "true" : "false");
    return crd_network_state(v->p->q->network, v->it->nodes[variable], value);
}

static void posterior_query_add_cell(crd_result_table *t, const void *object, size_t cell) {
    const item_view *v = object;
    if (v->is_of_errors) crd_cell_number(t, v->it->errors[cell]);
    else if (v->is_hidden) crd_cell_number(t, v->it->values[cell]);
    else posterior_query_add_number(v->p, t, v->it->values[cell], v->it->errors[cell]);
}

/* Reports an item. Standard errors, and nodes that the text report lists in one table, are only in JSON. */
static int posterior_query_report_item(network_posterior *p, const item *it, bool is_of_errors, bool is_hidden) {
    network_question *q = p->q;
    size_t variables = is_event(it) ? 1 : it->count, *sizes = memory_resize(NULL, variables, sizeof *sizes);
    crd_text *names = memory_resize(NULL, variables, sizeof *names);
    item_view view = {p, it, is_of_errors, is_hidden};
    string key = {0}, given_string = {0};
    for (size_t i = 0; i < variables; i++) {
        sizes[i] = is_event(it) ? 2 : crd_network_state_count(q->network, it->nodes[i]);
        names[i] = is_event(it) ? it->text : q->known.names[it->nodes[i]];
    }
    if (is_event(it)) {
        string_add(&key, it->text.bytes, it->text.length);
        string_add_shown(&given_string, it->text);
    } else {
        joint_add_key(&key, q->known.names, it->nodes, it->count);
        words_add_names(&given_string, q->known.names, it->nodes, it->count);
    }
    if (!is_hidden) network_question_heading(q, string_text(&given_string));
    joint_distribution j = {.count = variables,
                            .names = names,
                            .sizes = sizes,
                            .data = &view,
                            .value = posterior_query_value_name,
                            .add = posterior_query_add_cell,
                            .has_errors = is_estimate(p) && !is_of_errors,
                            .is_hidden = is_hidden,
                            .all = q->all,
                            .is_drawn = !is_hidden && !is_of_errors,
                            .given = string_text(&q->known.text)};
    int ended = joint_report(q->report, (crd_text){string_text(&key), key.length}, &j);
    string_free(&key);
    string_free(&given_string);
    free(sizes);
    free(names);
    return ended;
}

/* Draws the graph with the posteriors of all nodes. */
static int posterior_query_draw_answer(network_posterior *p) {
    const network_question *q = p->q;
    crd_result *r = q->report;
    bool *is_target = memory_resize(NULL, q->known.node_count, sizeof *is_target);
    memset(is_target, 0, q->known.node_count * sizeof *is_target);
    for (size_t i = 0; !p->has_all && i < p->count; i++)
        for (size_t k = 0; k < p->items[i].count; k++) is_target[p->items[i].nodes[k]] = true;
    bool has_given = q->known.text.length > 0;
    const network_picture picture = {.network = q->network,
                                     .title =
                                         crd_result_format(r, "%s%s%s", network_picture_name(r, q->call, q->network),
                                                           has_given ? " given " : "", string_text(&q->known.text)),
                                     .findings = q->known.items,
                                     .finding_count = q->known.count,
                                     .options = &q->options,
                                     .is_target = is_target};
    int ended = network_picture_add(r, &picture);
    free(is_target);
    return ended;
}

/* Reports the evidence, the posteriors and, for estimates, the standard errors. */
static int posterior_query_report_answer(network_posterior *p) {
    crd_result *r = p->q->report;
    size_t nodes = 0;
    int ended = ENDED_WELL;
    for (size_t i = 0; i < p->count; i++) nodes += !is_event(&p->items[i]);
    network_question_open(p->q);
    network_question_report_evidence(p->q, p->result.log_evidence, p->result.log_evidence_error);
    if (nodes > 1) {
        report_nodes_alone(p);
        report_numbers_alone(p);
    }
    crd_result_begin(r, CRD_OBJECT, "posterior");
    for (size_t i = 0; ended == ENDED_WELL && i < p->count; i++) {
        const item *it = &p->items[i];
        bool is_hidden = nodes > 1 && !is_event(it);
        if (it->means != NULL) numbers_report_together(p->q, it->nodes, it->count, it->means, it->covariance);
        else if (it->mixture != NULL && !is_event(it))
            ended = numbers_report(p->q, it->nodes[0], it->mixture, is_hidden);
        else ended = posterior_query_report_item(p, it, false, is_hidden);
    }
    crd_result_end(r);
    crd_result_number(r, "log_evidence", p->result.log_evidence);
    if (is_estimate(p)) {
        crd_result_begin(r, CRD_OBJECT, "standard_error");
        for (size_t i = 0; ended == ENDED_WELL && i < p->count; i++)
            ended = posterior_query_report_item(p, &p->items[i], true, true);
        crd_result_end(r);
    }
    inference_report_estimate(r, &p->result);
    return ended == ENDED_WELL ? posterior_query_draw_answer(p) : ended;
}

int network_posterior_answer(network_question *q) {
    network_posterior p = {.q = q, .result = CRD_INFERENCE_RESULT_INIT};
    int ended = posterior_query_read_items(&p);
    if (ended == ENDED_WELL && p.count == 0 && q->known.count == 0) {
        ended = message_usage(
            "nothing to compute: name nodes with --of, evidence with --given, or an intervention with --do");
    }
    if (ended == ENDED_WELL) ended = posterior_query_ask(&p);
    if (q->known.count == 0) p.result.log_evidence = 0; /* exactly, without rounding errors */
    if (ended == ENDED_WELL) ended = posterior_query_report_answer(&p);
    /* The quantiles of mixtures with many components take long, so the user may have interrupted them. */
    if (ended == ENDED_WELL && invocation_interrupted()) {
        message_failed("interrupted");
        ended = invocation_interrupted_exit();
    }
    posterior_free(&p);
    return ended;
}
