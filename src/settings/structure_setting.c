/* SPDX-License-Identifier: MIT */
/* structure_setting.c - parses and formats the arcs of a network: `A->B,C->B,D`, a list of arcs and of nodes without
 * arcs. The settings arcs, required-arcs, forbidden-arcs and forbidden-transitions have this form. Also parses
 * and formats the setting latent-nodes.
 *
 * Several arcs may be chained: A->B->C and A->B<-C. A name is in quotes, as in CSV, if it contains a comma, a quote or
 * an arc, or if it begins or ends with a space. The canonical text lists the nodes sorted by bytes, each with the arcs
 * from its parents, also sorted. A node is listed without an arc if no arc contains it.
 *
 * Contents:
 *   1. Arcs
 *   2. Latent nodes */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "settings/settings_internal.h"

#include <credence/number.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Arcs ======== */

/* ---- Reading ---- */

typedef struct setting_arrow {
    uint32_t child, parent;
} setting_arrow;

typedef struct graph {
    crd_context *context;
    const char *setting; /* name of the setting */
    bool takes_loops;    /* allows arcs from a node to itself: transitions of sequences, whose states may repeat */
    crd_i_dictionary *nodes;
    setting_arrow *arrows;
    size_t count, capacity;
} graph;

static void structure_setting_clear(graph *source_graph) {
    crd_i_dictionary_destroy(source_graph->nodes);
    crd_free(source_graph->context, source_graph->arrows);
}

static void structure_setting_skip_blanks(crd_text *text) {
    while (text->length > 0 && (text->bytes[0] == ' ' || text->bytes[0] == '\t')) text->bytes++, text->length--;
}

static bool structure_setting_starts(crd_text text, const char *with) {
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

static bool is_arrow(crd_text text) {
    return structure_setting_starts(text, "->") || structure_setting_starts(text, "<-");
}

static void structure_setting_take(crd_text *text, size_t length) {
    text->bytes += length;
    text->length -= length;
}

static crd_status structure_setting_take_quoted(const char *setting, crd_text *view, crd_i_buffer *name,
                                                crd_error *error) {
    for (structure_setting_take(view, 1);; structure_setting_take(view, 1)) {
        if (view->length == 0) return crd_i_fail(error, CRD_ERROR_SETTING, "%s has an unclosed quote", setting);
        if (structure_setting_starts(*view, "\"\"")) structure_setting_take(view, 1);
        else if (view->bytes[0] == '"') break;
        if (!crd_i_buffer_append(name, view->bytes, 1)) return crd_i_fail_memory(error);
    }
    structure_setting_take(view, 1);
    structure_setting_skip_blanks(view);
    if (view->length == 0 || view->bytes[0] == ',' || is_arrow(*view)) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_SETTING, "%s has a closing quote that is not followed by a comma or an arc",
                      setting);
}

static crd_status structure_setting_take_plain(const char *setting, crd_text *view, crd_i_buffer *name,
                                               crd_error *error) {
    crd_text plain = {view->bytes, 0};
    for (; view->length > 0 && view->bytes[0] != ',' && !is_arrow(*view); structure_setting_take(view, 1))
        plain.length++;
    plain = crd_i_text_trim(plain);
    char quoted[CRD_I_QUOTED_ROOM];
    if (plain.length > 0 && plain.bytes[0] == '>')
        return crd_i_fail(
            error, CRD_ERROR_SETTING,
            "%s has an arc in both directions at '%s': use -> or <-, and put names that begin with > in quotes",
            setting, crd_i_quote(plain, quoted));
    return crd_i_buffer_append(name, plain.bytes, plain.length) ? CRD_OK : crd_i_fail_memory(error);
}

/* Reads the next name, and finds or adds its node. */
static crd_status structure_setting_take_node(graph *target_graph, crd_text *view, crd_i_buffer *name, uint32_t *node,
                                              crd_error *error) {
    name->length = 0;
    structure_setting_skip_blanks(view);
    crd_status status = structure_setting_starts(*view, "\"")
                            ? structure_setting_take_quoted(target_graph->setting, view, name, error)
                            : structure_setting_take_plain(target_graph->setting, view, name, error);
    if (status != CRD_OK) return status;
    if (name->length == 0)
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "%s has a column without a name: it accepts none, or arcs and columns such as A->B,C->B,D",
                          target_graph->setting);
    crd_text text = {(const char *)name->bytes, name->length};
    int32_t code = crd_i_dictionary_add(target_graph->nodes, text);
    *node = (uint32_t)code;
    return code < 0 ? crd_i_fail_memory(error) : CRD_OK;
}

