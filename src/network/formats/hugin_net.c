/* SPDX-License-Identifier: MIT */
/* hugin_net.c - networks in Hugin's NET language: see network_format.h.
 *
 * As in BIF, a table that comes before the nodes that it refers to is read after everything else. Memory is allocated
 * only for numbers that are in the text.
 *
 * Contents:
 *   1. Normal distributions
 *   2. Reader
 *   3. Writer */
#include "network/formats/network_format.h"

#include "base/call.h"
#include "base/error.h"
#include "network/formats/network_parser.h"
#include "network/formats/network_writer.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Normal distributions ========
 *
 * The distribution of a continuous node is written as
 *
 *   Normal ( 0.1 + 0.5 * Y - 2 * Z, 1.5 )
 *
 * with the mean, which is linear in continuous parents, and the variance. There is one such term per combination of
 * discrete parent states; the last parent varies fastest. A mean is a sum of products of numbers and at most one
 * parent. Parents that do not occur have coefficient 0. */

/* Tokens inside normal( ... ), where whitespace around operators is optional. */
static const crd_i_network_token_rules expression_rules = {
    .meanings = {[' '] = CRD_I_BYTE_BLANK,
                 ['\t'] = CRD_I_BYTE_BLANK,
                 ['\r'] = CRD_I_BYTE_BLANK,
                 ['\n'] = CRD_I_BYTE_BLANK,
                 [','] = CRD_I_BYTE_MARK,
                 ['('] = CRD_I_BYTE_MARK,
                 [')'] = CRD_I_BYTE_MARK,
                 ['{'] = CRD_I_BYTE_MARK,
                 ['}'] = CRD_I_BYTE_MARK,
                 ['='] = CRD_I_BYTE_MARK,
                 [';'] = CRD_I_BYTE_MARK,
                 ['|'] = CRD_I_BYTE_MARK,
                 ['+'] = CRD_I_BYTE_MARK,
                 ['-'] = CRD_I_BYTE_MARK,
                 ['*'] = CRD_I_BYTE_MARK,
                 ['/'] = CRD_I_BYTE_MARK,
                 ['"'] = CRD_I_BYTE_QUOTE,
                 ['%'] = CRD_I_BYTE_COMMENT},
    .has_escapes = true,
};

/* ---- Reading ---- */

typedef struct normal_expression {
    crd_i_parser *parser;
    const crd_i_dictionary *names;
    const crd_i_node *node;
    double *row;      /* table row; NaN: not mentioned yet */
    bool is_constant; /* parents are not allowed */
} normal_expression;

/* Returns the end of the number that begins here. A sign after the letter of an exponent belongs to it. */
static const char *number_end(const char *cursor, const char *end) {
    const char *begin = cursor;
    for (; cursor < end; cursor++) {
        const bool is_exponent = cursor > begin && (cursor[-1] == 'e' || cursor[-1] == 'E');
        const bool is_sign = (*cursor == '+' || *cursor == '-') && is_exponent;
        if (!is_sign && !(*cursor >= '0' && *cursor <= '9') && *cursor != '.' && *cursor != 'e' && *cursor != 'E')
            break;
    }
    return cursor;
}

static bool is_at_number(const crd_i_parser *parser) {
    const crd_i_tokens *token = &parser->tokens;
    return token->kind == CRD_I_TOKEN_WORD && !token->is_quoted &&
           ((token->text.bytes[0] >= '0' && token->text.bytes[0] <= '9') || token->text.bytes[0] == '.');
}

static crd_status hugin_normal_take_number(crd_i_parser *parser, double *number) {
    crd_i_tokens *token = &parser->tokens;
    const char *after = number_end(token->text.bytes, token->end);
    const crd_text text = {token->text.bytes, (size_t)(after - token->text.bytes)};
    if (after < token->text.bytes + token->text.length || crd_number_parse(text, number) != CRD_NUMBER_FINITE)
        return crd_i_parser_unexpected(parser, "a number");
    crd_i_tokens_move(token, after);
    crd_i_parser_next(parser);
    return CRD_OK;
}

