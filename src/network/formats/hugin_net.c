/* SPDX-License-Identifier: MIT */
/* hugin_net.c - see hugin_net.h.
 *
 * As in BIF, a table that comes before the nodes that it refers to is read after everything else, and memory is
 * allocated only for numbers that are in the text. */
#include "network/formats/hugin_net.h"

#include "base/call.h"
#include "base/error.h"
#include "network/formats/hugin_normal.h"

#include <math.h>

static const crd_i_network_token_rules rules = {
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
                 ['|'] = CRD_I_BYTE_MARK,
                 ['"'] = CRD_I_BYTE_QUOTE,
                 ['%'] = CRD_I_BYTE_COMMENT},
    .has_escapes = true,
};

typedef struct net_reader {
    crd_i_parser parser;
    crd_i_dictionary *identifiers; /* node numbers by their identifiers in this file */
    crd_i_buffer name;             /* name of a node or the network, with escapes decoded */
    bool is_in_class;
} net_reader;

static crd_text hugin_net_text(const crd_i_buffer *buffer) {
    const crd_text text = {buffer->bytes == NULL ? "" : (const char *)buffer->bytes, buffer->length};
    return text;
}

/* Decodes the current token, which must be a word. */
static crd_status decode_name(net_reader *reader) {
    reader->name.length = 0;
    if (reader->parser.tokens.kind != CRD_I_TOKEN_WORD) return crd_i_parser_unexpected(&reader->parser, "a name");
    return crd_i_parser_decode(&reader->parser, &reader->name);
}

/* Skips the value of a field, to after its semicolon. */
static crd_status hugin_net_pass_value(crd_i_parser *parser) {
    while (!crd_i_parser_at_mark(parser, ';') && !crd_i_parser_at_mark(parser, '}') && !crd_i_parser_at_end(parser))
        crd_i_parser_next(parser);
    return crd_i_parser_take_mark(parser, ';');
}

/* Reads the word and the equals sign at the beginning of a field. *name is the word. */
static crd_status take_field(crd_i_parser *parser, crd_text *name) {
    if (parser->tokens.kind != CRD_I_TOKEN_WORD) return crd_i_parser_unexpected(parser, "a field or \"}\"");
    *name = parser->tokens.text;
    crd_i_parser_next(parser);
    return crd_i_parser_take_mark(parser, '=');
}

static bool is_called(crd_text field, const char *name) {
    return crd_text_equal(field, crd_text_of(name));
}

/* Reads the net block, after the word "net". */
static crd_status read_net(net_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    crd_status status = crd_i_parser_take_mark(parser, '{');
    while (status == CRD_OK && !crd_i_parser_at_mark(parser, '}')) {
        crd_text field;
        status = take_field(parser, &field);
        if (status == CRD_OK && is_called(field, "name") && parser->tokens.kind == CRD_I_TOKEN_WORD) {
            status = decode_name(reader);
            if (status == CRD_OK) status = crd_i_draft_name(&parser->draft, hugin_net_text(&reader->name));
        }
        if (status == CRD_OK) status = hugin_net_pass_value(parser);
    }
    if (status == CRD_OK) crd_i_parser_next(parser);
    return status;
}

static crd_status hugin_net_take_states(crd_i_parser *parser) {
    crd_status status = crd_i_parser_take_mark(parser, '(');
    if (status == CRD_OK) status = crd_i_parser_take_words(parser, ')');
    return status == CRD_OK ? crd_i_parser_take_mark(parser, ';') : status;
}

/* Reads the fields of a node, from its opening brace to after its closing brace. */
static crd_status read_node_fields(net_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    crd_status status = crd_i_parser_take_mark(parser, '{');
    while (status == CRD_OK && !crd_i_parser_at_mark(parser, '}')) {
        crd_text field;
        status = take_field(parser, &field);
        if (status != CRD_OK) break;
        if (is_called(field, "states")) {
            status = hugin_net_take_states(parser);
            continue;
        }
        if (is_called(field, CRD_I_NET_NAME)) status = decode_name(reader);
        if (status == CRD_OK) status = hugin_net_pass_value(parser);
    }
    if (status == CRD_OK) crd_i_parser_next(parser);
    return status;
}

