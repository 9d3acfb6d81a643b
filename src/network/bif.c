/* bif.c - see bif.h.
 *
 * The text is gone through twice, as tables may stand before the variables that they speak of: once for the variables,
 * once for the tables. There is no recursion, and nothing is allocated for which the text does not have the numbers,
 * unless it gives a default for them. */
#include "network/bif.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/bif_tokens.h"

#include <credence/number.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEFAULT_CELLS = 1 << 26 };

typedef struct parser {
    crd_context *context;
    crd_i_bif_tokens tokens;
    crd_network *network;
    const char *place;
    crd_text bytes, name; /* the whole text; the network's name */
    crd_text *words;      /* of a list */
    size_t word_count, word_room;
    uint32_t *codes; /* of the words, as nodes or states */
    size_t code_room;
    double *numbers; /* of a list */
    size_t number_count, number_room;
    crd_error *error;
} parser;

/* Adds where it was to an error. */
static crd_status here(const parser *own, crd_status status) {
    crd_i_error_place(own->error, own->place, own->tokens.line, own->tokens.column);
    return status;
}

/* What stands at the latest token is not what should. */
static crd_status unexpected(const parser *own, const char *expected) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_i_bif_tokens *token = &own->tokens;
    crd_status status;
    if (token->kind == CRD_I_BIF_END)
        status = crd_i_fail(own->error, CRD_ERROR_SYNTAX, "the file ends where %s should stand", expected);
    else if (token->kind == CRD_I_BIF_UNCLOSED)
        status = crd_i_fail(own->error, CRD_ERROR_SYNTAX, "a %s begins here and does not end",
                            token->is_quoted ? "quoted name" : "comment");
    else
        status = crd_i_fail(own->error, CRD_ERROR_SYNTAX, "\"%s\" stands where %s should",
                            crd_i_quote(token->text, quoted), expected);
    return here(own, status);
}

static bool is_mark(const parser *own, char mark) {
    return own->tokens.kind == CRD_I_BIF_MARK && own->tokens.text.bytes[0] == mark;
}

static bool is_keyword(const parser *own, const char *word) {
    return own->tokens.kind == CRD_I_BIF_WORD && !own->tokens.is_quoted &&
           crd_text_equal(own->tokens.text, crd_text_of(word));
}

static void next(parser *own) {
    crd_i_bif_next(&own->tokens);
}

/* Takes a mark that must stand here. */
static crd_status take_mark(parser *own, char mark) {
    char expected[4] = {'"', mark, '"', '\0'};
    if (!is_mark(own, mark)) return unexpected(own, expected);
    next(own);
    return CRD_OK;
}

static crd_status pass_property(parser *own) {
    while (!is_mark(own, ';') && own->tokens.kind != CRD_I_BIF_END && own->tokens.kind != CRD_I_BIF_UNCLOSED) next(own);
    return take_mark(own, ';');
}

/* From the word behind which it begins to the end of a block in braces. */
static crd_status pass_block(parser *own) {
    size_t depth = 0;
    for (;; next(own)) {
        if (own->tokens.kind == CRD_I_BIF_END || own->tokens.kind == CRD_I_BIF_UNCLOSED)
            return unexpected(own, "\"}\"");
        if (is_mark(own, '{')) depth++;
        if (is_mark(own, '}')) {
            if (depth == 0) return unexpected(own, "\"{\"");
            if (--depth == 0) break;
        }
    }
    next(own);
    return CRD_OK;
}

/* Words up to the mark that ends them, which is taken. */
static crd_status take_words(parser *own, char end) {
    char expected[32];
    snprintf(expected, sizeof expected, "a name or \"%c\"", end);
    own->word_count = 0;
    for (; own->tokens.kind == CRD_I_BIF_WORD; next(own)) {
        if (!crd_i_reserve(own->context, &own->words, &own->word_room, own->word_count + 1, sizeof *own->words))
            return crd_i_fail_memory(own->error);
        own->words[own->word_count++] = own->tokens.text;
    }
    if (!is_mark(own, end)) return unexpected(own, expected);
    next(own);
    return CRD_OK;
}

