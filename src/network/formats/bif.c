/* SPDX-License-Identifier: MIT */
/* bif.c - see bif.h.
 *
 * A table may come before the variables that it refers to; it is then read after everything else. There is no
 * recursion. Memory is allocated only for numbers that are in the text, except for defaults, whose number is limited
 * for the whole file. */
#include "network/formats/bif.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/formats/bif_names.h"

#include <math.h>
#include <string.h>

enum { MOST_DEFAULT_CELLS = 1 << 24 };

static const crd_i_network_token_rules rules = {
    .meanings = {[' '] = CRD_I_BYTE_BLANK,
                 ['\t'] = CRD_I_BYTE_BLANK,
                 ['\r'] = CRD_I_BYTE_BLANK,
                 ['\n'] = CRD_I_BYTE_BLANK,
                 [','] = CRD_I_BYTE_BLANK,
                 ['|'] = CRD_I_BYTE_BLANK,
                 ['('] = CRD_I_BYTE_MARK,
                 [')'] = CRD_I_BYTE_MARK,
                 ['{'] = CRD_I_BYTE_MARK,
                 ['}'] = CRD_I_BYTE_MARK,
                 ['['] = CRD_I_BYTE_MARK,
                 [']'] = CRD_I_BYTE_MARK,
                 [';'] = CRD_I_BYTE_MARK,
                 ['"'] = CRD_I_BYTE_QUOTE,
                 ['/'] = CRD_I_BYTE_SLASH},
};

typedef struct bif_reader {
    crd_i_parser parser;
    crd_i_bif_identifiers identifiers;
    crd_i_buffer name;    /* name of a node or the network, from a property */
    size_t default_cells; /* numbers that were filled in by defaults so far */
    bool is_whole;        /* the current table was given by "table" */
} bif_reader;

/* Skips from the word "property" to after its semicolon. */
static crd_status pass_property(crd_i_parser *parser) {
    crd_i_tokens_pass(&parser->tokens, ';');
    return crd_i_parser_take_mark(parser, ';');
}

/* Returns whether the property after the word "property" is one of ours, and sets *says to its value. */
static bool is_own_property(crd_i_tokens *ahead, crd_text *says) {
    const size_t own = strlen(CRD_I_BIF_OWN);
    if (ahead->kind != CRD_I_TOKEN_WORD || ahead->text.length < own ||
        memcmp(ahead->text.bytes, CRD_I_BIF_OWN, own) != 0)
        return false;
    *says = (crd_text){ahead->text.bytes + own, ahead->text.length - own};
    if (says->length > 0 && (!ahead->is_quoted || says->bytes[0] != ' ')) return false;
    if (ahead->is_quoted) {
        if (says->length > 0) *says = (crd_text){says->bytes + 1, says->length - 1};
        crd_i_tokens_next(ahead);
        return true;
    }
    crd_i_tokens_next(ahead);
    if (ahead->kind != CRD_I_TOKEN_WORD) return true;
    *says = ahead->text;
    crd_i_tokens_next(ahead);
    return true;
}

/* The properties of a node or network that are used. */
typedef struct bif_properties {
    crd_node_kind kind;
    crd_text name, states; /* bytes NULL: not given */
} bif_properties;

/* Reads NAME = "..." after the word "property". Returns false if it is not one of the two properties with original
 * names. */
static bool is_name_property(crd_i_tokens ahead, bif_properties *properties) {
    const bool is_name = crd_i_tokens_is_word(&ahead, CRD_I_BIF_NAME);
    if (!is_name && !crd_i_tokens_is_word(&ahead, CRD_I_BIF_STATES)) return false;
    crd_i_tokens_next(&ahead);
    if (!crd_i_tokens_is_word(&ahead, "=")) return false;
    crd_i_tokens_next(&ahead);
    if (ahead.kind != CRD_I_TOKEN_WORD || !ahead.is_quoted) return false;
    *(is_name ? &properties->name : &properties->states) = ahead.text;
    return true;
}

