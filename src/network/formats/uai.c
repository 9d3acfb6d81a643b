/* SPDX-License-Identifier: MIT */
/* uai.c - see network_format.h. */
#include "network/formats/network_format.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/formats/network_parser.h"
#include "network/formats/network_writer.h"

#include <stdio.h>

static const crd_i_network_token_rules rules = {
    .meanings = {[' '] = CRD_I_BYTE_BLANK,
                 ['\t'] = CRD_I_BYTE_BLANK,
                 ['\r'] = CRD_I_BYTE_BLANK,
                 ['\n'] = CRD_I_BYTE_BLANK,
                 ['#'] = CRD_I_BYTE_COMMENT},
};

enum { NAME_ROOM = 24 };

static crd_text uai_numbered(size_t number, char buffer[NAME_ROOM]) {
    const crd_text text = {buffer, (size_t)snprintf(buffer, NAME_ROOM, "%zu", number)};
    return text;
}

/* Reads a count, or the number of a node, that is at most `most`. */
static crd_status take_count(crd_i_parser *parser, const char *description, size_t most, size_t *count) {
    double number;
    *count = 0;
    if (!crd_i_parser_number(parser, &number) || !(number >= 0 && number <= 0x1p53) ||
        number != (double)(uint64_t)number)
        return crd_i_parser_unexpected(parser, description);
    if (number > (double)most)
        return crd_i_draft_fail(&parser->draft, parser->tokens.place, CRD_ERROR_SYNTAX,
                                "%.17g is too large for %s: the maximum is %zu", number, description, most);
    *count = (size_t)number;
    crd_i_parser_next(parser);
    return CRD_OK;
}

static crd_status uai_add_node(crd_i_draft *draft, crd_i_file_place place, size_t states) {
    char buffer[NAME_ROOM];
    crd_i_draft_clear_words(draft);
    for (size_t i = 0; i < states; i++) {
        const crd_text name = uai_numbered(i, buffer);
        if (!crd_i_buffer_append(&draft->letters, name.bytes, name.length)) return crd_i_fail_memory(draft->error);
        crd_status status = crd_i_draft_letters_word(draft);
        if (status != CRD_OK) return status;
    }
    crd_i_draft_settle(draft);
    return crd_i_draft_node(draft, place, uai_numbered(draft->network->count, buffer), CRD_NODE_CHANCE);
}

/* Reads the nodes. Together they cannot have more states than there can be numbers in the text. */
static crd_status uai_read_nodes(crd_i_parser *parser) {
    size_t remainder = parser->bytes.length / 2, nodes = 0, states = 0;
    crd_status status = take_count(parser, "the number of nodes", remainder, &nodes);
    for (size_t i = 0; status == CRD_OK && i < nodes; i++) {
        const crd_i_file_place place = parser->tokens.place;
        status = take_count(parser, "a number of states", remainder, &states);
        if (status != CRD_OK) break;
        remainder -= states;
        status = uai_add_node(&parser->draft, place, states);
    }
    return status;
}

/* Reads the nodes of a table, and sets the parents of its own node. The draft finds node numbers by name, so the
 * numbers are converted to names. */
static crd_status read_scope(crd_i_parser *parser, uint32_t *items) {
    char buffer[NAME_ROOM];
    crd_i_draft *draft = &parser->draft;
    const crd_i_file_place place = parser->tokens.place;
    const size_t nodes = draft->network->count;
    size_t count, node = 0;
    crd_status status = take_count(parser, "the number of nodes of a table", nodes, &count);
    if (status != CRD_OK) return status;
    if (count == 0)
        return crd_i_draft_fail(draft, place, CRD_ERROR_SYNTAX, "this table has no nodes: it must have at least one");
    crd_i_draft_clear_words(draft);
    for (size_t i = 0; i < count; i++) {
        status = take_count(parser, "the number of a node", nodes - 1, &node);
        if (status != CRD_OK) return status;
        const crd_text name = uai_numbered(node, buffer);
        if (!crd_i_buffer_append(&draft->letters, name.bytes, name.length)) return crd_i_fail_memory(draft->error);
        status = crd_i_draft_letters_word(draft);
        if (status != CRD_OK) return status;
    }
    crd_i_draft_settle(draft);
    /* The table's own node is last in the file, and first in the draft. */
    const crd_text view = draft->words[count - 1];
    for (size_t i = count - 1; i > 0; i--) draft->words[i] = draft->words[i - 1];
    draft->words[0] = view;
    *items = (uint32_t)node;
    return crd_i_draft_family(draft, place, NULL, &node);
}

static crd_status uai_read_numbers(crd_i_parser *parser, size_t node) {
    const crd_i_file_place place = parser->tokens.place;
    size_t count;
    crd_status status = take_count(parser, "the number of values of a table", parser->bytes.length, &count);
    crd_i_draft_clear_numbers(&parser->draft);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        double number;
        if (!crd_i_parser_number(parser, &number)) return crd_i_parser_unexpected(parser, "a number");
        status = crd_i_draft_number(&parser->draft, number);
        crd_i_parser_next(parser);
    }
    return status == CRD_OK ? crd_i_draft_table(&parser->draft, place, node) : status;
}

