/* SPDX-License-Identifier: MIT */
/* dne.c - networks in the format of Netica (DNET-1): see network_format.h.
 *
 * Contents:
 *   1. Reader
 *   2. Writer */
#include "network/formats/network_format.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/formats/network_draft.h"
#include "network/formats/network_parser.h"
#include "network/formats/network_writer.h"

#include <stdio.h>
#include <string.h>

/* ======== 1. Reader ======== */

static const crd_i_network_token_rules token_rules = {
    .meanings = {[' '] = CRD_I_BYTE_BLANK,
                 ['\t'] = CRD_I_BYTE_BLANK,
                 ['\r'] = CRD_I_BYTE_BLANK,
                 ['\n'] = CRD_I_BYTE_BLANK,
                 [','] = CRD_I_BYTE_BLANK,
                 ['('] = CRD_I_BYTE_MARK,
                 [')'] = CRD_I_BYTE_MARK,
                 ['{'] = CRD_I_BYTE_MARK,
                 ['}'] = CRD_I_BYTE_MARK,
                 ['='] = CRD_I_BYTE_MARK,
                 [';'] = CRD_I_BYTE_MARK,
                 ['"'] = CRD_I_BYTE_QUOTE,
                 ['/'] = CRD_I_BYTE_SLASH},
    .has_escapes = true,
};

/* The fields of a node that are used, each as the tokens of its value; kind CRD_I_TOKEN_END: not given. */
typedef struct node_fields {
    crd_i_file_place place;
    crd_text name;
    crd_node_kind kind;
    bool is_continuous;
    crd_i_tokens states, levels, state_count, parents, numbers, functions;
    bool has_equation;
} node_fields;

typedef struct dne_reader {
    crd_i_parser parser;
    bool has_tables; /* second pass: nodes are known, and their arcs and tables are read */
} dne_reader;

static bool dne_is_given(const crd_i_tokens *value) {
    return value->kind != CRD_I_TOKEN_END;
}

/* Skips from the beginning of a value to after its semicolon. */
static crd_status dne_pass_value(crd_i_parser *parser) {
    while (!crd_i_parser_at_mark(parser, ';') && !crd_i_parser_at_mark(parser, '}') && !crd_i_parser_at_end(parser))
        crd_i_parser_next(parser);
    return crd_i_parser_take_mark(parser, ';');
}

/* Skips from the brace that opens a block to after its closing brace, and a semicolon after that. */
static crd_status dne_pass_block(crd_i_parser *parser) {
    size_t depth = 0;
    do {
        if (crd_i_parser_at_end(parser)) return crd_i_parser_unexpected(parser, "\"}\"");
        if (crd_i_parser_at_mark(parser, '{')) depth++;
        if (crd_i_parser_at_mark(parser, '}')) depth--;
        crd_i_parser_next(parser);
    } while (depth > 0);
    if (crd_i_parser_at_mark(parser, ';')) crd_i_parser_next(parser);
    return CRD_OK;
}

static crd_status dne_read_kind(const crd_i_parser *parser, node_fields *node) {
    if (crd_i_parser_at_word(parser, "NATURE")) node->kind = CRD_NODE_CHANCE;
    else if (crd_i_parser_at_word(parser, "DECISION")) node->kind = CRD_NODE_DECISION;
    else if (crd_i_parser_at_word(parser, "UTILITY")) node->kind = CRD_NODE_UTILITY;
    else return crd_i_parser_unexpected(parser, "NATURE, DECISION or UTILITY");
    return CRD_OK;
}

