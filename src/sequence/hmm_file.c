/* SPDX-License-Identifier: MIT */
/* hmm_file.c - parses a hidden Markov model written by people as JSON text: docs/hmm-file.md.
 *
 *     {
 *       "credence_hmm": 1,
 *       "states": ["rain", "dry"],
 *       "start": [0.5, 0.5],
 *       "transitions": [[0.7, 0.3], [0.3, 0.7]],
 *       "observations": [
 *         {"name": "umbrella", "family": "categorical", "values": ["yes", "no"],
 *          "probability": [[0.9, 0.1], [0.2, 0.8]]}
 *       ]
 *     }
 *
 * Members may be in any order. An unknown member is an error, because it is probably a typing mistake. */
#include "sequence/hmm_file_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"
#include "table/forms/form.h"

#include <math.h>
#include <string.h>

/* ---- States and transitions ---- */

static crd_status hmm_file_read_states(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node;
    crd_status status = crd_i_hmm_file_need(p, p->root, "states", "the file", &node, error);
    if (status == CRD_OK) status = crd_i_hmm_file_names(p, node, "states", &hmm->names, &hmm->states, error);
    if (status == CRD_OK && hmm->states > CRD_I_MOST_HIDDEN_STATES)
        status = crd_i_hmm_file_fail(node, error, "too many states");
    if (status == CRD_OK) status = crd_i_hmm_file_need(p, p->root, "start", "the file", &node, error);
    const crd_i_hmm_shape shape = {.depth = 1, .lengths = {hmm->states}, .of = {"state"}};
    if (status == CRD_OK) status = crd_i_hmm_file_numbers(p, node, "start", &shape, &hmm->start, error);
    return status == CRD_OK ? crd_i_hmm_file_check_distribution(node, "start", hmm->start, hmm->states, error) : status;
}

/* Reads the component weights of the states. Without the member "components", every state has one component. */
static crd_status read_components(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, "components");
    hmm->components = 1;
    if (node != NULL) {
        const crd_i_json_node *first = node->type == CRD_I_JSON_OPEN_ARRAY ? crd_i_json_tree_first(node) : NULL;
        if (first == NULL || first->type != CRD_I_JSON_OPEN_ARRAY || first->count == 0 ||
            first->count > CRD_I_MOST_COMPONENTS)
            return crd_i_hmm_file_fail(node, error,
                                       "'components' must be a list with the component weights of each state");
        hmm->components = first->count;
    }
    if (node == NULL) {
        hmm->weights = crd_i_alloc(hmm->context, hmm->states, sizeof *hmm->weights);
        if (hmm->weights == NULL) return crd_i_fail_memory(error);
        for (size_t k = 0; k < hmm->states; k++) hmm->weights[k] = 1;
        return CRD_OK;
    }
    const crd_i_hmm_shape shape = {.depth = 2, .lengths = {hmm->states, hmm->components}, .of = {"state", "component"}};
    crd_status status = crd_i_hmm_file_numbers(p, node, "components", &shape, &hmm->weights, error);
    if (status != CRD_OK) return status;
    return crd_i_hmm_file_check_rows(p, node, "components", hmm->weights, hmm->states, hmm->components, error);
}