/* Reads the nodes of all tables, then their numbers. */
static crd_status read_tables(crd_i_parser *parser) {
    const crd_i_file_place place = parser->tokens.place;
    const size_t nodes = parser->draft.network->count;
    size_t tables;
    crd_status status = take_count(parser, "the number of tables", parser->bytes.length, &tables);
    if (status != CRD_OK) return status;
    if (tables != nodes)
        return crd_i_draft_fail(&parser->draft, place, CRD_ERROR_SYNTAX,
                                "%zu tables are declared for %zu nodes: each node needs one", tables, nodes);
    uint32_t *items = crd_i_alloc(parser->draft.context, nodes, sizeof *items);
    if (items == NULL) return crd_i_fail_memory(parser->draft.error);
    for (size_t i = 0; status == CRD_OK && i < nodes; i++) status = read_scope(parser, &items[i]);
    for (size_t i = 0; status == CRD_OK && i < nodes; i++) {
        if (crd_i_context_cancelled(parser->draft.context)) status = crd_i_fail_cancelled(parser->draft.error);
        else status = uai_read_numbers(parser, items[i]);
    }
    crd_free(parser->draft.context, items);
    if (status == CRD_OK && parser->tokens.kind != CRD_I_TOKEN_END)
        return crd_i_parser_unexpected(parser, "the end of the file");
    return status;
}

crd_status crd_i_uai_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                          crd_error *error) {
    crd_i_parser parser;
    crd_status status = crd_i_parser_begin(&parser, context, bytes, &rules, place, error);
    if (status == CRD_OK && crd_i_parser_at_word(&parser, "MARKOV"))
        status = crd_i_draft_fail(
            &parser.draft, parser.tokens.place, CRD_ERROR_SYNTAX,
            "this is a MARKOV network, whose tables are not conditional probabilities: only BAYES is supported");
    else if (status == CRD_OK && !crd_i_parser_at_word(&parser, "BAYES"))
        status = crd_i_parser_unexpected(&parser, "BAYES");
    if (status == CRD_OK) {
        crd_i_parser_next(&parser);
        status = uai_read_nodes(&parser);
    }
    if (status == CRD_OK && parser.draft.network->count > 0) status = read_tables(&parser);
    return crd_i_parser_end(&parser, status, out);
}

/* Reads the next word as a count. Returns false if it is something else, or the end. */
static bool next_count(crd_i_tokens *tokens, uint64_t *count) {
    crd_i_tokens_next(tokens);
    *count = 0;
    if (tokens->kind != CRD_I_TOKEN_WORD || tokens->text.length == 0 || tokens->text.length > 9) return false;
    for (size_t i = 0; i < tokens->text.length; i++) {
        const char byte = tokens->text.bytes[i];
        if (byte < '0' || byte > '9') return false;
        *count = *count * 10 + (uint64_t)(byte - '0');
    }
    return true;
}

/* A data table may have a single column called BAYES that contains integers: one word per line. A network has a line
 * with several words. Its counts of states and tables must also be consistent. */
bool crd_i_uai_recognize(crd_text beginning) {
    crd_i_tokens tokens = crd_i_tokens_begin(&rules, beginning);
    uint64_t nodes, count, line = 0;
    crd_i_tokens_next(&tokens);
    const bool is_bayes = crd_i_tokens_is_word(&tokens, "BAYES");
    if (!is_bayes && !crd_i_tokens_is_word(&tokens, "MARKOV")) return false;
    line = tokens.place.line;
    if (!next_count(&tokens, &nodes)) return false;
    bool has_wide_line = tokens.place.line == line;
    for (uint64_t i = 0; i <= nodes && tokens.kind != CRD_I_TOKEN_END; i++) {
        line = tokens.place.line;
        const bool is_count = next_count(&tokens, &count);
        if (tokens.kind == CRD_I_TOKEN_END) break;
        if (!is_count || (i < nodes ? count == 0 : is_bayes && count != nodes)) return false;
        has_wide_line = has_wide_line || tokens.place.line == line;
    }
    while (!has_wide_line && tokens.kind != CRD_I_TOKEN_END) {
        line = tokens.place.line;
        crd_i_tokens_next(&tokens);
        if (tokens.kind == CRD_I_TOKEN_END || !crd_i_tokens_is_number(&tokens)) return false;
        has_wide_line = tokens.place.line == line;
    }
    return has_wide_line;
}

crd_status crd_i_uai_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_writing writing = {out, false, {NULL, 0}};
    for (size_t i = 0; i < network->count; i++)
        if (network->nodes[i].kind != CRD_NODE_CHANCE)
            return crd_i_fail(error, CRD_ERROR_SYNTAX,
                              "%s cannot be written as UAI, which has no decisions and utilities: use another format",
                              crd_i_quote(network->nodes[i].name, quoted));
    /* With one word per line, the file would look like a data table with one column. */
    crd_i_put_words(&writing, network->count == 0 ? "BAYES " : "BAYES\n");
    crd_i_put_count(&writing, network->count);
    for (size_t i = 0; i < network->count; i++) {
        crd_i_put_words(&writing, i == 0 ? "\n" : " ");
        crd_i_put_count(&writing, crd_i_node_states(&network->nodes[i]));
    }
    crd_i_put_words(&writing, "\n");
    crd_i_put_count(&writing, network->count);
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        crd_i_put_words(&writing, "\n");
        crd_i_put_count(&writing, node->parent_count + 1);
        for (size_t j = 0; j <= node->parent_count; j++) {
            crd_i_put_words(&writing, " ");
            crd_i_put_count(&writing, j < node->parent_count ? node->parents[j] : i);
        }
    }
    crd_i_put_words(&writing, "\n");
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        const size_t states = crd_i_node_states(node);
        crd_i_put_words(&writing, "\n");
        crd_i_put_count(&writing, node->rows * states);
        for (size_t j = 0; j < node->rows * states && !writing.failed; j++) {
            crd_i_put_words(&writing, j % states == 0 ? "\n " : " ");
            crd_i_put_number(&writing, node->table[j]);
        }
        crd_i_put_words(&writing, "\n");
    }
    return crd_i_writing_end(&writing, "", error);
}