/* Notes the value of a field, after its equals sign. */
static crd_status note_field(crd_i_parser *parser, crd_text field, node_fields *node) {
    const struct {
        const char *name;
        crd_i_tokens *value;
    } lists[] = {{"states", &node->states},   {"levels", &node->levels},       {"numstates", &node->state_count},
                 {"parents", &node->parents}, {"functable", &node->functions}, {"probs", &node->numbers}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (crd_text_equal(field, crd_text_of(lists[i].name))) *lists[i].value = parser->tokens;
    if (crd_text_equal(field, crd_text_of("equation"))) node->has_equation = true;
    if (crd_text_equal(field, crd_text_of("discrete"))) node->is_continuous = crd_i_parser_at_word(parser, "FALSE");
    crd_status status = crd_text_equal(field, crd_text_of("kind")) ? dne_read_kind(parser, node) : CRD_OK;
    return status == CRD_OK ? dne_pass_value(parser) : status;
}

/* Reads all fields of a node, from after the word "node" to the end of its block. */
static crd_status dne_take_node(crd_i_parser *parser, node_fields *node) {
    *node = (node_fields){.place = parser->tokens.place, .name = parser->tokens.text};
    if (parser->tokens.kind != CRD_I_TOKEN_WORD) return crd_i_parser_unexpected(parser, "the name of a node");
    crd_i_parser_next(parser);
    crd_status status = crd_i_parser_take_mark(parser, '{');
    while (status == CRD_OK && !crd_i_parser_at_mark(parser, '}')) {
        const crd_text field = parser->tokens.text;
        if (parser->tokens.kind != CRD_I_TOKEN_WORD) return crd_i_parser_unexpected(parser, "a field or \"}\"");
        crd_i_parser_next(parser);
        if (crd_i_parser_at_mark(parser, '=')) {
            crd_i_parser_next(parser);
            status = note_field(parser, field, node);
            continue;
        }
        if (parser->tokens.kind == CRD_I_TOKEN_WORD) crd_i_parser_next(parser);
        if (!crd_i_parser_at_mark(parser, '{')) return crd_i_parser_unexpected(parser, "\"=\" or \"{\"");
        status = dne_pass_block(parser);
    }
    if (status != CRD_OK) return status;
    crd_i_parser_next(parser);
    if (crd_i_parser_at_mark(parser, ';')) crd_i_parser_next(parser);
    return CRD_OK;
}

/* ---- Nodes ---- */

/* Adds a word that is not in the file, such as a number. */
static crd_status dne_add_word(crd_i_draft *draft, const char *word) {
    if (!crd_i_buffer_append(&draft->letters, word, strlen(word))) return crd_i_fail_memory(draft->error);
    return crd_i_draft_letters_word(draft);
}

/* Appends a list of words, or a single word, to the words of the draft. */
static crd_status take_list(crd_i_parser *parser, const crd_i_tokens *value) {
    crd_i_tokens next_tokens = parser->tokens;
    crd_status status = CRD_OK;
    parser->tokens = *value;
    const bool has_brackets = crd_i_parser_at_mark(parser, '(');
    if (has_brackets) crd_i_parser_next(parser);
    for (; status == CRD_OK && parser->tokens.kind == CRD_I_TOKEN_WORD; crd_i_parser_next(parser)) {
        status = crd_i_parser_decode(parser, &parser->draft.letters);
        if (status == CRD_OK) status = crd_i_draft_letters_word(&parser->draft);
    }
    if (status == CRD_OK && has_brackets && !crd_i_parser_at_mark(parser, ')'))
        status = crd_i_parser_unexpected(parser, "a name or \")\"");
    parser->tokens = next_tokens;
    return status;
}

/* Replaces the draft's words, which are interval limits, by names of the intervals: "0 to 5". */
static crd_status name_intervals(crd_i_draft *draft) {
    enum { INTERVAL_ROOM = 128 };
    const size_t count = draft->word_count;
    const size_t limits = draft->letters.length;
    size_t index = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        char name[INTERVAL_ROOM];
        const size_t first = draft->words[i].length, second = draft->words[i + 1].length;
        const char *letters = (const char *)draft->letters.bytes + index;
        const int length = snprintf(name, sizeof name, "%.*s to %.*s", (int)(first < 60 ? first : 60), letters,
                                    (int)(second < 60 ? second : 60), letters + first);
        if (!crd_i_buffer_append(&draft->letters, name, (size_t)length)) return crd_i_fail_memory(draft->error);
        draft->words[i].length = (size_t)length;
        index += first;
    }
    draft->word_count = count == 0 ? 0 : count - 1;
    if (draft->word_count == 0) return CRD_OK;
    draft->letters.length -= limits;
    memmove(draft->letters.bytes, draft->letters.bytes + limits, draft->letters.length);
    draft->letters_used = draft->letters.length;
    return CRD_OK;
}