/* Reads a node, after the word "node", "decision" or "utility". */
static crd_status hugin_net_read_node(net_reader *reader, crd_node_kind kind) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_parser *parser = &reader->parser;
    const crd_i_file_place place = parser->tokens.place;
    crd_status status = decode_name(reader);
    if (status != CRD_OK) return status;
    const int32_t code = crd_i_dictionary_add(reader->identifiers, hugin_net_text(&reader->name));
    if (code < 0) return crd_i_fail_memory(parser->draft.error);
    if ((size_t)code != parser->draft.network->count)
        return crd_i_draft_fail(&parser->draft, place, CRD_ERROR_COLUMN, "two nodes are called %s",
                                crd_i_quote(hugin_net_text(&reader->name), quoted));
    crd_i_parser_next(parser);
    crd_i_draft_clear_words(&parser->draft);
    status = read_node_fields(reader);
    return status == CRD_OK ? crd_i_draft_node(&parser->draft, place, hugin_net_text(&reader->name), kind) : status;
}

/* Reads "( child | parents )" as words of the draft. */
static crd_status take_family(crd_i_parser *parser) {
    crd_i_draft *draft = &parser->draft;
    const crd_i_file_place place = parser->tokens.place;
    size_t heads = SIZE_MAX;
    crd_status status = crd_i_parser_take_mark(parser, '(');
    crd_i_draft_clear_words(draft);
    while (status == CRD_OK && !crd_i_parser_at_mark(parser, ')')) {
        if (crd_i_parser_at_mark(parser, '|') && heads == SIZE_MAX) {
            heads = draft->word_count;
        } else if (parser->tokens.kind == CRD_I_TOKEN_WORD) {
            status = crd_i_parser_decode(parser, &draft->letters);
            if (status == CRD_OK) status = crd_i_draft_letters_word(draft);
        } else {
            status = crd_i_parser_unexpected(parser, "a name or \")\"");
        }
        crd_i_parser_next(parser);
    }
    if (status != CRD_OK) return status;
    crd_i_parser_next(parser);
    crd_i_draft_settle(draft);
    if (heads == SIZE_MAX) heads = draft->word_count;
    if (heads == 1) return CRD_OK;
    return crd_i_draft_fail(
        draft, place, CRD_ERROR_SYNTAX,
        "this table is a joint table of %zu nodes: each node needs a CPT of its own, given its parents", heads);
}

/* Reads the numbers of a table, however they are nested, to after the semicolon. */
static crd_status take_data(crd_i_parser *parser) {
    size_t depth = 0;
    crd_status status = CRD_OK;
    crd_i_draft_clear_numbers(&parser->draft);
    for (; status == CRD_OK; crd_i_parser_next(parser)) {
        double number;
        if (crd_i_parser_number(parser, &number)) status = crd_i_draft_number(&parser->draft, number);
        else if (crd_i_parser_at_mark(parser, '(')) depth++;
        else if (crd_i_parser_at_mark(parser, ')') && depth > 0) depth--;
        else if (crd_i_parser_at_mark(parser, ';') && depth == 0) return crd_i_parser_take_mark(parser, ';');
        else status = crd_i_parser_unexpected(parser, depth > 0 ? "a number, \"(\" or \")\"" : "\"(\" or \";\"");
    }
    return status;
}

/* Normalizes the rows. Hugin's tables are weights: users leave 1 in every entry for equal probabilities. Rows that
 * already sum to 1 are left bit-identical. Rows that cannot be normalized are reported later. */
static void hugin_net_normalise(crd_i_draft *draft, const crd_i_node *node) {
    const size_t states = crd_i_node_states(node);
    for (size_t row = 0; (row + 1) * states <= draft->number_count; row++) {
        double *cells = draft->numbers + row * states, sum = 0;
        for (size_t i = 0; i < states; i++) sum += cells[i];
        if (!(sum > 0 && isfinite(sum)) || fabs(sum - 1) <= CRD_I_ROW_SLACK) continue;
        for (size_t i = 0; i < states; i++) cells[i] /= sum;
    }
}