/* Finds the position in the row of the coefficient of the parent that the current token names. */
static crd_status find_coefficient(const normal_expression *expression, size_t *place) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    const crd_i_draft *draft = &expression->parser->draft;
    const crd_text name = expression->parser->tokens.text;
    const int32_t found = crd_i_dictionary_find(expression->names, name);
    *place = 1;
    for (size_t i = 0; i < expression->node->parent_count; i++) {
        if (crd_i_node_is_discrete(&draft->network->nodes[expression->node->parents[i]])) continue;
        if (found >= 0 && expression->node->parents[i] == (uint32_t)found) return CRD_OK;
        ++*place;
    }
    return crd_i_draft_fail(draft, expression->parser->tokens.place, CRD_ERROR_COLUMN,
                            "%s is not a continuous parent of %s, whose mean must be linear in its continuous parents",
                            crd_i_quote(name, quoted[0]), crd_i_quote(expression->node->name, quoted[1]));
}

/* Reads a term, after its sign: a product of numbers and at most one parent. Adds it to the row. */
static crd_status hugin_normal_take_term(const normal_expression *own, double sign) {
    crd_i_parser *parser = own->parser;
    double value = sign, factor;
    size_t place = 0;
    for (;;) {
        crd_status status = CRD_OK;
        while (status == CRD_OK && (crd_i_parser_at_mark(parser, '-') || crd_i_parser_at_mark(parser, '+'))) {
            if (crd_i_parser_at_mark(parser, '-')) value = -value;
            crd_i_parser_next(parser);
        }
        if (is_at_number(parser)) {
            status = hugin_normal_take_number(parser, &factor);
            if (status == CRD_OK) value *= factor;
        } else if (parser->tokens.kind == CRD_I_TOKEN_WORD && place == 0 && !own->is_constant) {
            status = find_coefficient(own, &place);
            crd_i_parser_next(parser);
        } else {
            return crd_i_parser_unexpected(parser,
                                           place == 0 && !own->is_constant ? "a number or a parent" : "a number");
        }
        if (status != CRD_OK) return status;
        if (!crd_i_parser_at_mark(parser, '*')) break;
        crd_i_parser_next(parser);
    }
    own->row[place] = isnan(own->row[place]) ? value : own->row[place] + value;
    return CRD_OK;
}

static crd_status take_sum(const normal_expression *expression) {
    crd_i_parser *parser = expression->parser;
    crd_status status = hugin_normal_take_term(expression, 1);
    while (status == CRD_OK && (crd_i_parser_at_mark(parser, '+') || crd_i_parser_at_mark(parser, '-'))) {
        const double sign = crd_i_parser_at_mark(parser, '-') ? -1 : 1;
        crd_i_parser_next(parser);
        status = hugin_normal_take_term(expression, sign);
    }
    return status;
}

/* Reads a distribution from the word "normal" to its closing bracket. The token rules must be the rules of
 * expressions. */
static crd_status take_normal(normal_expression *own) {
    crd_i_parser *parser = own->parser;
    const size_t width = crd_i_node_width(own->node);
    double variance = NAN;
    for (size_t i = 0; i < width; i++) own->row[i] = NAN;
    crd_i_parser_next(parser);
    crd_status status = crd_i_parser_take_mark(parser, '(');
    own->is_constant = false;
    if (status == CRD_OK) status = take_sum(own);
    if (status == CRD_OK) status = crd_i_parser_take_mark(parser, ',');
    const normal_expression of_variance = {parser, own->names, own->node, &variance, true};
    if (status == CRD_OK) status = take_sum(&of_variance);
    if (status == CRD_OK && !crd_i_parser_at_mark(parser, ')')) status = crd_i_parser_unexpected(parser, "\")\"");
    for (size_t i = 0; i < width; i++)
        if (isnan(own->row[i])) own->row[i] = 0;
    own->row[width - 1] = variance;
    return status;
}

/* Reads the list from after "data =" to after its semicolon into the numbers of the draft. They are table rows of a
 * node whose parents are set. `names` maps names in the file to node numbers. */
