/* SPDX-License-Identifier: MIT */
/* network_evidence.c - see network_evidence.h. */
#include "source/network_evidence.h"

#include "core/error_messages.h"
#include "core/fraction.h"
#include "core/messages.h"

#include <stdlib.h>
#include <string.h>

void network_evidence_begin(const crd_network *network, network_evidence *out) {
    *out = (network_evidence){.network = network, .node_count = crd_network_node_count(network)};
    out->names = memory_resize(NULL, out->node_count, sizeof *out->names);
    for (size_t i = 0; i < out->node_count; i++) out->names[i] = crd_network_node_name(network, i);
}

void network_evidence_free(network_evidence *f) {
    for (size_t i = 0; i < f->count; i++) free(f->likelihoods[i]);
    free(f->likelihoods);
    free(f->items);
    free(f->names);
    string_free(&f->text);
    *f = (network_evidence){0};
}

/* Returns the index of the node's item, or the number of items. */
static size_t network_evidence_place(const network_evidence *f, size_t node) {
    size_t i = 0;
    while (i < f->count && f->items[i].node != node) i++;
    return i;
}

const crd_finding *network_evidence_of(const network_evidence *f, size_t node) {
    size_t place = network_evidence_place(f, node);
    return place < f->count ? &f->items[place] : NULL;
}

/* ---- Names ---- */

int network_find_node(const network_evidence *f, const char *name, crd_text typed, size_t *node) {
    *node = crd_network_find(f->network, typed);
    if (*node != SIZE_MAX) return ENDED_WELL;
    return message_no_such(name, "node", typed, f->names, f->node_count);
}

int network_select_nodes(const network_evidence *f, const char *name, crd_text typed, size_t *nodes, size_t *count) {
    crd_error error;
    if (crd_network_select(f->network, typed, nodes, count, &error) != CRD_OK) {
        if (error.status != CRD_ERROR_COLUMN) return message_error(&error);
        return message_no_such(name, "node", typed, f->names, f->node_count);
    }
    size_t kept = 0;
    for (size_t i = 0; *count > 1 && i < *count; i++) {
        crd_node_kind kind = crd_network_node_kind(f->network, nodes[i]);
        if (kind == CRD_NODE_CHANCE || kind == CRD_NODE_GAUSSIAN) nodes[kept++] = nodes[i];
    }
    if (kept > 0) *count = kept;
    return ENDED_WELL;
}

void network_hint_at_quotes(const network_evidence *f, const invocation *call, const char *name) {
    size_t index = 0;
    for (const char *value; (value = arguments_next(&call->arguments, name, &index)) != NULL;) {
        if (strchr(value, ',') == NULL || crd_network_find(f->network, crd_text_of(value)) == SIZE_MAX) continue;
        string typed = {0};
        list_add_typed(&typed, crd_text_of(value));
        message_hint("put the node %s in quotes, as one item of the list: --%s %s", value, name, string_text(&typed));
        string_free(&typed);
    }
}

/* Prints a hint that commas separate findings, if the typed state contains another finding, as in "yes and B=no".
 * Returns whether it does. */
static bool hint_at_commas(const network_evidence *f, const char *name, size_t node, crd_text typed) {
    static const char signs[] = " ;&|+/";
    const char *equals = typed.length == 0 ? NULL : memchr(typed.bytes, '=', typed.length);
    if (equals == NULL) return false;
    size_t end = (size_t)(equals - typed.bytes), state = 0;
    while (end > 0 && typed.bytes[end - 1] == ' ') end--;
    size_t begin = end;
    while (begin > 0 && strchr(signs, typed.bytes[begin - 1]) == NULL) begin--;
    while (state < begin && strchr(signs, typed.bytes[state]) == NULL) state++;
    if (crd_network_find(f->network, (crd_text){typed.bytes + begin, end - begin}) == SIZE_MAX) return false;
    string first = {0}, second = {0}, known = {0};
    string_add_shown(&first, f->names[node]);
    string_add_shown(&known, (crd_text){typed.bytes, state});
    string_add_shown(&second, (crd_text){typed.bytes + begin, typed.length - begin});
    message_hint("separate findings with commas: --%s '%s=%s,%s'", name, string_text(&first), string_text(&known),
                 string_text(&second));
    string_free(&first);
    string_free(&second);
    string_free(&known);
    return true;
}