/* Reads the state names of a node: its states, else its levels or their intervals, else the numbers below numstates. */
static crd_status dne_take_states(crd_i_parser *parser, const node_fields *node) {
    enum { NUMBER_ROOM = 32 };
    double count = 0;
    crd_i_draft *draft = &parser->draft;
    if (dne_is_given(&node->states)) return take_list(parser, &node->states);
    if (dne_is_given(&node->levels)) {
        crd_status status = take_list(parser, &node->levels);
        return status == CRD_OK && node->is_continuous ? name_intervals(draft) : status;
    }
    crd_i_parser ahead = *parser;
    ahead.tokens = node->state_count;
    if (!dne_is_given(&node->state_count) || !crd_i_parser_number(&ahead, &count) ||
        !(count >= 1 && count <= CRD_I_MAX_STATES))
        return CRD_OK;
    for (size_t i = 0; i < (size_t)count; i++) {
        char word[NUMBER_ROOM];
        snprintf(word, sizeof word, "%zu", i);
        crd_status status = dne_add_word(draft, word);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static crd_status dne_add_node(crd_i_parser *parser, const node_fields *node) {
    crd_i_draft_clear_words(&parser->draft);
    crd_status status = node->kind == CRD_NODE_UTILITY ? CRD_OK : dne_take_states(parser, node);
    if (status != CRD_OK) return status;
    crd_i_draft_settle(&parser->draft);
    return crd_i_draft_node(&parser->draft, node->place, node->name, node->kind);
}

/* ---- Arcs and tables ---- */

/* Returns the state that a word of a functable names, by name or as #NUMBER, or -1. */
static int32_t dne_find_state(const crd_i_node *node, crd_text word) {
    const int32_t found = crd_i_node_find(node, word);
    if (found >= 0 || word.length < 2 || word.length > 8 || word.bytes[0] != '#') return found;
    int32_t number = 0;
    for (size_t i = 1; i < word.length; i++) {
        if (word.bytes[i] < '0' || word.bytes[i] > '9') return -1;
        number = number * 10 + (word.bytes[i] - '0');
    }
    return (size_t)number < crd_i_node_states(node) ? number : -1;
}

/* Reads the numbers of a table, however they are nested. If `names_states`, the table contains states instead, each
 * a row with probability 1 for that state. */
static crd_status take_table(crd_i_parser *parser, const crd_i_tokens *value, const crd_i_node *node,
                             bool names_states) {
    char expected[CRD_I_QUOTED_ROOM + 32], quoted[CRD_I_QUOTED_ROOM];
    crd_i_tokens next_tokens = parser->tokens;
    crd_status status = CRD_OK;
    crd_i_draft_clear_numbers(&parser->draft);
    parser->tokens = *value;
    for (; status == CRD_OK && !crd_i_parser_at_mark(parser, ';'); crd_i_parser_next(parser)) {
        double number = 0;
        const int32_t certain = names_states ? dne_find_state(node, parser->tokens.text) : -1;
        if (crd_i_parser_at_mark(parser, '(') || crd_i_parser_at_mark(parser, ')')) continue;
        snprintf(expected, sizeof expected, names_states ? "a state of %s" : "a number of %s",
                 crd_i_quote(node->name, quoted));
        if (parser->tokens.kind != CRD_I_TOKEN_WORD ||
            (names_states ? certain < 0 : !crd_i_parser_number(parser, &number))) {
            status = crd_i_parser_unexpected(parser, expected);
            break;
        }
        if (!names_states) status = crd_i_draft_number(&parser->draft, number);
        for (size_t i = 0; names_states && status == CRD_OK && i < crd_i_node_states(node); i++)
            status = crd_i_draft_number(&parser->draft, (size_t)certain == i ? 1 : 0);
    }
    parser->tokens = next_tokens;
    return status;
}

/* Sets the parents and the table of a node. */
static crd_status dne_add_table(crd_i_parser *parser, const node_fields *fields) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t index = 0;
    crd_i_draft *draft = &parser->draft;
    crd_i_draft_clear_words(draft);
    if (!crd_i_buffer_append(&draft->letters, fields->name.bytes, fields->name.length))
        return crd_i_fail_memory(draft->error);
    crd_status status = crd_i_draft_letters_word(draft);
    if (status == CRD_OK && dne_is_given(&fields->parents)) status = take_list(parser, &fields->parents);
    if (status != CRD_OK) return status;
    crd_i_draft_settle(draft);
    status = crd_i_draft_family(draft, fields->place, NULL, &index);
    if (status != CRD_OK || fields->kind == CRD_NODE_DECISION) return status;
    const crd_i_node *node = &draft->network->nodes[index];
    const bool has_numbers = dne_is_given(&fields->numbers);
    if (!has_numbers && !dne_is_given(&fields->functions))
        return crd_i_draft_fail(
            draft, fields->place, CRD_ERROR_EMPTY, "%s has no table of probabilities%s",
            crd_i_quote(fields->name, quoted),
            fields->has_equation ? ", but an equation, which is not supported: convert it to a table" : "");
    status = take_table(parser, has_numbers ? &fields->numbers : &fields->functions, node,
                        !has_numbers && fields->kind == CRD_NODE_CHANCE);
    return status == CRD_OK ? crd_i_draft_table(draft, fields->place, index) : status;
}

/* ---- File ---- */

/* Reads one field or block of the network. */
static crd_status dne_read_block(dne_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    const bool is_node = crd_i_parser_at_word(parser, "node");
    if (parser->tokens.kind != CRD_I_TOKEN_WORD) return crd_i_parser_unexpected(parser, "\"node\", a field or \"}\"");
    crd_i_parser_next(parser);
    if (is_node) {
        node_fields node;
        crd_status status = dne_take_node(parser, &node);
        if (status != CRD_OK) return status;
        return reader->has_tables ? dne_add_table(parser, &node) : dne_add_node(parser, &node);
    }
    if (crd_i_parser_at_mark(parser, '=')) return dne_pass_value(parser);
    while (parser->tokens.kind == CRD_I_TOKEN_WORD) crd_i_parser_next(parser);
    if (!crd_i_parser_at_mark(parser, '{')) return crd_i_parser_unexpected(parser, "\"=\" or \"{\"");
    return dne_pass_block(parser);
}

static crd_status dne_read_network(dne_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    if (!crd_i_parser_at_word(parser, "bnet"))
        return crd_i_parser_unexpected(parser, "\"bnet\", the first word of a Netica file");
    crd_i_parser_next(parser);
    crd_status status = CRD_OK;
    if (parser->tokens.kind == CRD_I_TOKEN_WORD) {
        status = crd_i_draft_name(&parser->draft, parser->tokens.text);
        crd_i_parser_next(parser);
    }
    if (status == CRD_OK) status = crd_i_parser_take_mark(parser, '{');
    while (status == CRD_OK && !crd_i_parser_at_mark(parser, '}')) {
        if (crd_i_context_cancelled(parser->draft.context)) return crd_i_fail_cancelled(parser->draft.error);
        status = dne_read_block(reader);
    }
    return status;
}

crd_status crd_i_dne_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                          crd_error *error) {
    dne_reader reader = {.has_tables = false};
    crd_status status = crd_i_parser_begin(&reader.parser, context, bytes, &token_rules, place, error);
    const crd_i_tokens start = reader.parser.tokens;
    if (status == CRD_OK) status = dne_read_network(&reader);
    reader.parser.tokens = start;
    reader.has_tables = true;
    if (status == CRD_OK) status = dne_read_network(&reader);
    return crd_i_parser_end(&reader.parser, status, out);
}