/* Reads a property from the word "property" on, and notes a name or a node kind other than chance. */
static crd_status bif_read_property(crd_i_parser *parser, bif_properties *properties) {
    crd_i_tokens ahead = parser->tokens;
    crd_text says;
    crd_i_tokens_next(&ahead);
    const crd_i_file_place place = ahead.place;
    if (is_name_property(ahead, properties)) return pass_property(parser);
    if (is_own_property(&ahead, &says)) {
        const bool is_whole = crd_i_tokens_is_mark(&ahead, ';');
        if (is_whole && crd_text_equal(says, crd_text_of(CRD_I_BIF_DECISION))) properties->kind = CRD_NODE_DECISION;
        else if (is_whole && crd_text_equal(says, crd_text_of(CRD_I_BIF_UTILITY))) properties->kind = CRD_NODE_UTILITY;
        else
            return crd_i_draft_fail(&parser->draft, place, CRD_ERROR_SYNTAX,
                                    "a property that begins with \"" CRD_I_BIF_OWN "\" is \"" CRD_I_BIF_OWN
                                    " " CRD_I_BIF_DECISION "\" or \"" CRD_I_BIF_OWN " " CRD_I_BIF_UTILITY "\"");
    }
    return pass_property(parser);
}

/* Skips to the end of a block in braces, which begins ahead, or has begun if depth is 1. A property may begin where
 * a statement can begin, and may contain anything. */
static crd_status bif_pass_block(crd_i_parser *parser, size_t depth) {
    bool is_beginning = depth > 0;
    for (;;) {
        if (crd_i_parser_at_end(parser)) return crd_i_parser_unexpected(parser, "\"}\"");
        if (is_beginning && crd_i_parser_at_word(parser, "property")) {
            crd_status status = pass_property(parser);
            if (status != CRD_OK) return status;
            continue;
        }
        bool opens = crd_i_parser_at_mark(parser, '{'), closes = crd_i_parser_at_mark(parser, '}');
        if (closes && depth == 0) return crd_i_parser_unexpected(parser, "\"{\"");
        is_beginning = opens || closes || crd_i_parser_at_mark(parser, ';');
        crd_i_parser_next(parser);
        if (opens) depth++;
        if (closes && --depth == 0) return CRD_OK;
    }
}

static crd_status bif_read_type(crd_i_parser *parser) {
    double count;
    if (!crd_i_parser_at_word(parser, "discrete"))
        return crd_i_parser_unexpected(parser, "\"discrete\", the only supported type");
    crd_i_parser_next(parser);
    crd_status status = crd_i_parser_take_mark(parser, '[');
    if (status != CRD_OK) return status;
    if (!crd_i_parser_number(parser, &count)) return crd_i_parser_unexpected(parser, "the number of states");
    crd_i_parser_next(parser);
    status = crd_i_parser_take_mark(parser, ']');
    if (status == CRD_OK) status = crd_i_bif_states(parser, count);
    if (status != CRD_OK) return status;
    if ((double)parser->draft.word_count != count)
        return crd_i_draft_fail(&parser->draft, parser->tokens.place, CRD_ERROR_SYNTAX,
                                "%zu state%s named, but %.17g %s declared", parser->draft.word_count,
                                parser->draft.word_count == 1 ? " is" : "s are", count, count == 1 ? "is" : "are");
    return crd_i_parser_take_mark(parser, ';');
}

static crd_text decoded_name(const bif_reader *reader) {
    return (crd_text){reader->name.bytes == NULL ? "" : (const char *)reader->name.bytes, reader->name.length};
}