static crd_status net_take_normals(crd_i_parser *parser, const crd_i_dictionary *names, size_t node) {
    crd_i_draft *draft = &parser->draft;
    const crd_i_network_token_rules *outer = parser->tokens.rules;
    normal_expression expression = {.parser = parser, .names = names, .node = &draft->network->nodes[node]};
    const size_t width = crd_i_node_width(expression.node);
    size_t depth = 0;
    crd_status status = CRD_OK;
    crd_i_draft_clear_numbers(draft);
    for (; status == CRD_OK; crd_i_parser_next(parser)) {
        if (crd_i_parser_at_word(parser, "normal") && draft->number_count < expression.node->rows * width) {
            for (size_t i = 0; status == CRD_OK && i < width; i++) status = crd_i_draft_number(draft, 0);
            if (status != CRD_OK) break;
            expression.row = draft->numbers + draft->number_count - width;
            parser->tokens.rules = &expression_rules;
            status = take_normal(&expression);
            parser->tokens.rules = outer;
        } else if (crd_i_parser_at_mark(parser, '(')) {
            depth++;
        } else if (crd_i_parser_at_mark(parser, ')') && depth > 0) {
            depth--;
        } else if (crd_i_parser_at_mark(parser, ';') && depth == 0) {
            return crd_i_parser_take_mark(parser, ';');
        } else {
            status = crd_i_parser_unexpected(parser, depth > 0 ? "a normal distribution, \"(\" or \")\""
                                                               : "a normal distribution, \"(\" or \";\"");
        }
    }
    return status;
}

/* ---- Writing ---- */

/* Writes one row of a Gaussian node's table. `put_name` writes the name of a node in the file. */
static void net_put_normal(crd_i_writing *writing, const crd_network *network, const crd_i_node *node,
                           const double *row,
                           void (*put_name)(crd_i_writing *writing, const crd_network *network, size_t node)) {
    size_t place = 1;
    crd_i_put_words(writing, "normal (");
    crd_i_put_number(writing, row[0]);
    for (size_t i = 0; i < node->parent_count; i++) {
        if (crd_i_node_is_discrete(&network->nodes[node->parents[i]])) continue;
        const double coefficient = row[place++];
        if (coefficient == 0 && !signbit(coefficient)) continue;
        crd_i_put_words(writing, signbit(coefficient) ? " - " : " + ");
        crd_i_put_number(writing, fabs(coefficient));
        crd_i_put_words(writing, " * ");
        put_name(writing, network, node->parents[i]);
    }
    crd_i_put_words(writing, ", ");
    crd_i_put_number(writing, row[place]);
    crd_i_put_words(writing, ")");
}