static crd_status structure_setting_add_arrow(graph *target_graph, uint32_t first, uint32_t towards, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (first == towards && !target_graph->takes_loops)
        return crd_i_fail(error, CRD_ERROR_SETTING, "%s has an arc from '%s' to itself", target_graph->setting,
                          crd_i_quote(crd_i_dictionary_text(target_graph->nodes, first), quoted));
    if (!crd_i_reserve(target_graph->context, &target_graph->arrows, &target_graph->capacity, target_graph->count + 1,
                       sizeof *target_graph->arrows))
        return crd_i_fail_memory(error);
    const setting_arrow added = {towards, first};
    target_graph->arrows[target_graph->count++] = added;
    return CRD_OK;
}

/* Reads all arcs and nodes of the text. */
static crd_status structure_setting_read_graph(graph *target_graph, crd_text text, crd_error *error) {
    crd_i_buffer name = {target_graph->context, NULL, 0, 0};
    crd_status status = CRD_OK;
    for (bool more = true; status == CRD_OK && more;) {
        uint32_t last, next;
        status = structure_setting_take_node(target_graph, &text, &name, &last, error);
        while (status == CRD_OK && is_arrow(text)) {
            bool is_forward = text.bytes[0] == '-';
            structure_setting_take(&text, 2);
            status = structure_setting_take_node(target_graph, &text, &name, &next, error);
            if (status == CRD_OK)
                status = structure_setting_add_arrow(target_graph, is_forward ? last : next, is_forward ? next : last,
                                                     error);
            last = next;
        }
        more = text.length > 0;
        if (more) structure_setting_take(&text, 1);
    }
    crd_i_buffer_clear(&name);
    return status;
}

/* ---- Order ---- */

static bool structure_setting_no_numbers(crd_text text, double *value) {
    (void)text;
    *value = 0;
    return false;
}

/* Renumbers the nodes in byte order. */
static crd_status sort_nodes(graph *source_graph, crd_error *error) {
    size_t count = crd_i_dictionary_size(source_graph->nodes);
    crd_i_dictionary *sorted = crd_i_dictionary_create(source_graph->context);
    int32_t *codes = crd_i_alloc(source_graph->context, count, sizeof *codes);
    uint32_t *ranks = crd_i_alloc(source_graph->context, count, sizeof *ranks);
    bool done = sorted != NULL && codes != NULL && ranks != NULL &&
                crd_i_dictionary_order(source_graph->nodes, NULL, structure_setting_no_numbers, codes) != SIZE_MAX;
    for (size_t i = 0; done && i < count; i++) {
        ranks[codes[i]] = (uint32_t)i;
        done = crd_i_dictionary_add(sorted, crd_i_dictionary_text(source_graph->nodes, (size_t)codes[i])) >= 0;
    }
    for (size_t i = 0; done && i < source_graph->count; i++) {
        source_graph->arrows[i].child = ranks[source_graph->arrows[i].child];
        source_graph->arrows[i].parent = ranks[source_graph->arrows[i].parent];
    }
    crd_free(source_graph->context, codes);
    crd_free(source_graph->context, ranks);
    crd_i_dictionary_destroy(done ? source_graph->nodes : sorted);
    if (done) source_graph->nodes = sorted;
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static int compare_arrows(const void *a, const void *b) {
    const setting_arrow *x = a, *y = b;
    if (x->child != y->child) return x->child < y->child ? -1 : 1;
    return x->parent < y->parent ? -1 : x->parent > y->parent;
}

static crd_status sort_arrows(graph *source_graph, crd_error *error) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    if (source_graph->count > 0)
        qsort(source_graph->arrows, source_graph->count, sizeof *source_graph->arrows, compare_arrows);
    for (size_t i = 1; i < source_graph->count; i++)
        if (compare_arrows(&source_graph->arrows[i - 1], &source_graph->arrows[i]) == 0)
            return crd_i_fail(
                error, CRD_ERROR_SETTING, "%s has the arc %s->%s twice", source_graph->setting,
                crd_i_quote(crd_i_dictionary_text(source_graph->nodes, source_graph->arrows[i].parent), quoted[0]),
                crd_i_quote(crd_i_dictionary_text(source_graph->nodes, source_graph->arrows[i].child), quoted[1]));
    return CRD_OK;
}