/* Reads a variable, after the word "variable". */
static crd_status bif_read_variable(bif_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    const crd_i_file_place place = parser->tokens.place;
    bif_properties properties = {.kind = CRD_NODE_CHANCE};
    bool has_type = false;
    crd_text name;
    crd_status status = crd_i_bif_variable(parser, &name);
    if (status == CRD_OK) status = crd_i_parser_take_mark(parser, '{');
    while (status == CRD_OK && !crd_i_parser_at_mark(parser, '}')) {
        if (crd_i_parser_at_word(parser, "type") && !has_type) {
            crd_i_parser_next(parser);
            status = bif_read_type(parser);
            has_type = true;
        } else if (crd_i_parser_at_word(parser, "property")) {
            status = bif_read_property(parser, &properties);
        } else {
            status = crd_i_parser_unexpected(parser, has_type ? "\"property\" or \"}\"" : "\"type\"");
        }
    }
    if (status == CRD_OK && !has_type) status = crd_i_parser_unexpected(parser, "\"type\"");
    if (status != CRD_OK) return status;
    crd_i_parser_next(parser);
    status =
        crd_i_bif_identifiers_add(&reader->identifiers, &parser->draft, place, name, properties.states.bytes != NULL);
    reader->name.length = 0;
    if (status == CRD_OK && properties.name.bytes != NULL) {
        status = crd_i_draft_decode(&parser->draft, properties.name, &reader->name);
        name = decoded_name(reader);
    }
    if (status == CRD_OK && properties.states.bytes != NULL)
        status = crd_i_draft_decode_states(&parser->draft, place, properties.states);
    return status == CRD_OK ? crd_i_draft_node(&parser->draft, place, name, properties.kind) : status;
}

/* Finds the table row that the states in parentheses name. */
static crd_status bif_find_row(bif_reader *reader, const crd_i_node *node, size_t *row) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    crd_i_draft *draft = &reader->parser.draft;
    const crd_i_file_place place = reader->parser.tokens.place;
    crd_status status = crd_i_bif_row(&reader->parser, &reader->identifiers, node, row);
    if (status != CRD_OK || *row != SIZE_MAX) return status;
    if (draft->word_count != node->parent_count)
        return crd_i_draft_fail(draft, place, CRD_ERROR_SYNTAX, "%zu state%s named, but %s has %zu parent%s",
                                draft->word_count, draft->word_count == 1 ? " is" : "s are",
                                crd_i_quote(node->name, *quoted), node->parent_count,
                                node->parent_count == 1 ? "" : "s");
    size_t unknown = 0;
    const crd_i_node *parent = &draft->network->nodes[node->parents[0]];
    while (unknown + 1 < node->parent_count && crd_i_node_find(parent, draft->words[unknown]) >= 0)
        parent = &draft->network->nodes[node->parents[++unknown]];
    return crd_i_draft_fail(draft, place, CRD_ERROR_COLUMN, "%s has no state %s", crd_i_quote(parent->name, quoted[0]),
                            crd_i_quote(draft->words[unknown], quoted[1]));
}

/* Reads the numbers of a row. NaN in a table marks numbers that are not given yet. */
static crd_status bif_read_row(bif_reader *reader, const crd_i_node *node, double *table) {
    crd_i_parser *parser = &reader->parser;
    char quoted[CRD_I_QUOTED_ROOM];
    size_t row = 0, states = crd_i_node_states(node);
    const crd_i_file_place place = parser->tokens.place;
    crd_status status = bif_find_row(reader, node, &row);
    if (status == CRD_OK) status = crd_i_parser_take_numbers(parser, ';');
    if (status != CRD_OK) return status;
    if (parser->draft.number_count != states) return crd_i_draft_wrong_count(&parser->draft, place, node, states);
    if (!isnan(table[row * states]))
        return crd_i_draft_fail(&parser->draft, place, CRD_ERROR_SYNTAX, "this row of %s occurs twice",
                                crd_i_quote(node->name, quoted));
    memcpy(table + row * states, parser->draft.numbers, states * sizeof *table);
    return CRD_OK;
}