static crd_status make_contexts(crd_i_stated_hmm *hmm, size_t count, crd_error *error) {
    hmm->contexts = crd_i_alloc_zeroed(hmm->context, count, sizeof *hmm->contexts);
    hmm->next = crd_i_alloc_zeroed(hmm->context, count, (hmm->states + 1) * sizeof *hmm->next);
    hmm->context_count = count;
    return hmm->contexts == NULL || hmm->next == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

/* Reads the transition matrix, with a row for each state, and the end probabilities. */
static crd_status read_matrix(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const size_t states = hmm->states;
    const crd_i_json_node *end = crd_i_json_tree_member(&p->tree, p->root, "end");
    double *rows = NULL, *ends = NULL;
    const crd_i_hmm_shape square = {.depth = 2, .lengths = {states, states}, .of = {"state", "state"}};
    const crd_i_hmm_shape line = {.depth = 1, .lengths = {states}, .of = {"state"}};
    crd_status status = crd_i_hmm_file_numbers(p, node, "transitions", &square, &rows, error);
    if (status == CRD_OK && end != NULL) status = crd_i_hmm_file_numbers(p, end, "end", &line, &ends, error);
    if (status == CRD_OK) status = make_contexts(hmm, states, error);
    hmm->has_ends = end != NULL;
    for (size_t k = 0; status == CRD_OK && k < states; k++) {
        double *row = hmm->next + k * (states + 1);
        memcpy(row, rows + k * states, states * sizeof *row);
        row[states] = end == NULL ? 0 : ends[k];
        hmm->contexts[k].length = 1;
        hmm->contexts[k].states[0] = (uint32_t)k;
        hmm->contexts[k].line = crd_i_hmm_file_item(p, node, k)->line;
        const char *description = end == NULL ? "transitions" : "transitions' and 'end";
        status =
            crd_i_hmm_file_check_distribution(crd_i_hmm_file_item(p, node, k), description, row, states + 1, error);
    }
    crd_free(hmm->context, rows);
    crd_free(hmm->context, ends);
    return status;
}

static size_t state_named(const crd_i_stated_hmm *hmm, crd_text name) {
    size_t k = 0;
    while (k < hmm->states && !crd_text_equal(hmm->names[k], name)) k++;
    return k;
}

/* Reads the states of a context, the latest last. */
static crd_status read_after(const crd_i_hmm_parser *p, const crd_i_json_node *object, crd_i_stated_context *stated,
                             crd_error *error) {
    const crd_i_json_node *node;
    crd_status status = crd_i_hmm_file_need(p, object, "after", "an item of 'transitions'", &node, error);
    if (status != CRD_OK) return status;
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count == 0 || node->count > p->hmm->order)
        return crd_i_hmm_file_fail(
            node, error, "'after' must be a list of states, the latest last, with at most as many states as the order");
    for (const crd_i_json_node *item = crd_i_json_tree_first(node); item != NULL;
         item = crd_i_json_tree_next(&p->tree, item)) {
        const size_t k = item->type == CRD_I_JSON_TEXT ? state_named(p->hmm, item->text) : p->hmm->states;
        if (k == p->hmm->states) return crd_i_hmm_file_fail_text(item, error, "unknown state '%s'", item->text);
        stated->states[stated->length++] = (uint32_t)k;
    }
    stated->line = object->line;
    return CRD_OK;
}

/* Reads a context and the distribution of its successors. */
static crd_status read_context(const crd_i_hmm_parser *p, const crd_i_json_node *object, size_t place,
                               crd_error *error) {
    static const char *const known[] = {"after", "to", "end", NULL};
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node;
    if (object->type != CRD_I_JSON_OPEN_OBJECT)
        return crd_i_hmm_file_fail(
            object, error, "'transitions' must be a list of objects with 'after' and 'to', or, in order 1, of rows");
    crd_status status = crd_i_hmm_file_check_members(p, object, "an item of 'transitions'", known, error);
    if (status == CRD_OK) status = read_after(p, object, &hmm->contexts[place], error);
    if (status == CRD_OK) status = crd_i_hmm_file_need(p, object, "to", "an item of 'transitions'", &node, error);
    if (status != CRD_OK) return status;
    const crd_i_hmm_shape line = {.depth = 1, .lengths = {hmm->states}, .of = {"state"}};
    double *row = hmm->next + place * (hmm->states + 1);
    status = crd_i_hmm_file_fill(p, node, "to", &line, row, error);
    const crd_i_json_node *end = crd_i_json_tree_member(&p->tree, object, "end");
    if (status == CRD_OK && end != NULL) {
        if (end->type != CRD_I_JSON_NUMBER) return crd_i_hmm_file_fail(end, error, "'end' must be a probability here");
        row[hmm->states] = end->number;
        hmm->has_ends = true;
    }
    return status == CRD_OK ? crd_i_hmm_file_check_distribution(object, "to", row, hmm->states + 1, error) : status;
}