/* Reads a table, after the word "potential". If `may_wait`, a table whose nodes are not declared yet is put off. */
static crd_status read_potential(net_reader *reader, bool may_wait) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_parser *parser = &reader->parser;
    const crd_i_tokens start = parser->tokens;
    bool has_data = false, has_formula = false;
    crd_status status = take_family(parser);
    if (status != CRD_OK) return status;
    const bool waits = may_wait && !crd_i_draft_knows(&parser->draft, reader->identifiers);
    size_t node = 0;
    if (waits) status = crd_i_parser_put_off(parser, &start);
    else status = crd_i_draft_family(&parser->draft, start.place, reader->identifiers, &node);
    if (status == CRD_OK) status = crd_i_parser_take_mark(parser, '{');
    while (status == CRD_OK && !crd_i_parser_at_mark(parser, '}')) {
        crd_text field;
        status = take_field(parser, &field);
        if (status != CRD_OK) break;
        if (is_called(field, "model_data")) has_formula = true;
        const bool is_data = is_called(field, "data") && !waits;
        has_data = has_data || is_data;
        const bool is_gaussian = !waits && parser->draft.network->nodes[node].kind == CRD_NODE_GAUSSIAN;
        if (!is_data) status = hugin_net_pass_value(parser);
        else status = is_gaussian ? crd_i_net_take_normals(parser, reader->identifiers, node) : take_data(parser);
    }
    if (status != CRD_OK) return status;
    crd_i_parser_next(parser);
    if (waits) return CRD_OK;
    const crd_node_kind kind = parser->draft.network->nodes[node].kind;
    if (kind == CRD_NODE_DECISION) return CRD_OK;
    if (kind == CRD_NODE_CHANCE) hugin_net_normalise(&parser->draft, &parser->draft.network->nodes[node]);
    if (has_data) return crd_i_draft_table(&parser->draft, start.place, node);
    crd_i_quote(parser->draft.network->nodes[node].name, quoted);
    if (has_formula)
        return crd_i_draft_fail(&parser->draft, start.place, CRD_ERROR_SYNTAX,
                                "the table of %s is given by a formula (model_data), which is not supported: save the "
                                "network with its tables (data)",
                                quoted);
    return crd_i_draft_fail(&parser->draft, start.place, CRD_ERROR_EMPTY, "the data of %s are missing", quoted);
}

/* Fails because the current token names something that is not supported. */
static crd_status hugin_net_refuse(crd_i_parser *parser, const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_i_file_place place = parser->tokens.place;
    return crd_i_draft_fail(&parser->draft, place, CRD_ERROR_SYNTAX, "%s %s", crd_i_quote(parser->tokens.text, quoted),
                            description);
}

/* Reads the beginning of a class, after the word "class". */
static crd_status enter_class(net_reader *reader) {
    crd_status status = decode_name(reader);
    if (status == CRD_OK) status = crd_i_draft_name(&reader->parser.draft, hugin_net_text(&reader->name));
    if (status != CRD_OK) return status;
    reader->is_in_class = true;
    crd_i_parser_next(&reader->parser);
    return crd_i_parser_take_mark(&reader->parser, '{');
}

/* Reads a block, or a field of a class. */
static crd_status hugin_net_read_block(net_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    const crd_i_tokens first = parser->tokens;
    crd_i_parser_next(parser);
    const bool is_continuous = crd_i_tokens_is_word(&first, "continuous");
    if (is_continuous || crd_i_tokens_is_word(&first, "discrete")) {
        const bool is_node = crd_i_parser_at_word(parser, "node");
        if (!is_node && !crd_i_parser_at_word(parser, "decision")) return crd_i_parser_unexpected(parser, "\"node\"");
        crd_i_parser_next(parser);
        if (is_continuous && !is_node)
            return hugin_net_refuse(parser, "is a continuous decision, which is not supported");
        if (is_continuous) return hugin_net_read_node(reader, CRD_NODE_GAUSSIAN);
        return hugin_net_read_node(reader, is_node ? CRD_NODE_CHANCE : CRD_NODE_DECISION);
    }
    if (crd_i_tokens_is_word(&first, "node")) return hugin_net_read_node(reader, CRD_NODE_CHANCE);
    if (crd_i_tokens_is_word(&first, "decision")) return hugin_net_read_node(reader, CRD_NODE_DECISION);
    if (crd_i_tokens_is_word(&first, "utility")) return hugin_net_read_node(reader, CRD_NODE_UTILITY);
    if (crd_i_tokens_is_word(&first, "potential")) return read_potential(reader, true);
    if (crd_i_tokens_is_word(&first, "net")) return read_net(reader);
    if (crd_i_tokens_is_word(&first, "function"))
        return hugin_net_refuse(parser, "is a function node, which is not supported");
    if (crd_i_tokens_is_word(&first, "instance"))
        return hugin_net_refuse(
            parser, "is an instance of another class, which is not supported: save the network as a single class");
    if (crd_i_tokens_is_word(&first, "class") && !reader->is_in_class) return enter_class(reader);
    if (reader->is_in_class && first.kind == CRD_I_TOKEN_WORD && crd_i_parser_at_mark(parser, '='))
        return hugin_net_pass_value(parser);
    parser->tokens = first;
    return crd_i_parser_unexpected(parser, "\"net\", \"node\", \"decision\", \"utility\" or \"potential\"");
}