/* Reads a whole table, from the word "table" on. */
static crd_status read_whole(crd_i_parser *parser, const crd_i_node *node, double *table) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_i_draft *draft = &parser->draft;
    const crd_i_file_place place = parser->tokens.place;
    size_t states = crd_i_node_states(node);
    crd_i_parser_next(parser);
    crd_status status = crd_i_parser_take_numbers(parser, ';');
    if (status != CRD_OK) return status;
    if (draft->number_count != node->rows * states)
        return crd_i_draft_wrong_count(draft, place, node, node->rows * states);
    for (size_t row = 0; row < node->rows; row++)
        for (size_t state = 0; state < states; state++) {
            if (!isnan(table[row * states + state]))
                return crd_i_draft_fail(draft, place, CRD_ERROR_SYNTAX, "rows of %s occur twice",
                                        crd_i_quote(node->name, quoted));
            table[row * states + state] = draft->numbers[state * node->rows + row];
        }
    return CRD_OK;
}

/* Reads the default row, from the word "default" on. *other takes over the draft's list of numbers. */
static crd_status read_default(crd_i_parser *parser, const crd_i_node *node, double **other) {
    const crd_i_file_place place = parser->tokens.place;
    crd_i_parser_next(parser);
    crd_status status = crd_i_parser_take_numbers(parser, ';');
    if (status != CRD_OK) return status;
    if (parser->draft.number_count != crd_i_node_states(node))
        return crd_i_draft_wrong_count(&parser->draft, place, node, crd_i_node_states(node));
    *other = parser->draft.numbers;
    parser->draft.numbers = NULL;
    parser->draft.number_room = 0;
    return CRD_OK;
}

static crd_status too_many_defaults(const bif_reader *reader, const crd_i_node *node) {
    char quoted[CRD_I_QUOTED_ROOM];
    return crd_i_draft_fail(&reader->parser.draft, reader->parser.tokens.place, CRD_ERROR_LIMIT,
                            "more than %d numbers, with the table of %s, come from default rows: write the rows out",
                            MOST_DEFAULT_CELLS, crd_i_quote(node->name, quoted));
}

/* Fills in the rows that are not given by the default; fails if there is none. */
static crd_status fill_default(bif_reader *reader, const crd_i_node *node, double *table, const double *other) {
    const crd_i_parser *parser = &reader->parser;
    char quoted[CRD_I_QUOTED_ROOM], words[CRD_I_ROW_WORDS];
    size_t states = crd_i_node_states(node), absent = 0, first = 0;
    for (size_t row = node->rows; row-- > 0;) {
        if (!isnan(table[row * states])) continue;
        absent++;
        first = row;
        if (other != NULL) memcpy(table + row * states, other, states * sizeof *table);
    }
    if (absent == 0) return CRD_OK;
    if (other != NULL) {
        reader->default_cells += absent * states;
        return reader->default_cells <= MOST_DEFAULT_CELLS ? CRD_OK : too_many_defaults(reader, node);
    }
    return crd_i_draft_fail(&parser->draft, parser->tokens.place, CRD_ERROR_EMPTY,
                            "%zu of %zu rows of the table of %s %s missing%s %s%s", absent, node->rows,
                            crd_i_quote(node->name, quoted), absent == 1 ? "is" : "are",
                            absent == 1 ? ":" : ", the first:", crd_i_quote(node->name, quoted),
                            crd_i_network_row_words(parser->draft.network, node, first, words));
}

/* Checks that a table may be allocated: a number takes at least two bytes of text, unless it is a default. */
static crd_status check_room(const bif_reader *reader, const crd_i_node *node) {
    char quoted[CRD_I_QUOTED_ROOM];
    const size_t cells = node->rows * crd_i_node_states(node);
    crd_i_tokens ahead = reader->parser.tokens;
    if (cells <= (size_t)(ahead.end - ahead.cursor)) return CRD_OK;
    while (!crd_i_tokens_is_mark(&ahead, '}') && ahead.kind != CRD_I_TOKEN_END && ahead.kind != CRD_I_TOKEN_UNCLOSED &&
           !crd_i_tokens_is_word(&ahead, "default"))
        crd_i_tokens_next(&ahead);
    if (!crd_i_tokens_is_word(&ahead, "default"))
        return crd_i_draft_fail(&reader->parser.draft, reader->parser.tokens.place, CRD_ERROR_LIMIT,
                                "the table of %s is missing: it needs %zu numbers", crd_i_quote(node->name, quoted),
                                cells);
    return cells <= MOST_DEFAULT_CELLS - reader->default_cells ? CRD_OK : too_many_defaults(reader, node);
}