int network_find_state(const network_evidence *f, const char *name, size_t node, crd_text typed, size_t *state) {
    *state = crd_network_find_state(f->network, node, typed);
    if (*state != SIZE_MAX) return ENDED_WELL;
    string source_string = {0}, shown = {0}, near = {0}, all = {0};
    size_t near_count = 0;
    string_add_shown(&source_string, f->names[node]);
    string_add_shown(&shown, typed);
    for (size_t i = 0; i < crd_network_state_count(f->network, node); i++) {
        crd_text one = crd_network_state(f->network, node, i);
        string_add_listed(&all, i, one);
        list_add_near(&near, &near_count, typed, one);
    }
    message_failed("--%s: '%s' has no state '%s'", name, string_text(&source_string), string_text(&shown));
    if (hint_at_commas(f, name, node, typed)) goto done;
    if (near_count > 0) message_hint("did you mean %s?", string_text(&near));
    else message_hint("its states are %s", string_text(&all));
done:
    string_free(&source_string);
    string_free(&shown);
    string_free(&near);
    string_free(&all);
    return ENDED_FAILED;
}

/* Returns whether the text before '=' is a node followed by the first character of another operator: !=, <=, >=. */
static bool is_comparison(const network_evidence *f, crd_text typed) {
    if (typed.length < 2 || strchr("!<>", typed.bytes[typed.length - 1]) == NULL) return false;
    typed.length--;
    while (typed.length > 0 && typed.bytes[typed.length - 1] == ' ') typed.length--;
    return crd_network_find(f->network, typed) != SIZE_MAX;
}

static int refuse_comparison(const char *name, const char *syntax, crd_text item) {
    string shown = {0};
    string_add_shown(&shown, item);
    message_usage("--%s: expected %s, got '%s'", name, syntax, string_text(&shown));
    message_hint("to exclude a state, use --likelihood NODE=STATE:0, and :1 for every other state");
    string_free(&shown);
    return ENDED_USAGE;
}

/* Splits NODE=REST. `syntax` is the expected form of the option's value, for messages. */
static int split_item(const network_evidence *f, const char *name, const char *syntax, const list *items, size_t index,
                      size_t *node, crd_text *view) {
    crd_text item = items->items[index];
    if (list_split_assignment(items, index, f->names, f->node_count, node, view)) return ENDED_WELL;
    const char *equals = item.length == 0 ? NULL : memchr(item.bytes, '=', item.length);
    if (equals != NULL) {
        crd_text typed = {item.bytes, (size_t)(equals - item.bytes)};
        if (is_comparison(f, typed)) return refuse_comparison(name, syntax, item);
        while (typed.length > 0 && typed.bytes[typed.length - 1] == ' ') typed.length--;
        return message_no_such(name, "node", typed, f->names, f->node_count);
    }
    string shown = {0};
    string_add_shown(&shown, item);
    int ended = message_usage("--%s: expected %s, got '%s'", name, syntax, string_text(&shown));
    string_free(&shown);
    return ended;
}

int network_find_assignment(const network_evidence *f, const char *name, const list *items, size_t index, size_t *node,
                            size_t *state) {
    crd_text view;
    int ended = split_item(f, name, "NODE=STATE", items, index, node, &view);
    return ended == ENDED_WELL ? network_find_state(f, name, *node, view, state) : ended;
}

static int network_evidence_add_node(const network_evidence *f, const char *name, size_t node, size_t **nodes,
                                     size_t *count) {
    for (size_t i = 0; i < *count; i++) {
        if ((*nodes)[i] != node) continue;
        string shown = {0};
        string_add_shown(&shown, f->names[node]);
        int ended = message_usage("--%s: '%s' is listed twice", name, string_text(&shown));
        string_free(&shown);
        return ended;
    }
    *nodes = memory_resize(*nodes, *count + 1, sizeof **nodes);
    (*nodes)[(*count)++] = node;
    return ENDED_WELL;
}

static void network_evidence_take_all(const network_evidence *f, size_t **nodes, size_t *count) {
    *nodes = memory_resize(*nodes, f->node_count, sizeof **nodes);
    *count = 0;
    for (size_t i = 0; i < f->node_count; i++) {
        if (crd_network_node_kind(f->network, i) == CRD_NODE_CHANCE) (*nodes)[(*count)++] = i;
    }
}