/* Numbers up to a semicolon, which is taken. */
static crd_status take_numbers(parser *own) {
    own->number_count = 0;
    for (; own->tokens.kind == CRD_I_BIF_WORD; next(own)) {
        double value;
        if (crd_number_parse(own->tokens.text, &value) != CRD_NUMBER_FINITE) return unexpected(own, "a number");
        if (!crd_i_reserve(own->context, &own->numbers, &own->number_room, own->number_count + 1, sizeof(double)))
            return crd_i_fail_memory(own->error);
        own->numbers[own->number_count++] = value;
    }
    if (!is_mark(own, ';')) return unexpected(own, "a number or \";\"");
    next(own);
    return CRD_OK;
}

static crd_status read_type(parser *own) {
    double count;
    if (!is_keyword(own, "discrete")) return unexpected(own, "\"discrete\"");
    next(own);
    crd_status status = take_mark(own, '[');
    if (status != CRD_OK) return status;
    if (own->tokens.kind != CRD_I_BIF_WORD || crd_number_parse(own->tokens.text, &count) != CRD_NUMBER_FINITE)
        return unexpected(own, "the number of states");
    next(own);
    status = take_mark(own, ']');
    if (status == CRD_OK) status = take_mark(own, '{');
    if (status == CRD_OK) status = take_words(own, '}');
    if (status != CRD_OK) return status;
    if ((double)own->word_count != count)
        return here(own, crd_i_fail(own->error, CRD_ERROR_SYNTAX, "%zu states are named where %.17g are declared",
                                    own->word_count, count));
    return take_mark(own, ';');
}

/* Behind the word "variable". */
static crd_status read_variable(parser *own) {
    if (own->tokens.kind != CRD_I_BIF_WORD) return unexpected(own, "the name of a variable");
    const crd_text name = own->tokens.text;
    parser at_name = *own;
    bool has_type = false;
    next(own);
    crd_status status = take_mark(own, '{');
    while (status == CRD_OK && !is_mark(own, '}')) {
        if (is_keyword(own, "type") && !has_type) {
            next(own);
            status = read_type(own);
            has_type = true;
        } else if (is_keyword(own, "property")) {
            status = pass_property(own);
        } else {
            status = unexpected(own, has_type ? "\"property\" or \"}\"" : "\"type\"");
        }
    }
    if (status != CRD_OK) return status;
    if (!has_type) return unexpected(own, "\"type\"");
    next(own);
    size_t node = 0;
    status = crd_i_network_add(own->network, name, own->words, own->word_count, &node, own->error);
    return status == CRD_OK ? CRD_OK : here(&at_name, status);
}

static crd_status make_codes(parser *own) {
    return crd_i_reserve(own->context, &own->codes, &own->code_room, own->word_count, sizeof *own->codes)
               ? CRD_OK
               : crd_i_fail_memory(own->error);
}

/* The words in parentheses as nodes: the first with the others as its parents. */
static crd_status read_family(parser *own, size_t *node) {
    char quoted[CRD_I_QUOTED_ROOM];
    parser at_names = *own;
    crd_status status = take_mark(own, '(');
    if (status == CRD_OK) status = take_words(own, ')');
    if (status == CRD_OK) status = make_codes(own);
    if (status != CRD_OK) return status;
    if (own->word_count == 0)
        return here(&at_names, crd_i_fail(own->error, CRD_ERROR_SYNTAX, "the name of a variable is missing here"));
    for (size_t i = 0; i < own->word_count; i++) {
        int32_t found = crd_i_network_find(own->network, own->words[i]);
        if (found < 0)
            return here(&at_names, crd_i_fail(own->error, CRD_ERROR_COLUMN, "no variable is called %s",
                                              crd_i_quote(own->words[i], quoted)));
        own->codes[i] = (uint32_t)found;
    }
    *node = own->codes[0];
    status = crd_i_network_set_parents(own->network, *node, own->codes + 1, own->word_count - 1, own->error);
    return status == CRD_OK ? CRD_OK : here(&at_names, status);
}

static crd_status wrong_count(const parser *own, const crd_i_node *node, size_t expected) {
    char quoted[CRD_I_QUOTED_ROOM];
    return here(own, crd_i_fail(own->error, CRD_ERROR_SYNTAX, "%zu numbers end here where %s needs %zu",
                                own->number_count, crd_i_quote(node->name, quoted), expected));
}