/* Returns the rank of a context: after all shorter contexts, and in lexicographic order among those of its length. */
static size_t hmm_file_rank(const crd_i_stated_hmm *hmm, const crd_i_stated_context *context) {
    size_t rank = 0, shorter = 0, width = 1;
    for (size_t i = 0; i < context->length; i++) {
        rank = rank * hmm->states + context->states[i];
        shorter += i > 0 ? width : 0;
        width *= hmm->states;
    }
    return shorter + rank;
}

/* Checks that every reachable context is specified exactly once. */
static crd_status check_contexts(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    size_t ranks = 0, width = 1;
    for (size_t i = 0; i < hmm->order; i++) {
        width *= hmm->states;
        ranks += width;
    }
    if (hmm->context_count > ranks) return crd_i_hmm_file_fail(node, error, "'transitions' has the same states twice");
    if (ranks / 64 > p->tree.count + 1024)
        return crd_i_hmm_file_fail(node, error, "'transitions' lacks most combinations of states");
    size_t *place = crd_i_alloc(hmm->context, ranks, sizeof *place);
    if (place == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < ranks; i++) place[i] = SIZE_MAX;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < hmm->context_count; i++) {
        size_t *mine = &place[hmm_file_rank(hmm, &hmm->contexts[i])];
        if (*mine != SIZE_MAX) {
            const crd_i_json_node *twice = crd_i_hmm_file_item(p, node, i);
            status = crd_i_hmm_file_fail(twice, error, "'transitions' has the same states a second time");
        }
        *mine = i;
    }
    /* Check the successors of the start and of every context. */
    for (size_t i = 0; status == CRD_OK && i < hmm->states + hmm->context_count * hmm->states; i++) {
        crd_i_stated_context next = {.length = 1};
        const size_t source = i < hmm->states ? 0 : i / hmm->states - 1, state = i % hmm->states;
        const double probability = i < hmm->states ? hmm->start[state] : hmm->next[source * (hmm->states + 1) + state];
        if (!(probability > 0)) continue;
        if (i >= hmm->states) {
            const crd_i_stated_context *before = &hmm->contexts[source];
            const size_t drop = before->length == hmm->order ? 1 : 0;
            next.length = before->length + 1 - drop;
            memcpy(next.states, before->states + drop, (next.length - 1) * sizeof *next.states);
        }
        next.states[next.length - 1] = (uint32_t)state;
        if (place[hmm_file_rank(hmm, &next)] != SIZE_MAX) continue;
        crd_i_fail(error, CRD_ERROR_SYNTAX, "'transitions' has no item for these possible states: ");
        for (size_t s = 0; s < next.length; s++) crd_i_error_item(error, s, hmm->names[next.states[s]]);
        crd_i_error_place(error, NULL, node->line, 0);
        status = CRD_ERROR_SYNTAX;
    }
    crd_free(hmm->context, place);
    return status;
}

static crd_status read_contexts(const crd_i_hmm_parser *p, const crd_i_json_node *node, crd_error *error) {
    const crd_i_json_node *end = crd_i_json_tree_member(&p->tree, p->root, "end");
    if (end != NULL) return crd_i_hmm_file_fail(end, error, "'end' must be in each item of 'transitions'");
    crd_status status = make_contexts(p->hmm, node->count, error);
    const crd_i_json_node *item = crd_i_json_tree_first(node);
    for (size_t i = 0; status == CRD_OK && item != NULL; i++, item = crd_i_json_tree_next(&p->tree, item))
        status = read_context(p, item, i, error);
    return status == CRD_OK ? check_contexts(p, node, error) : status;
}

static crd_status read_transitions(const crd_i_hmm_parser *p, crd_error *error) {
    const crd_i_json_node *node;
    crd_status status = crd_i_hmm_file_count(p, "order", CRD_I_MOST_ORDER, &p->hmm->order, error);
    if (status == CRD_OK) status = crd_i_hmm_file_need(p, p->root, "transitions", "the file", &node, error);
    if (status != CRD_OK) return status;
    if (node->type != CRD_I_JSON_OPEN_ARRAY || node->count == 0)
        return crd_i_hmm_file_fail(node, error, "'transitions' must be a list of rows, one for each state");
    const bool has_rows = crd_i_json_tree_first(node)->type == CRD_I_JSON_OPEN_ARRAY;
    return has_rows && p->hmm->order == 1 ? read_matrix(p, node, error) : read_contexts(p, node, error);
}