/* ======== 2. Reader ======== */

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
static void hugin_net_normalize(crd_i_draft *draft, const crd_i_node *node) {
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
        else status = is_gaussian ? net_take_normals(parser, reader->identifiers, node) : take_data(parser);
    }
    if (status != CRD_OK) return status;
    crd_i_parser_next(parser);
    if (waits) return CRD_OK;
    const crd_node_kind kind = parser->draft.network->nodes[node].kind;
    if (kind == CRD_NODE_DECISION) return CRD_OK;
    if (kind == CRD_NODE_CHANCE) hugin_net_normalize(&parser->draft, &parser->draft.network->nodes[node]);
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
bool crd_i_net_recognize(crd_text beginning) {
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

/* ======== 3. Writer ======== */

enum { MADE_ROOM = 64 };

static bool hugin_net_write_is_identifier(crd_text name) {
    static const char *const keywords[] = {"net",       "class",    "node",     "decision",   "utility",
                                           "potential", "function", "discrete", "continuous", "instance"};
    for (size_t i = 0; i < name.length; i++) {
        const char byte = name.bytes[i];
        const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
        if (!is_letter && (i == 0 || byte < '0' || byte > '9')) return false;
    }
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (crd_text_equal(name, crd_text_of(keywords[i]))) return false;
    return name.length > 0;
}

/* Returns the identifier of a node in the file: its name, or, if the name is not an identifier, a new one made of
 * the node number that is not the name of a node. New identifiers are distinct because their first numbers are. */
static crd_text hugin_net_write_identifier(const crd_network *network, size_t node, char buffer[MADE_ROOM]) {
    if (hugin_net_write_is_identifier(network->nodes[node].name)) return network->nodes[node].name;
    crd_text view = {buffer, (size_t)snprintf(buffer, MADE_ROOM, "node_%zu", node)};
    for (size_t i = 2; crd_i_network_find(network, view) >= 0; i++)
        view.length = (size_t)snprintf(buffer, MADE_ROOM, "node_%zu_%zu", node, i);
    return view;
}

static void put_identifier(crd_i_writing *writing, const crd_network *network, size_t node) {
    char buffer[MADE_ROOM];
    const crd_text text = hugin_net_write_identifier(network, node, buffer);
    crd_i_put(writing, text.bytes, text.length);
}

static void hugin_net_write_put_field(crd_i_writing *writing, const char *name, crd_text value) {
    crd_i_put_words(writing, "    ");
    crd_i_put_words(writing, name);
    crd_i_put_words(writing, " = ");
    crd_i_put_quoted(writing, value);
    crd_i_put_words(writing, ";\n");
}

static void hugin_net_write_put_node(crd_i_writing *writing, const crd_network *network, size_t index) {
    static const char *const words[] = {[CRD_NODE_CHANCE] = "node ",
                                        [CRD_NODE_DECISION] = "decision ",
                                        [CRD_NODE_UTILITY] = "utility ",
                                        [CRD_NODE_GAUSSIAN] = "continuous node "};
    const crd_i_node *node = &network->nodes[index];
    crd_i_put_words(writing, words[node->kind]);
    put_identifier(writing, network, index);
    crd_i_put_words(writing, "\n{\n");
    if (!hugin_net_write_is_identifier(node->name)) {
        hugin_net_write_put_field(writing, "label", node->name);
        hugin_net_write_put_field(writing, CRD_I_NET_NAME, node->name);
    }
    if (node->kind == CRD_NODE_CHANCE || node->kind == CRD_NODE_DECISION) {
        crd_i_put_words(writing, "    states = (");
        for (size_t i = 0; i < crd_i_node_states(node); i++) {
            if (i > 0) crd_i_put_words(writing, " ");
            crd_i_put_quoted(writing, crd_i_dictionary_text(node->states, i));
        }
        crd_i_put_words(writing, ");\n");
    }
    crd_i_put_words(writing, "}\n");
}

static void put_data(crd_i_writing *writing, const crd_network *network, const crd_i_node *node) {
    const bool is_gaussian = node->kind == CRD_NODE_GAUSSIAN;
    const size_t width = crd_i_node_width(node), continuous = is_gaussian ? width - 2 : 0;
    /* Utilities and normal distributions have brackets only for their discrete parents. */
    const bool has_own = node->kind == CRD_NODE_CHANCE || node->parent_count == continuous;
    crd_i_put_words(writing, "    data =");
    for (size_t row = 0; row < node->rows && !writing->failed; row++) {
        crd_i_put_words(writing, "\n        ");
        crd_i_put_brackets(writing, network, node, row, "(");
        if (has_own) crd_i_put_words(writing, "(");
        const double *numbers = node->table + row * width;
        if (is_gaussian) net_put_normal(writing, network, node, numbers, put_identifier);
        for (size_t i = 0; !is_gaussian && i < width; i++) {
            if (i > 0) crd_i_put_words(writing, " ");
            crd_i_put_number(writing, numbers[i]);
        }
        if (has_own) crd_i_put_words(writing, ")");
        crd_i_put_brackets(writing, network, node, row + 1, ")");
    }
    crd_i_put_words(writing, ";\n");
}

static void put_potential(crd_i_writing *writing, const crd_network *network, size_t index) {
    const crd_i_node *node = &network->nodes[index];
    if (node->table == NULL && node->parent_count == 0) return;
    crd_i_put_words(writing, "potential ( ");
    put_identifier(writing, network, index);
    for (size_t i = 0; i < node->parent_count; i++) {
        crd_i_put_words(writing, i == 0 ? " | " : " ");
        put_identifier(writing, network, node->parents[i]);
    }
    crd_i_put_words(writing, " )\n{\n");
    if (node->table != NULL) put_data(writing, network, node);
    crd_i_put_words(writing, "}\n");
}

crd_status crd_i_net_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    crd_i_writing writing = {out, false, {NULL, 0}};
    crd_i_put_words(&writing, "net\n{\n");
    hugin_net_write_put_field(&writing, "name", network->name);
    crd_i_put_words(&writing, "}\n");
    for (size_t i = 0; i < network->count; i++) hugin_net_write_put_node(&writing, network, i);
    for (size_t i = 0; i < network->count; i++) put_potential(&writing, network, i);
    return crd_i_writing_end(&writing, "cannot be written: it contains a NUL byte", error);
}