static crd_status bif_read_rows(bif_reader *reader, const crd_i_node *node, double *table, double **other) {
    crd_i_parser *parser = &reader->parser;
    crd_status status = CRD_OK;
    reader->is_whole = false;
    while (status == CRD_OK && !crd_i_parser_at_mark(parser, '}')) {
        reader->is_whole = reader->is_whole || crd_i_parser_at_word(parser, "table");
        if (crd_i_parser_at_mark(parser, '(')) status = bif_read_row(reader, node, table);
        else if (crd_i_parser_at_word(parser, "table")) status = read_whole(parser, node, table);
        else if (crd_i_parser_at_word(parser, "default") && *other == NULL) status = read_default(parser, node, other);
        else if (crd_i_parser_at_word(parser, "property")) status = pass_property(parser);
        else status = crd_i_parser_unexpected(parser, "a row, \"table\", \"default\" or \"}\"");
    }
    return status;
}

/* Returns whether the numbers of a table that was given by "table" sum to 1 if they are read row by row, with the
 * node's states varying fastest. That is not the order of the format, but a common mistake. */
static bool adds_up_by_rows(const crd_i_node *node, const double *table) {
    const size_t states = crd_i_node_states(node), rows = node->rows;
    bool adds_up = node->parent_count > 0;
    for (size_t row = 0; row < rows && adds_up; row++) {
        double sum = 0;
        for (size_t i = row * states; i < (row + 1) * states; i++) sum += table[i % rows * states + i / rows];
        adds_up = fabs(sum - 1) <= CRD_I_ROW_SLACK;
    }
    return adds_up;
}

/* Reads a table, after the brace that opens a probability block. */
static crd_status bif_read_table(bif_reader *reader, crd_i_file_place place, size_t index) {
    crd_i_parser *parser = &reader->parser;
    const crd_i_node *node = &parser->draft.network->nodes[index];
    double *table = NULL, *other = NULL;
    char quoted[CRD_I_QUOTED_ROOM];
    size_t cells = node->rows * crd_i_node_states(node);
    crd_status status = check_room(reader, node);
    if (status != CRD_OK) return status;
    table = crd_i_alloc(parser->draft.context, cells, sizeof *table);
    if (table == NULL) return crd_i_fail_memory(parser->draft.error);
    for (size_t i = 0; i < cells; i++) table[i] = NAN;
    status = bif_read_rows(reader, node, table, &other);
    if (status == CRD_OK) status = fill_default(reader, node, table, other);
    if (status == CRD_OK) {
        status = crd_i_network_take_table(parser->draft.network, index, table, parser->draft.error);
        if (status == CRD_ERROR_PROBABILITY && reader->is_whole && node->kind == CRD_NODE_CHANCE &&
            adds_up_by_rows(node, table))
            crd_i_fail(parser->draft.error, status,
                       "the probabilities of %s sum to 1 only in another order: in \"table\" the states of the node "
                       "vary slowest, and the states of its last parent fastest",
                       crd_i_quote(node->name, quoted));
        if (status == CRD_OK) table = NULL;
        else crd_i_draft_here(&parser->draft, place, status);
    }
    crd_free(parser->draft.context, table);
    crd_free(parser->draft.context, other);
    if (status == CRD_OK) crd_i_parser_next(parser);
    return status;
}

/* Reads a table, after the word "probability". If `may_wait`, a table whose variables are not declared yet is put
 * off. */