/* The row of a table that the words name. */
static crd_status find_row(parser *own, const crd_i_node *node, size_t *row) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    parser at_states = *own;
    crd_status status = take_mark(own, '(');
    if (status == CRD_OK) status = take_words(own, ')');
    if (status != CRD_OK) return status;
    if (own->word_count != node->parent_count)
        return here(&at_states,
                    crd_i_fail(own->error, CRD_ERROR_SYNTAX, "%zu states are named where %s has %zu parents",
                               own->word_count, crd_i_quote(node->name, *quoted), node->parent_count));
    *row = 0;
    for (size_t i = 0; i < own->word_count; i++) {
        const crd_i_node *parent = &own->network->nodes[node->parents[i]];
        int32_t state = crd_i_node_find(parent, own->words[i]);
        if (state < 0)
            return here(&at_states,
                        crd_i_fail(own->error, CRD_ERROR_COLUMN, "%s has no state %s",
                                   crd_i_quote(parent->name, quoted[0]), crd_i_quote(own->words[i], quoted[1])));
        *row = *row * crd_i_node_states(parent) + (size_t)state;
    }
    return CRD_OK;
}

/* The numbers of a row; NaN in a table marks what was not given. */
static crd_status read_row(parser *own, const crd_i_node *node, double *table) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t row = 0, states = crd_i_node_states(node);
    parser at_row = *own;
    crd_status status = find_row(own, node, &row);
    if (status == CRD_OK) status = take_numbers(own);
    if (status != CRD_OK) return status;
    if (own->number_count != states) return wrong_count(&at_row, node, states);
    if (!isnan(table[row * states]))
        return here(&at_row, crd_i_fail(own->error, CRD_ERROR_SYNTAX, "this row of %s is given twice",
                                        crd_i_quote(node->name, quoted)));
    memcpy(table + row * states, own->numbers, states * sizeof *table);
    return CRD_OK;
}

/* Behind the word "table". */
static crd_status read_whole(parser *own, const crd_i_node *node, double *table) {
    size_t states = crd_i_node_states(node);
    crd_status status = take_numbers(own);
    if (status != CRD_OK) return status;
    if (own->number_count != node->rows * states) return wrong_count(own, node, node->rows * states);
    for (size_t state = 0; state < states; state++)
        for (size_t row = 0; row < node->rows; row++)
            table[row * states + state] = own->numbers[state * node->rows + row];
    return CRD_OK;
}

/* Fills in what the rows left out. */
static crd_status fill_default(parser *own, const crd_i_node *node, double *table, const double *other) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t states = crd_i_node_states(node), absent = 0;
    for (size_t row = 0; row < node->rows; row++) {
        if (!isnan(table[row * states])) continue;
        absent++;
        if (other != NULL) memcpy(table + row * states, other, states * sizeof *table);
    }
    if (absent > 0 && other == NULL)
        return here(own, crd_i_fail(own->error, CRD_ERROR_EMPTY, "%zu of %zu rows of the table of %s are missing",
                                    absent, node->rows, crd_i_quote(node->name, quoted)));
    return CRD_OK;
}

/* Whether a table may be allocated: a number takes two bytes of text at least, unless it is a default. */
static crd_status check_room(const parser *own, const crd_i_node *node) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t cells = node->rows * crd_i_node_states(node);
    if (cells <= own->bytes.length) return CRD_OK;
    parser ahead = *own;
    while (!is_mark(&ahead, '}') && ahead.tokens.kind != CRD_I_BIF_END && ahead.tokens.kind != CRD_I_BIF_UNCLOSED &&
           !is_keyword(&ahead, "default"))
        next(&ahead);
    if (is_keyword(&ahead, "default") && cells <= MOST_DEFAULT_CELLS) return CRD_OK;
    return here(own, crd_i_fail(own->error, CRD_ERROR_LIMIT, "the table of %s needs %zu numbers, which are not here",
                                crd_i_quote(node->name, quoted), cells));
}

static crd_status read_rows(parser *own, const crd_i_node *node, double *table, double **other) {
    crd_status status = CRD_OK;
    while (status == CRD_OK && !is_mark(own, '}')) {
        if (is_mark(own, '(')) {
            status = read_row(own, node, table);
        } else if (is_keyword(own, "table")) {
            next(own);
            status = read_whole(own, node, table);
        } else if (is_keyword(own, "default") && *other == NULL) {
            next(own);
            status = take_numbers(own);
            if (status != CRD_OK) break;
            if (own->number_count != crd_i_node_states(node)) return wrong_count(own, node, crd_i_node_states(node));
            /* The list of numbers becomes the default; the next list starts anew. */
            *other = own->numbers;
            own->numbers = NULL;
            own->number_room = 0;
        } else if (is_keyword(own, "property")) {
            status = pass_property(own);
        } else {
            status = unexpected(own, "a row, \"table\", \"default\" or \"}\"");
        }
    }
    return status;
}