/* A data table may have a column called bnet. Therefore the block must begin with a field or another block. */
bool crd_i_dne_recognize(crd_text beginning) {
    crd_i_tokens tokens = crd_i_tokens_begin(&token_rules, beginning);
    crd_i_tokens_next(&tokens);
    if (!crd_i_tokens_is_word(&tokens, "bnet")) return false;
    crd_i_tokens_next(&tokens);
    const bool has_name = tokens.kind == CRD_I_TOKEN_WORD;
    if (has_name) crd_i_tokens_next(&tokens);
    if (!crd_i_tokens_is_mark(&tokens, '{')) return false;
    crd_i_tokens_next(&tokens);
    if (tokens.kind == CRD_I_TOKEN_END || crd_i_tokens_at_field(tokens)) return true;
    if (crd_i_tokens_is_mark(&tokens, '}')) {
        crd_i_tokens_next(&tokens);
        return has_name && crd_i_tokens_is_mark(&tokens, ';');
    }
    if (!crd_i_tokens_is_word(&tokens, "node") && !crd_i_tokens_is_word(&tokens, "visual")) return false;
    crd_i_tokens_next(&tokens);
    if (tokens.kind == CRD_I_TOKEN_WORD) crd_i_tokens_next(&tokens);
    if (!crd_i_tokens_is_mark(&tokens, '{')) return false;
    crd_i_tokens_next(&tokens);
    return tokens.kind == CRD_I_TOKEN_END || crd_i_tokens_at_field(tokens);
}

/* ======== 2. Writer ======== */

static const char *const keywords[] = {"bnet", "node", "visual", NULL};
static const crd_i_identifier_rules identifier_rules = {.further = "", .most_bytes = 30, .keywords = keywords};