/* ---- The file ---- */

static crd_status hmm_file_read_version(const crd_i_hmm_parser *p, crd_error *error) {
    const crd_i_json_node *node;
    crd_status status = crd_i_hmm_file_need(p, p->root, "credence_hmm", "the file", &node, error);
    if (status != CRD_OK) crd_i_error_hint(error, "a hidden Markov model has the member \"credence_hmm\": 1");
    if (status != CRD_OK || (node->type == CRD_I_JSON_NUMBER && node->number == 1)) return status;
    return crd_i_hmm_file_fail(node, error, "'credence_hmm' must be 1, the only version that this library supports");
}

static crd_status hmm_file_read_time_form(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_form form;
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *node = crd_i_json_tree_member(&p->tree, p->root, "time_form");
    crd_status status = crd_i_hmm_file_text(p, "time_form", &hmm->time_form, error);
    if (status != CRD_OK || node == NULL) return status;
    if (hmm->time.bytes == NULL) return crd_i_hmm_file_fail(node, error, "'time_form' needs 'time'");
    if (crd_i_form_find_time(hmm->time_form, &form)) return CRD_OK;
    return crd_i_hmm_file_fail(node, error, "'time_form' must be a form of times, for example \"seconds-dmy\"");
}

/* Reads the names of the columns and how sequences are found in files. */
static crd_status hmm_file_read_sequences(const crd_i_hmm_parser *p, crd_error *error) {
    crd_i_stated_hmm *hmm = p->hmm;
    const crd_i_json_node *step = crd_i_json_tree_member(&p->tree, p->root, "step");
    hmm->has_header = true;
    crd_status status = crd_i_hmm_file_text(p, "target", &hmm->target, error);
    if (status == CRD_OK) status = crd_i_hmm_file_text(p, "sequence", &hmm->sequence, error);
    if (status == CRD_OK) status = crd_i_hmm_file_text(p, "time", &hmm->time, error);
    if (status == CRD_OK) status = hmm_file_read_time_form(p, error);
    if (status == CRD_OK) status = crd_i_hmm_file_flag(p, "blank_lines", &hmm->blank_lines, error);
    if (status == CRD_OK && hmm->blank_lines) hmm->has_header = false;
    if (status == CRD_OK) status = crd_i_hmm_file_flag(p, "header", &hmm->has_header, error);
    if (status != CRD_OK) return status;
    hmm->is_hidden = hmm->target.bytes == NULL;
    if (hmm->is_hidden) hmm->target = crd_text_of("state");
    if (step != NULL && (step->type != CRD_I_JSON_NUMBER || !(step->number >= 1e-150)))
        return crd_i_hmm_file_fail(step, error, "'step' must be a number above 0");
    if (step != NULL && hmm->time.bytes == NULL) return crd_i_hmm_file_fail(step, error, "'step' needs 'time'");
    if (hmm->blank_lines && hmm->sequence.bytes != NULL)
        return crd_i_hmm_file_fail(p->root, error, "'sequence' cannot be combined with \"blank_lines\": true");
    hmm->step = step == NULL ? 0 : step->number;
    status = crd_i_hmm_file_add_column(p, p->root, hmm->target, error);
    if (status == CRD_OK) status = crd_i_hmm_file_add_column(p, p->root, hmm->sequence, error);
    return status == CRD_OK ? crd_i_hmm_file_add_column(p, p->root, hmm->time, error) : status;
}

static crd_status hmm_file_read_all(const crd_i_hmm_parser *p, crd_error *error) {
    static const char *const known[] = {"credence_hmm", "states",      "start",   "order",        "transitions", "end",
                                        "components",   "target",      "time",    "time_form",    "sequence",    "step",
                                        "header",       "blank_lines", "comment", "observations", NULL};
    if (p->root->type != CRD_I_JSON_OPEN_OBJECT)
        return crd_i_hmm_file_fail(p->root, error, "the file must be one object, in braces");
    crd_status status = hmm_file_read_version(p, error);
    if (status == CRD_OK) status = crd_i_hmm_file_check_members(p, p->root, "the file", known, error);
    if (status == CRD_OK) status = hmm_file_read_states(p, error);
    if (status == CRD_OK) status = read_components(p, error);
    if (status == CRD_OK) status = read_transitions(p, error);
    if (status == CRD_OK) status = hmm_file_read_sequences(p, error);
    return status == CRD_OK ? crd_i_hmm_file_observations(p, error) : status;
}