static crd_status bif_read_probability(bif_reader *reader, bool may_wait) {
    crd_i_parser *parser = &reader->parser;
    const crd_i_tokens start = parser->tokens;
    size_t node = 0;
    crd_status status = crd_i_bif_family(parser, &reader->identifiers);
    if (status != CRD_OK) return status;
    if (may_wait && !crd_i_draft_knows(&parser->draft, reader->identifiers.nodes)) {
        status = crd_i_parser_put_off(parser, &start);
        return status == CRD_OK ? bif_pass_block(parser, 0) : status;
    }
    status = crd_i_draft_family(&parser->draft, start.place, reader->identifiers.nodes, &node);
    if (status == CRD_OK) status = crd_i_parser_take_mark(parser, '{');
    if (status != CRD_OK) return status;
    if (parser->draft.network->nodes[node].kind == CRD_NODE_DECISION) return bif_pass_block(parser, 1);
    return bif_read_table(reader, start.place, node);
}

/* Reads the network block, after the word "network". */
static crd_status bif_read_network(bif_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    const bool has_name = parser->tokens.kind == CRD_I_TOKEN_WORD;
    crd_text name = parser->tokens.text;
    bif_properties properties = {.kind = CRD_NODE_CHANCE};
    if (has_name) crd_i_parser_next(parser);
    crd_status status = crd_i_parser_take_mark(parser, '{');
    while (status == CRD_OK && crd_i_parser_at_word(parser, "property"))
        status = bif_read_property(parser, &properties);
    reader->name.length = 0;
    if (status == CRD_OK && properties.name.bytes != NULL) {
        status = crd_i_draft_decode(&parser->draft, properties.name, &reader->name);
        name = decoded_name(reader);
    }
    if (status == CRD_OK && (has_name || properties.name.bytes != NULL))
        status = crd_i_draft_name(&parser->draft, name);
    return status == CRD_OK ? bif_pass_block(parser, 1) : status;
}

/* Reads all blocks, then the tables that were put off. */
static crd_status bif_read_blocks(bif_reader *reader) {
    crd_i_parser *parser = &reader->parser;
    crd_status status = CRD_OK;
    while (status == CRD_OK && parser->tokens.kind != CRD_I_TOKEN_END) {
        if (crd_i_context_cancelled(parser->draft.context)) return crd_i_fail_cancelled(parser->draft.error);
        const bool is_table = crd_i_parser_at_word(parser, "probability");
        const bool is_variable = crd_i_parser_at_word(parser, "variable");
        if (!is_table && !is_variable && !crd_i_parser_at_word(parser, "network"))
            return crd_i_parser_unexpected(parser, "\"network\", \"variable\" or \"probability\"");
        crd_i_parser_next(parser);
        if (is_table) status = bif_read_probability(reader, true);
        else if (is_variable) status = bif_read_variable(reader);
        else status = bif_read_network(reader);
    }
    for (size_t i = 0; status == CRD_OK && i < parser->later_count; i++) {
        parser->tokens = parser->later[i];
        status = bif_read_probability(reader, false);
    }
    return status;
}

crd_status crd_i_bif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                          crd_error *error) {
    bif_reader reader = {.name = {.context = context}};
    crd_status status = crd_i_parser_begin(&reader.parser, context, bytes, &rules, place, error);
    if (status == CRD_OK) status = crd_i_bif_identifiers_begin(&reader.identifiers, &reader.parser.draft);
    if (status == CRD_OK) status = bif_read_blocks(&reader);
    crd_i_bif_identifiers_end(&reader.identifiers, &reader.parser.draft);
    crd_i_buffer_clear(&reader.name);
    return crd_i_parser_end(&reader.parser, status, out);
}

/* ---- Recognition ----
 *
 * A data table may begin with the same words: a column called probability(rain), or network and a value in braces.
 * Therefore the content of the first block is checked as well. */