static bool means_all(const network_evidence *f, const list *items, size_t index) {
    return crd_text_equal(items->items[index], crd_text_of("all")) && !items->is_quoted[index] &&
           crd_network_find(f->network, items->items[index]) == SIZE_MAX;
}

bool network_names_all(const network_evidence *f, const invocation *call, const char *name) {
    bool is_found = false;
    size_t index = 0;
    for (const char *value; (value = arguments_next(&call->arguments, name, &index)) != NULL;) {
        list items;
        if (!list_split(value, &items)) continue;
        for (size_t i = 0; i < items.count; i++) is_found = is_found || means_all(f, &items, i);
        list_free(&items);
    }
    return is_found;
}

/* Adds the nodes of one list of an option. Sets *has_all if "all" is among them. */
static int find_listed(const network_evidence *f, const char *name, const char *text, size_t **nodes, size_t *count,
                       bool *has_all) {
    list items;
    if (!list_split(text, &items)) return message_usage("--%s: a quote is not closed", name);
    int ended = ENDED_WELL;
    size_t *chosen = memory_resize(NULL, f->node_count, sizeof *chosen);
    for (size_t i = 0; ended == ENDED_WELL && i < items.count; i++) {
        size_t chosen_count = 0;
        bool is_all = means_all(f, &items, i);
        *has_all = *has_all || is_all;
        if (is_all) continue;
        ended = network_select_nodes(f, name, items.items[i], chosen, &chosen_count);
        for (size_t k = 0; k < chosen_count && ended == ENDED_WELL; k++)
            ended = network_evidence_add_node(f, name, chosen[k], nodes, count);
    }
    free(chosen);
    list_free(&items);
    return ended;
}

int network_find_listed(const network_evidence *f, const char *name, const char *text, size_t **nodes, size_t *count) {
    bool has_all = false;
    *nodes = NULL;
    *count = 0;
    int ended = find_listed(f, name, text, nodes, count, &has_all);
    if (ended == ENDED_WELL && has_all) network_evidence_take_all(f, nodes, count);
    return ended;
}

int network_find_nodes(const network_evidence *f, const invocation *call, const char *name, size_t **nodes,
                       size_t *count) {
    int ended = ENDED_WELL;
    size_t index = 0;
    bool has_all = false;
    *nodes = NULL;
    *count = 0;
    for (const char *value; ended == ENDED_WELL && (value = arguments_next(&call->arguments, name, &index)) != NULL;) {
        ended = find_listed(f, name, value, nodes, count, &has_all);
        if (ended == ENDED_FAILED) network_hint_at_quotes(f, call, name);
    }
    if (ended == ENDED_WELL && has_all) network_evidence_take_all(f, nodes, count);
    return ended;
}

/* ---- Findings ---- */

static void add_finding(network_evidence *f, size_t node, size_t state, double *likelihoods, double number) {
    f->items = memory_resize(f->items, f->count + 1, sizeof *f->items);
    f->likelihoods = memory_resize(f->likelihoods, f->count + 1, sizeof *f->likelihoods);
    f->items[f->count] = (crd_finding){node, state, likelihoods, number};
    f->likelihoods[f->count++] = likelihoods;
}

static void network_evidence_add_text(network_evidence *f, crd_text item) {
    string_format(&f->text, "%s", f->text.length == 0 ? "" : ", ");
    string_add_shown(&f->text, item);
}

static int refuse_twice(const network_evidence *f, const char *name, size_t node) {
    string shown = {0};
    string_add_shown(&shown, f->names[node]);
    int ended = message_usage("--%s: '%s' is given twice", name, string_text(&shown));
    string_free(&shown);
    return ended;
}

static int network_evidence_refuse_number(const network_evidence *f, const char *name, size_t node, crd_text typed) {
    string source_string = {0}, shown = {0};
    string_add_shown(&source_string, f->names[node]);
    string_add_shown(&shown, typed);
    int ended = message_failed("--%s: '%s' is a continuous node, but '%s' is not a number", name,
                               string_text(&source_string), string_text(&shown));
    string_free(&source_string);
    string_free(&shown);
    return ended;
}