/* ---- Cycles ---- */

static size_t first_parent(const crd_i_arcs *arcs, size_t node) {
    return node == 0 ? 0 : arcs->ends[node - 1];
}

static crd_status structure_setting_fail_cycle(const char *setting, const crd_i_arcs *arcs, const uint32_t *cycle,
                                               size_t count, crd_error *error) {
    char words[400], quoted[CRD_I_QUOTED_ROOM];
    size_t used = 0;
    for (size_t i = 0; i <= count && used < sizeof words; i++) {
        const char *name = crd_i_quote(crd_i_dictionary_text(arcs->nodes, cycle[i % count]), quoted);
        used += (size_t)snprintf(words + used, sizeof words - used, "%s%s", i == 0 ? "" : "<-", name);
    }
    if (used >= sizeof words) memcpy(words + sizeof words - 4, "...", 4);
    return crd_i_fail(error, CRD_ERROR_SETTING, "%s has a directed cycle: %s", setting, words);
}

/* Searches for a cycle by depth-first search from child to parent. `path` contains the current path, and next[node] is
 * the next parent to try. A node that occurs on the path again closes a cycle. */
static crd_status structure_setting_walk(const char *setting, const crd_i_arcs *arcs, uint32_t first, uint32_t *path,
                                         size_t *next, bool *is_on_path, crd_error *error) {
    size_t length = 0;
    path[length++] = first;
    is_on_path[first] = true;
    while (length > 0) {
        uint32_t index = path[length - 1];
        if (next[index] == arcs->ends[index]) {
            is_on_path[index] = false;
            length--;
            continue;
        }
        uint32_t parent = arcs->parents[next[index]++];
        if (is_on_path[parent]) {
            size_t start = length - 1;
            while (path[start] != parent) start--;
            return structure_setting_fail_cycle(setting, arcs, path + start, length - start, error);
        }
        if (next[parent] > first_parent(arcs, parent)) continue; /* it was visited before */
        path[length++] = parent;
        is_on_path[parent] = true;
    }
    return CRD_OK;
}

static crd_status check_cycles(crd_context *context, const char *setting, const crd_i_arcs *arcs, crd_error *error) {
    size_t count = crd_i_dictionary_size(arcs->nodes);
    uint32_t *path = crd_i_alloc(context, count, sizeof *path);
    size_t *next = crd_i_alloc(context, count, sizeof *next);
    bool *is_on_path = crd_i_alloc_zeroed(context, count, sizeof *is_on_path);
    crd_status status = CRD_OK;
    if (path == NULL || next == NULL || is_on_path == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) next[i] = first_parent(arcs, i);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        if (next[i] < arcs->ends[i])
            status = structure_setting_walk(setting, arcs, (uint32_t)i, path, next, is_on_path, error);
    crd_free(context, path);
    crd_free(context, next);
    crd_free(context, is_on_path);
    return status;
}

/* ---- Settings ---- */

/* Converts the sorted graph to the fields of the settings, which take over its nodes. */
static crd_status keep_graph(crd_i_arcs *arcs, graph *source_graph, crd_error *error) {
    size_t count = crd_i_dictionary_size(source_graph->nodes);
    uint32_t *parents = crd_i_alloc(source_graph->context, source_graph->count, sizeof *parents);
    size_t *ends = crd_i_alloc_zeroed(source_graph->context, count, sizeof *ends);
    if (parents == NULL || ends == NULL) {
        crd_free(source_graph->context, parents);
        crd_free(source_graph->context, ends);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0, node = 0; node < count; node++) {
        for (; i < source_graph->count && source_graph->arrows[i].child == node; i++)
            parents[i] = source_graph->arrows[i].parent;
        ends[node] = i;
    }
    arcs->nodes = source_graph->nodes;
    source_graph->nodes = NULL;
    arcs->parents = parents;
    arcs->ends = ends;
    return CRD_OK;
}

