/* SPDX-License-Identifier: MIT */
/* hugin_normal.c - see hugin_normal.h. */
#include "network/formats/hugin_normal.h"

#include "base/error.h"

#include <credence/number.h>

#include <math.h>

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

crd_status crd_i_net_take_normals(crd_i_parser *parser, const crd_i_dictionary *names, size_t node) {
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

void crd_i_net_put_normal(crd_i_writing *writing, const crd_network *network, const crd_i_node *node, const double *row,
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