/* Behind the word "probability". */
static crd_status read_probability(parser *own) {
    size_t index = 0;
    double *table = NULL, *other = NULL;
    parser at_block = *own;
    crd_status status = read_family(own, &index);
    if (status == CRD_OK) status = take_mark(own, '{');
    if (status != CRD_OK) return status;
    const crd_i_node *node = &own->network->nodes[index];
    size_t cells = node->rows * crd_i_node_states(node);
    status = check_room(own, node);
    if (status != CRD_OK) return status;
    table = crd_i_alloc(own->context, cells, sizeof *table);
    if (table == NULL) return crd_i_fail_memory(own->error);
    for (size_t i = 0; i < cells; i++) table[i] = NAN;
    status = read_rows(own, node, table, &other);
    if (status == CRD_OK) status = fill_default(own, node, table, other);
    if (status == CRD_OK) {
        status = crd_i_network_take_table(own->network, index, table, own->error);
        if (status == CRD_OK) table = NULL;
        else here(&at_block, status);
    }
    crd_free(own->context, table);
    crd_free(own->context, other);
    if (status == CRD_OK) next(own);
    return status;
}

/* One way through the text: for the variables, or for the tables. */
static crd_status read_blocks(parser *own, bool for_tables) {
    crd_status status = CRD_OK;
    own->tokens = crd_i_bif_begin(own->bytes);
    next(own);
    while (status == CRD_OK && own->tokens.kind != CRD_I_BIF_END) {
        if (crd_i_context_cancelled(own->context)) return crd_i_fail(own->error, CRD_ERROR_CANCELLED, "cancelled");
        bool is_table = is_keyword(own, "probability"), is_variable = is_keyword(own, "variable");
        if (!is_table && !is_variable && !is_keyword(own, "network"))
            return unexpected(own, "\"network\", \"variable\" or \"probability\"");
        next(own);
        if (for_tables && is_table) status = read_probability(own);
        else if (!for_tables && is_variable) status = read_variable(own);
        else status = pass_block(own);
    }
    return status;
}

/* The name behind the first word of the file, if it has one. */
static void read_name(parser *own) {
    own->tokens = crd_i_bif_begin(own->bytes);
    next(own);
    if (!is_keyword(own, "network")) return;
    next(own);
    if (own->tokens.kind == CRD_I_BIF_WORD) own->name = own->tokens.text;
}

crd_status crd_i_bif_read(crd_context *context, crd_text bytes, const char *place, crd_network **out,
                          crd_error *error) {
    parser own = {.context = context, .bytes = bytes, .place = place, .name = {"", 0}, .error = error};
    *out = NULL;
    read_name(&own);
    crd_status status = crd_i_network_create(context, own.name, &own.network, error);
    if (status == CRD_OK) status = read_blocks(&own, false);
    if (status == CRD_OK) status = read_blocks(&own, true);
    if (status == CRD_OK) {
        status = crd_i_network_finish(own.network, error);
        if (status != CRD_OK) crd_i_error_place(error, place, 0, 0);
    }
    crd_free(context, own.words);
    crd_free(context, own.codes);
    crd_free(context, own.numbers);
    if (status != CRD_OK) {
        crd_network_destroy(own.network);
        return status;
    }
    *out = own.network;
    return CRD_OK;
}

bool crd_i_bif_recognise(crd_text beginning) {
    crd_i_bif_tokens tokens = crd_i_bif_begin(beginning);
    crd_i_bif_next(&tokens);
    bool is_network = crd_text_equal(tokens.text, crd_text_of("network"));
    bool is_block = is_network || crd_text_equal(tokens.text, crd_text_of("variable"));
    if (tokens.kind != CRD_I_BIF_WORD || tokens.is_quoted || !is_block) return false;
    crd_i_bif_next(&tokens);
    if (tokens.kind == CRD_I_BIF_WORD) crd_i_bif_next(&tokens);
    else if (!is_network) return false;
    return tokens.kind == CRD_I_BIF_MARK && crd_text_equal(tokens.text, crd_text_of("{"));
}