static crd_status structure_setting_parse(crd_context *context, const char *setting, crd_text text, crd_i_arcs *arcs,
                                          crd_error *error) {
    graph found_graph = {.context = context,
                         .setting = setting,
                         .takes_loops = strcmp(setting, "forbidden-transitions") == 0,
                         .nodes = crd_i_dictionary_create(context)};
    crd_status status =
        found_graph.nodes == NULL ? crd_i_fail_memory(error) : structure_setting_read_graph(&found_graph, text, error);
    if (status == CRD_OK) status = sort_nodes(&found_graph, error);
    if (status == CRD_OK) status = sort_arrows(&found_graph, error);
    if (status == CRD_OK) status = keep_graph(arcs, &found_graph, error);
    structure_setting_clear(&found_graph);
    return status;
}

/* Returns which nodes are parents. NULL: out of memory. */
static bool *find_parents(crd_context *context, const crd_i_arcs *arcs) {
    size_t count = crd_i_dictionary_size(arcs->nodes);
    bool *is_parent = crd_i_alloc_zeroed(context, count, sizeof *is_parent);
    for (size_t i = 0; is_parent != NULL && i < arcs->ends[count - 1]; i++) is_parent[arcs->parents[i]] = true;
    return is_parent;
}

static crd_status refuse_single_nodes(crd_context *context, const char *setting, const crd_i_arcs *arcs,
                                      crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    bool *is_parent = find_parents(context, arcs);
    crd_status status = is_parent == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_i_dictionary_size(arcs->nodes); i++)
        if (!is_parent[i] && first_parent(arcs, i) == arcs->ends[i])
            status =
                crd_i_fail(error, CRD_ERROR_SETTING, "%s accepts arcs such as A->B, but '%s' is not part of an arc",
                           setting, crd_i_quote(crd_i_dictionary_text(arcs->nodes, i), quoted));
    crd_free(context, is_parent);
    return status;
}

static crd_i_arcs arcs_of_structure(const crd_settings *settings) {
    const crd_i_arcs arcs = {settings->structure_nodes, settings->structure_parents, settings->structure_ends};
    return arcs;
}

crd_status crd_i_arcs_parse(crd_settings *settings, crd_text text, crd_error *error) {
    static const char setting[] = "arcs";
    crd_i_arcs arcs = {NULL, NULL, NULL};
    crd_status status = structure_setting_parse(settings->context, setting, text, &arcs, error);
    settings->structure_nodes = arcs.nodes;
    settings->structure_parents = arcs.parents;
    settings->structure_ends = arcs.ends;
    return status == CRD_OK ? check_cycles(settings->context, setting, &arcs, error) : status;
}

crd_status crd_i_required_arcs_parse(crd_settings *settings, crd_text text, crd_error *error) {
    static const char setting[] = "required-arcs";
    crd_status status = structure_setting_parse(settings->context, setting, text, &settings->required_arcs, error);
    if (status == CRD_OK) status = refuse_single_nodes(settings->context, setting, &settings->required_arcs, error);
    return status == CRD_OK ? check_cycles(settings->context, setting, &settings->required_arcs, error) : status;
}

static crd_status forbidden_parse(crd_settings *settings, const char *setting, crd_text text, crd_i_arcs *arcs,
                                  crd_error *error) {
    crd_status status = structure_setting_parse(settings->context, setting, text, arcs, error);
    return status == CRD_OK ? refuse_single_nodes(settings->context, setting, arcs, error) : status;
}

crd_status crd_i_forbidden_arcs_parse(crd_settings *settings, crd_text text, crd_error *error) {
    return forbidden_parse(settings, "forbidden-arcs", text, &settings->forbidden_arcs, error);
}

crd_status crd_i_forbidden_transitions_parse(crd_settings *settings, crd_text text, crd_error *error) {
    return forbidden_parse(settings, "forbidden-transitions", text, &settings->forbidden_transitions, error);
}

/* ---- Writing ---- */