crd_status crd_i_stated_hmm_read(crd_context *context, char *bytes, size_t length, crd_i_stated_hmm *out,
                                 crd_error *error) {
    const crd_i_stated_hmm none = {.context = context};
    crd_i_hmm_parser p = {.hmm = out};
    *out = none;
    const crd_text text = {bytes, length};
    if (!crd_i_utf8_is_valid(text)) return crd_i_fail(error, CRD_ERROR_SYNTAX, "the file is not valid UTF-8");
    const size_t mark = length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    crd_status status = crd_i_json_tree_read(context, bytes + mark, length - mark, &p.tree, error);
    if (status != CRD_OK) return status;
    p.root = &p.tree.nodes[0];
    p.columns = crd_i_dictionary_create(context);
    status = p.columns == NULL ? crd_i_fail_memory(error) : hmm_file_read_all(&p, error);
    crd_i_dictionary_destroy(p.columns);
    crd_i_json_tree_clear(&p.tree);
    if (status != CRD_OK) crd_i_stated_hmm_clear(out);
    return status;
}

static bool hmm_file_is_blank(unsigned char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Returns the index after the string that begins with the quote at `index`. */
static size_t pass_string(const unsigned char *bytes, size_t length, size_t index) {
    for (index++; index < length && bytes[index] != '"'; index++)
        if (bytes[index] == '\\') index++;
    return index < length ? index + 1 : length;
}

/* Returns whether the object at the beginning has a direct member `name` whose value begins with `begins`; '\0': any
 * value. */
static bool has_member(const unsigned char *bytes, size_t length, const char *name, char begins) {
    const size_t size = strlen(name);
    size_t depth = 0;
    for (size_t index = 0; index < length;) {
        const unsigned char byte = bytes[index];
        if (byte != '"') {
            depth += byte == '{' || byte == '[';
            if ((byte == '}' || byte == ']') && --depth == 0) return false;
            index++;
            continue;
        }
        const size_t end = pass_string(bytes, length, index);
        const bool is_name = depth == 1 && end - index == size + 2 && memcmp(bytes + index + 1, name, size) == 0;
        index = end;
        while (index < length && hmm_file_is_blank(bytes[index])) index++;
        if (!is_name || index == length || bytes[index] != ':') continue;
        for (index++; index < length && hmm_file_is_blank(bytes[index]);) index++;
        if (begins == '\0' || (index < length && bytes[index] == (unsigned char)begins)) return true;
    }
    return false;
}

/* Recognizes a file by the member "credence_hmm". Without it, lists of states and of start or transition probabilities
 * are also recognized, because rows of data do not have such members. */
bool crd_i_stated_hmm_recognise(const unsigned char *bytes, size_t length) {
    size_t index = 0;
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) index = 3;
    while (index < length && hmm_file_is_blank(bytes[index])) index++;
    if (index == length || bytes[index] != '{') return false;
    bytes += index;
    length -= index;
    return has_member(bytes, length, "credence_hmm", '\0') ||
           (has_member(bytes, length, "states", '[') &&
            (has_member(bytes, length, "start", '[') || has_member(bytes, length, "transitions", '[')));
}

void crd_i_stated_hmm_clear(crd_i_stated_hmm *stated) {
    crd_context *context = stated->context;
    for (size_t i = 0; i < stated->observation_count; i++) {
        crd_free(context, stated->observations[i].names);
        crd_free(context, stated->observations[i].values);
        crd_free(context, stated->observations[i].firsts);
        crd_free(context, stated->observations[i].seconds);
    }
    crd_free(context, stated->observations);
    crd_free(context, stated->names);
    crd_free(context, stated->start);
    crd_free(context, stated->contexts);
    crd_free(context, stated->next);
    crd_free(context, stated->weights);
    const crd_i_stated_hmm none = {.context = context};
    *stated = none;
}