static bool begins_block(const crd_i_tokens *tokens) {
    return crd_i_tokens_is_word(tokens, "network") || crd_i_tokens_is_word(tokens, "variable") ||
           crd_i_tokens_is_word(tokens, "probability");
}

/* Returns whether a table begins at the parenthesis after "probability". */
static bool is_table(crd_i_tokens tokens) {
    if (!crd_i_tokens_is_mark(&tokens, '(')) return false;
    do crd_i_tokens_next(&tokens);
    while (tokens.kind == CRD_I_TOKEN_WORD);
    if (!crd_i_tokens_is_mark(&tokens, ')')) return false;
    crd_i_tokens_next(&tokens);
    if (!crd_i_tokens_is_mark(&tokens, '{')) return false;
    crd_i_tokens_next(&tokens);
    if (tokens.kind == CRD_I_TOKEN_END || crd_i_tokens_is_word(&tokens, "property")) return true;
    if (crd_i_tokens_is_mark(&tokens, '(')) {
        do crd_i_tokens_next(&tokens);
        while (tokens.kind == CRD_I_TOKEN_WORD);
        if (!crd_i_tokens_is_mark(&tokens, ')')) return tokens.kind == CRD_I_TOKEN_END;
    } else if (crd_i_tokens_is_mark(&tokens, '}')) {
        crd_i_tokens_next(&tokens);
        return begins_block(&tokens);
    } else if (!crd_i_tokens_is_word(&tokens, "table") && !crd_i_tokens_is_word(&tokens, "default")) {
        return false;
    }
    crd_i_tokens_next(&tokens);
    return tokens.kind == CRD_I_TOKEN_END || crd_i_tokens_is_number(&tokens);
}

/* Returns whether a network block begins at the opening brace: properties, or any content without braces, followed
 * by another block. */
static bool is_network_block(crd_i_tokens tokens, uint64_t line) {
    const bool is_same_line = tokens.place.line == line;
    crd_i_tokens_next(&tokens);
    if (tokens.kind == CRD_I_TOKEN_END || crd_i_tokens_is_word(&tokens, "property")) return true;
    while (tokens.kind == CRD_I_TOKEN_WORD || (tokens.kind == CRD_I_TOKEN_MARK && !crd_i_tokens_is_mark(&tokens, '{') &&
                                               !crd_i_tokens_is_mark(&tokens, '}')))
        crd_i_tokens_next(&tokens);
    if (!crd_i_tokens_is_mark(&tokens, '}')) return false;
    crd_i_tokens_next(&tokens);
    if (tokens.kind == CRD_I_TOKEN_END) return is_same_line;
    const bool is_variable = crd_i_tokens_is_word(&tokens, "variable");
    if (!begins_block(&tokens)) return false;
    crd_i_tokens_next(&tokens);
    if (is_variable) crd_i_tokens_next(&tokens);
    return is_variable ? crd_i_tokens_is_mark(&tokens, '{') : is_table(tokens);
}

bool crd_i_bif_recognise(crd_text beginning) {
    crd_i_tokens tokens = crd_i_tokens_begin(&rules, beginning);
    crd_i_tokens_next(&tokens);
    const uint64_t line = tokens.place.line;
    const bool is_network = crd_i_tokens_is_word(&tokens, "network");
    const bool is_probability = crd_i_tokens_is_word(&tokens, "probability");
    if (!begins_block(&tokens)) return false;
    crd_i_tokens_next(&tokens);
    if (is_probability) return is_table(tokens);
    if (tokens.kind == CRD_I_TOKEN_WORD) crd_i_tokens_next(&tokens);
    else if (!is_network) return false;
    if (!crd_i_tokens_is_mark(&tokens, '{')) return false;
    if (is_network) return is_network_block(tokens, line);
    crd_i_tokens_next(&tokens);
    return tokens.kind == CRD_I_TOKEN_END || crd_i_tokens_is_word(&tokens, "type") ||
           crd_i_tokens_is_word(&tokens, "property");
}