static bool structure_setting_needs_quotes(crd_text name) {
    if (name.length == 0 || crd_text_equal(name, crd_text_of("none"))) return true;
    char first = name.bytes[0], last = name.bytes[name.length - 1];
    if (first == '>' || first == ' ' || first == '\t' || last == ' ' || last == '\t') return true;
    for (crd_text view = name; view.length > 0; structure_setting_take(&view, 1))
        if (memchr(",\"\n\r", view.bytes[0], 4) != NULL || is_arrow(view)) return true;
    return last == '<'; /* together with the arc after it, it would read as an arc in the other direction */
}

static bool append_quoted(crd_i_buffer *buffer, crd_text name) {
    bool done = crd_i_buffer_append(buffer, "\"", 1);
    for (; done && name.length > 0; structure_setting_take(&name, 1))
        done = (name.bytes[0] != '"' || crd_i_buffer_append(buffer, "\"", 1)) &&
               crd_i_buffer_append(buffer, name.bytes, 1);
    return done && crd_i_buffer_append(buffer, "\"", 1);
}

/* Appends the name of a node, in quotes if needed. false: out of memory. */
static bool append_node(crd_i_buffer *buffer, crd_text name) {
    return structure_setting_needs_quotes(name) ? append_quoted(buffer, name)
                                                : crd_i_buffer_append(buffer, name.bytes, name.length);
}

static bool append_all(crd_i_buffer *out, const crd_i_arcs *arcs, const bool *is_parent) {
    size_t count = crd_i_dictionary_size(arcs->nodes);
    bool done = true;
    for (size_t node = 0; done && node < count; node++) {
        crd_text name = crd_i_dictionary_text(arcs->nodes, node);
        size_t first = first_parent(arcs, node), end = arcs->ends[node];
        if (first == end && !is_parent[node])
            done = (out->length == 0 || crd_i_buffer_append(out, ",", 1)) && append_node(out, name);
        for (size_t i = first; done && i < end; i++)
            done = (out->length == 0 || crd_i_buffer_append(out, ",", 1)) &&
                   append_node(out, crd_i_dictionary_text(arcs->nodes, arcs->parents[i])) &&
                   crd_i_buffer_append(out, "->", 2) && append_node(out, name);
    }
    return done;
}

char *crd_i_arcs_text(crd_context *context, const crd_i_arcs *arcs) {
    if (arcs->nodes == NULL) return (char *)crd_i_text_copy(context, crd_text_of("none")).bytes;
    bool *is_parent = find_parents(context, arcs);
    crd_i_buffer out = {context, NULL, 0, 0};
    /* A single node is in quotes if its name is the name of a search. */
    bool is_word = crd_i_dictionary_size(arcs->nodes) == 1 &&
                   crd_i_setting_has_word(CRD_I_SETTING_ARCS, crd_i_dictionary_text(arcs->nodes, 0));
    bool done = is_parent != NULL && (is_word ? append_quoted(&out, crd_i_dictionary_text(arcs->nodes, 0))
                                              : append_all(&out, arcs, is_parent));
    crd_free(context, is_parent);
    if (done && crd_i_buffer_append(&out, "", 1)) return (char *)out.bytes;
    crd_i_buffer_clear(&out);
    return NULL;
}

char *crd_i_arcs_setting_text(const crd_settings *settings) {
    const crd_i_arcs arcs = arcs_of_structure(settings);
    return crd_i_arcs_text(settings->context, &arcs);
}

/* ======== 2. Latent nodes ========
 *
 * The setting latent-nodes lists the latent nodes of a network, which are not columns. Its value is a list of items NAME:K,
 * where K is the number of states, or NAME if K is to be chosen. An item whose name contains a comma is in quotes,
 * together with its number. The canonical text sorts the items by the bytes of their names. */

/* Splits an item at its last colon, if a number follows it. Sets *states to 0 if no number follows. */
static crd_status parse_item(crd_text item, crd_text *name, size_t *states, crd_error *error) {
    size_t index = item.length;
    double value = 0;
    char quoted[CRD_I_QUOTED_ROOM];
    while (index > 0 && item.bytes[index - 1] != ':') index--;
    const crd_text number = {item.bytes + index, item.length - index};
    bool has_number = index > 0 && crd_number_parse(number, &value) == CRD_NUMBER_FINITE;
    const crd_text view = {item.bytes, has_number ? index - 1 : item.length};
    *name = view;
    *states = 0;
    if (view.length == 0) return crd_i_fail(error, CRD_ERROR_SETTING, "latent-nodes has a node without a name");
    if (!has_number) return CRD_OK;
    if (!(value >= 1 && value <= CRD_I_MOST_HIDDEN_STATES) || value != (double)(size_t)value)
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "latent-nodes accepts NAME:K with 1 to %d states, a whole number, but got '%s'",
                          CRD_I_MOST_HIDDEN_STATES, crd_i_quote(item, quoted));
    *states = (size_t)value;
    return CRD_OK;
}