static void put_list(crd_i_writing *writing, const char *field, const crd_i_dictionary *names, const uint32_t *codes,
                     size_t count) {
    crd_i_put_words(writing, "    ");
    crd_i_put_words(writing, field);
    crd_i_put_words(writing, " = (");
    for (size_t i = 0; i < count; i++) {
        const crd_text name = crd_i_dictionary_text(names, codes == NULL ? i : codes[i]);
        if (i > 0) crd_i_put_words(writing, ", ");
        crd_i_put(writing, name.bytes, name.length);
    }
    crd_i_put_words(writing, ");\n");
}

static void dne_write_put_table(crd_i_writing *writing, const crd_network *network, const crd_i_node *node) {
    const size_t states = crd_i_node_states(node);
    /* Utilities have brackets only for their parents. */
    const bool has_own = node->kind == CRD_NODE_CHANCE || node->parent_count == 0;
    crd_i_put_words(writing, node->kind == CRD_NODE_UTILITY ? "    functable =" : "    probs =");
    for (size_t row = 0; row < node->rows && !writing->failed; row++) {
        crd_i_put_words(writing, row == 0 ? "\n      " : ",\n      ");
        crd_i_put_brackets(writing, network, node, row, "(");
        if (has_own) crd_i_put_words(writing, "(");
        for (size_t i = 0; i < states; i++) {
            if (i > 0) crd_i_put_words(writing, ", ");
            crd_i_put_number(writing, node->table[row * states + i]);
        }
        if (has_own) crd_i_put_words(writing, ")");
        crd_i_put_brackets(writing, network, node, row + 1, ")");
    }
    crd_i_put_words(writing, ";\n");
}

static void put_titles(crd_i_writing *writing, const crd_i_network_identifiers *identifiers, size_t index) {
    const crd_i_node *node = &identifiers->network->nodes[index];
    if (crd_i_network_identifiers_rename(identifiers, index)) {
        crd_i_put_words(writing, "    title = ");
        crd_i_put_quoted(writing, node->name);
        crd_i_put_words(writing, ";\n");
    }
    if (node->kind == CRD_NODE_UTILITY || !crd_i_network_identifiers_rename_states(identifiers, index)) return;
    crd_i_put_words(writing, "    statetitles = (");
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        if (i > 0) crd_i_put_words(writing, ", ");
        crd_i_put_quoted(writing, crd_i_dictionary_text(node->states, i));
    }
    crd_i_put_words(writing, ");\n");
}

static void dne_write_put_node(crd_i_writing *writing, const crd_i_network_identifiers *identifiers, size_t index) {
    static const char *const kinds[] = {
        [CRD_NODE_CHANCE] = "NATURE", [CRD_NODE_DECISION] = "DECISION", [CRD_NODE_UTILITY] = "UTILITY"};
    const crd_i_node *node = &identifiers->network->nodes[index];
    const crd_text name = crd_i_dictionary_text(identifiers->nodes, index);
    const bool is_utility = node->kind == CRD_NODE_UTILITY;
    crd_i_put_words(writing, "  node ");
    crd_i_put(writing, name.bytes, name.length);
    crd_i_put_words(writing, " {\n    kind = ");
    crd_i_put_words(writing, kinds[node->kind]);
    crd_i_put_words(writing, is_utility ? ";\n    discrete = FALSE;\n" : ";\n    discrete = TRUE;\n");
    if (!is_utility) put_list(writing, "states", identifiers->states[index], NULL, crd_i_node_states(node));
    put_list(writing, "parents", identifiers->nodes, node->parents, node->parent_count);
    if (node->table != NULL) dne_write_put_table(writing, identifiers->network, node);
    put_titles(writing, identifiers, index);
    crd_i_put_words(writing, "  };\n");
}

crd_status crd_i_dne_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing writing = {out, false, {NULL, 0}};
    crd_i_network_identifiers identifiers;
    writing.failed = !crd_i_network_identifiers_create(&identifiers, network, &identifier_rules, &identifier_rules);
    const bool has_name = crd_i_is_identifier(network->name, &identifier_rules);
    const crd_text name = has_name ? network->name : crd_text_of(CRD_I_NETWORK_UNNAMED);
    crd_i_put_words(&writing, "// ~->[DNET-1]->~\nbnet ");
    crd_i_put(&writing, name.bytes, name.length);
    crd_i_put_words(&writing, " {\n");
    for (size_t i = 0; !writing.failed && i < network->count; i++) dne_write_put_node(&writing, &identifiers, i);
    crd_i_put_words(&writing, "};\n");
    crd_i_network_identifiers_clear(&identifiers);
    return crd_i_writing_end(&writing, "cannot be written: it contains a NUL byte", error);
}