/* Adds a value of a node, in the format of rows or as a state name of the network. */
static int network_evidence_add_value(network_evidence *f, const char *name, size_t node, crd_text typed) {
    size_t state = 0;
    crd_value value;
    const bool is_continuous = crd_network_node_kind(f->network, node) == CRD_NODE_GAUSSIAN;
    const bool is_read = crd_network_read_cell(f->network, node, typed, &value, NULL) == CRD_OK;
    /* A date without a time has no hour, so this node stays unobserved. */
    if (is_read && value.type == CRD_TYPE_NONE) return ENDED_WELL;
    if (is_continuous && !is_read) return network_evidence_refuse_number(f, name, node, typed);
    if (!is_continuous) {
        int ended = network_find_state(f, name, node, is_read ? value.text : typed, &state);
        if (ended != ENDED_WELL) return ended;
    }
    if (network_evidence_of(f, node) != NULL) return refuse_twice(f, name, node);
    add_finding(f, node, state, NULL, is_continuous ? value.number : 0);
    return ENDED_WELL;
}

/* Adds the values of FIELD=TEXT if several nodes are parts of the field, as for a date. *is_found: there are such
 * nodes. */
static int network_evidence_add_parts(network_evidence *f, const char *name, const list *items, size_t index,
                                      bool *is_found) {
    int ended = ENDED_WELL;
    *is_found = false;
    for (size_t node = 0; node < f->node_count && ended == ENDED_WELL; node++) {
        size_t only;
        crd_text text, field = crd_network_node_field(f->network, node);
        if (field.length == 0 || !list_split_assignment(items, index, &field, 1, &only, &text)) continue;
        *is_found = true;
        ended = network_evidence_add_value(f, name, node, text);
    }
    return ended;
}

static int read_certain(network_evidence *f, const char *name, const list *items, size_t index) {
    size_t node;
    crd_text view;
    bool is_field = false;
    int ended = ENDED_WELL;
    if (!list_split_assignment(items, index, f->names, f->node_count, &node, &view))
        ended = network_evidence_add_parts(f, name, items, index, &is_field);
    if (!is_field) ended = split_item(f, name, "NODE=STATE", items, index, &node, &view);
    if (!is_field && ended == ENDED_WELL) ended = network_evidence_add_value(f, name, node, view);
    if (ended == ENDED_WELL) network_evidence_add_text(f, items->items[index]);
    return ended;
}

static int refuse_likelihood(crd_text view) {
    string shown = {0};
    string_add_shown(&shown, view);
    message_usage("--likelihood: expected NODE=STATE:NUMBER, got '%s' after the node's name", string_text(&shown));
    message_hint("give the likelihood of the observation in that state as 0.9, 9/10 or 90%%");
    string_free(&shown);
    return ENDED_USAGE;
}

static int network_evidence_refuse_continuous(const network_evidence *f, size_t node) {
    string shown = {0};
    string_add_shown(&shown, f->names[node]);
    message_failed("--likelihood: '%s' is a continuous node, which has no states", string_text(&shown));
    message_hint("use --given NODE=NUMBER for its value");
    string_free(&shown);
    return ENDED_FAILED;
}

/* Splits STATE:NUMBER at the last colon, because state names may contain colons. */
static bool split_likelihood(crd_text view, bool is_quoted, crd_text *state, double *number) {
    size_t colon = view.length;
    while (colon > 0 && view.bytes[colon - 1] != ':') colon--;
    if (colon == 0) return false;
    crd_text digits = {view.bytes + colon, view.length - colon};
    while (digits.length > 0 && digits.bytes[0] == ' ') digits.bytes++, digits.length--;
    *state = (crd_text){view.bytes, colon - 1};
    while (!is_quoted && state->length > 0 && state->bytes[state->length - 1] == ' ') state->length--;
    return fraction_parse(digits, number) && *number >= 0;
}