static crd_status latent_nodes_add_item(crd_settings *settings, crd_text item, size_t *workspace, crd_error *error) {
    crd_text name;
    size_t states, count = crd_i_dictionary_size(settings->latent_nodes);
    char quoted[CRD_I_QUOTED_ROOM];
    crd_status status = parse_item(item, &name, &states, error);
    if (status != CRD_OK) return status;
    if (crd_i_dictionary_find(settings->latent_nodes, name) >= 0)
        return crd_i_fail(error, CRD_ERROR_SETTING, "latent-nodes has '%s' twice", crd_i_quote(name, quoted));
    if (!crd_i_reserve(settings->context, &settings->latent_states, workspace, count + 1,
                       sizeof *settings->latent_states) ||
        crd_i_dictionary_add(settings->latent_nodes, name) < 0)
        return crd_i_fail_memory(error);
    settings->latent_states[count] = states;
    return CRD_OK;
}

crd_status crd_i_latent_nodes_parse(crd_settings *settings, crd_text text, crd_error *error) {
    crd_i_buffer item = {settings->context, NULL, 0, 0};
    size_t capacity = 0;
    settings->latent_nodes = crd_i_dictionary_create(settings->context);
    crd_status status = settings->latent_nodes == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (bool more = true; status == CRD_OK && more;) {
        status = crd_i_item_next(&text, &item, &more, error);
        const crd_text view = {item.bytes == NULL ? "" : (const char *)item.bytes, item.length};
        if (status == CRD_OK) status = latent_nodes_add_item(settings, view, &capacity, error);
    }
    crd_i_buffer_clear(&item);
    return status;
}

bool crd_i_settings_latent_node(const crd_settings *settings, crd_text name, size_t *states) {
    int32_t code = settings->latent_nodes == NULL ? -1 : crd_i_dictionary_find(settings->latent_nodes, name);
    *states = code < 0 ? 0 : settings->latent_states[code];
    return code >= 0;
}

/* Appends one item of the canonical text. false: out of memory. */
static bool append_item(crd_i_buffer *out, const crd_settings *settings, size_t code) {
    crd_i_buffer item = {settings->context, NULL, 0, 0};
    crd_text name = crd_i_dictionary_text(settings->latent_nodes, code);
    char number[CRD_NUMBER_ROOM + 1] = "";
    if (settings->latent_states[code] > 0) {
        number[0] = ':';
        crd_number_format((double)settings->latent_states[code], number + 1);
    }
    bool done =
        crd_i_buffer_append(&item, name.bytes, name.length) && crd_i_buffer_append(&item, number, strlen(number));
    const crd_text whole = {(const char *)item.bytes, item.length};
    done = done && crd_i_item_append_name(out, out->length == 0, whole);
    crd_i_buffer_clear(&item);
    return done;
}

char *crd_i_latent_nodes_text(const crd_settings *settings) {
    size_t count = crd_i_dictionary_size(settings->latent_nodes);
    crd_i_buffer out = {settings->context, NULL, 0, 0};
    size_t *order = crd_i_alloc(settings->context, count, sizeof *order);
    bool done = order != NULL;
    for (size_t i = 0; done && i < count; i++) {
        size_t index = i;
        crd_text name = crd_i_dictionary_text(settings->latent_nodes, i);
        for (;
             index > 0 && crd_i_text_compare(name, crd_i_dictionary_text(settings->latent_nodes, order[index - 1])) < 0;
             index--)
            order[index] = order[index - 1];
        order[index] = i;
    }
    for (size_t i = 0; done && i < count; i++) done = append_item(&out, settings, order[i]);
    crd_free(settings->context, order);
    if (done && crd_i_buffer_append(&out, "", 1)) return (char *)out.bytes;
    crd_i_buffer_clear(&out);
    return NULL;
}