/* Reads all blocks, then the tables that were put off. */
static crd_status hugin_net_read_blocks(net_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    crd_status status = CRD_OK;
    while (status == CRD_OK && parser->tokens.kind != CRD_I_TOKEN_END) {
        if (crd_i_context_cancelled(parser->draft.context)) return crd_i_fail_cancelled(parser->draft.error);
        if (reader->is_in_class && crd_i_parser_at_mark(parser, '}')) {
            reader->is_in_class = false;
            crd_i_parser_next(parser);
        } else {
            status = hugin_net_read_block(reader);
        }
    }
    if (status == CRD_OK && reader->is_in_class) return crd_i_parser_unexpected(parser, "\"}\"");
    for (size_t i = 0; status == CRD_OK && i < parser->later_count; i++) {
        parser->tokens = parser->later[i];
        status = read_potential(reader, false);
    }
    return status;
}

crd_status crd_i_net_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                          crd_error *error) {
    net_reader reader = {.name = {.context = context}};
    crd_status status = crd_i_parser_begin(&reader.parser, context, bytes, &rules, place, error);
    if (status == CRD_OK && (reader.identifiers = crd_i_dictionary_create(context)) == NULL)
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = hugin_net_read_blocks(&reader);
    crd_i_dictionary_destroy(reader.identifiers);
    crd_i_buffer_clear(&reader.name);
    return crd_i_parser_end(&reader.parser, status, out);
}

/* ---- Recognition ---- */

static bool is_any_of(const crd_i_tokens *tokens, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (crd_i_tokens_is_word(tokens, words[i])) return true;
    return false;
}

/* A data table may begin with the same words, for example a header with the columns node and x, and a text with a
 * brace. Therefore the block must begin with a field, or, in a class, with another block. */
bool crd_i_net_recognise(crd_text beginning) {
    static const char *const named[] = {"class", "node", "decision", "utility"};
    static const char *const inner[] = {"node",       "decision",  "utility", "discrete",
                                        "continuous", "potential", "instance"};
    static const char *const typed[] = {"discrete", "continuous"};
    crd_i_tokens tokens = crd_i_tokens_begin(&rules, beginning);
    crd_i_tokens_next(&tokens);
    const bool is_class = crd_i_tokens_is_word(&tokens, "class"), is_net = crd_i_tokens_is_word(&tokens, "net");
    if (is_any_of(&tokens, typed, sizeof typed / sizeof *typed)) crd_i_tokens_next(&tokens);
    if (!is_net && !is_any_of(&tokens, named, sizeof named / sizeof *named)) return false;
    crd_i_tokens_next(&tokens);
    if (!is_net && tokens.kind != CRD_I_TOKEN_WORD) return false;
    if (!is_net) crd_i_tokens_next(&tokens);
    if (!crd_i_tokens_is_mark(&tokens, '{')) return false;
    crd_i_tokens_next(&tokens);
    if (tokens.kind == CRD_I_TOKEN_END || crd_i_tokens_at_field(tokens)) return true;
    if (!is_class && !crd_i_tokens_is_mark(&tokens, '}')) return false;
    if (!is_class) crd_i_tokens_next(&tokens);
    if (!is_any_of(&tokens, inner, sizeof inner / sizeof *inner)) return false;
    while (tokens.kind == CRD_I_TOKEN_WORD) crd_i_tokens_next(&tokens);
    if (crd_i_tokens_is_mark(&tokens, '(')) return true;
    if (!crd_i_tokens_is_mark(&tokens, '{')) return tokens.kind == CRD_I_TOKEN_END;
    crd_i_tokens_next(&tokens);
    return tokens.kind == CRD_I_TOKEN_END || crd_i_tokens_at_field(tokens);
}