/* Parses NODE=STATE:NUMBER and stores the likelihood (virtual evidence; Pearl 1988). */
static int read_likelihood(network_evidence *f, const char *name, const list *items, size_t index) {
    size_t node, state;
    double number;
    crd_text view, typed;
    int ended = split_item(f, name, "NODE=STATE:NUMBER", items, index, &node, &view);
    if (ended != ENDED_WELL) return ended;
    if (crd_network_node_kind(f->network, node) == CRD_NODE_GAUSSIAN)
        return network_evidence_refuse_continuous(f, node);
    if (!split_likelihood(view, items->is_quoted[index], &typed, &number)) return refuse_likelihood(view);
    ended = network_find_state(f, name, node, typed, &state);
    if (ended != ENDED_WELL) return ended;
    size_t states = crd_network_state_count(f->network, node), place = network_evidence_place(f, node);
    if (place == f->count) {
        /* -1 marks states that no item has named yet, because 0 is a valid likelihood. */
        double *none = memory_resize(NULL, states, sizeof *none);
        for (size_t i = 0; i < states; i++) none[i] = -1;
        add_finding(f, node, 0, none, 0);
    }
    double *likelihoods = f->likelihoods[place];
    if (likelihoods == NULL || likelihoods[state] >= 0) return refuse_twice(f, name, node);
    likelihoods[state] = number;
    network_evidence_add_text(f, items->items[index]);
    return ENDED_WELL;
}

typedef int item_reader(network_evidence *f, const char *name, const list *items, size_t index);

static int network_evidence_read_option(const invocation *call, const char *name, item_reader *read_item,
                                        network_evidence *out) {
    size_t index = 0;
    int ended = ENDED_WELL;
    for (const char *value; ended == ENDED_WELL && (value = arguments_next(&call->arguments, name, &index)) != NULL;) {
        list items;
        if (!list_split_findings(value, &items)) return message_usage("--%s: a quote is not closed", name);
        /* --given '' gives no evidence. */
        bool is_empty = items.count == 1 && items.items[0].length == 0;
        for (size_t i = 0; ended == ENDED_WELL && !is_empty && i < items.count; i++) {
            ended = read_item(out, name, &items, i);
        }
        list_free(&items);
    }
    return ended;
}

/* Rejects a --likelihood that omits states: whether an omitted state is impossible or as likely as others is
 * ambiguous. */
static int network_evidence_check_likelihoods(const network_evidence *f, size_t index) {
    size_t node = f->items[index].node, states = crd_network_state_count(f->network, node), named = 0;
    string source_string = {0}, missing = {0};
    for (size_t s = 0; s < states; s++) {
        if (f->likelihoods[index][s] >= 0) {
            named++;
            continue;
        }
        string item = {0};
        string_add(&item, f->names[node].bytes, f->names[node].length);
        string_add_char(&item, '=');
        crd_text state = crd_network_state(f->network, node, s);
        string_add(&item, state.bytes, state.length);
        string_format(&item, ":NUMBER");
        string_add_listed(&missing, s - named, (crd_text){item.bytes, item.length});
        string_free(&item);
    }
    int ended = ENDED_WELL;
    if (named < states) {
        string_add_shown(&source_string, f->names[node]);
        ended = message_usage("--likelihood: expected a number for each of the %zu states of '%s', got %zu", states,
                              string_text(&source_string), named);
        message_hint("add %s; 0 excludes a state", string_text(&missing));
    }
    string_free(&source_string);
    string_free(&missing);
    return ended;
}

int network_evidence_read(const invocation *call, const crd_network *network, network_evidence *out) {
    network_evidence_begin(network, out);
    int ended = network_evidence_read_option(call, "given", read_certain, out);
    if (ended == ENDED_WELL) ended = network_evidence_read_option(call, "likelihood", read_likelihood, out);
    for (size_t i = 0; i < out->count && ended == ENDED_WELL; i++) {
        if (out->likelihoods[i] != NULL) ended = network_evidence_check_likelihoods(out, i);
    }
    return ended;
}

int network_intervene(const invocation *call, const crd_network **network, crd_network **changed) {
    network_evidence actions;
    crd_error error;
    *changed = NULL;
    if (!arguments_have(&call->arguments, "do")) return ENDED_WELL;
    network_evidence_begin(*network, &actions);
    int ended = network_evidence_read_option(call, "do", read_certain, &actions);
    if (ended == ENDED_WELL && crd_network_intervene(*network, actions.items, actions.count, changed, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) *network = *changed;
    network_evidence_free(&actions);
    return ended;
}
