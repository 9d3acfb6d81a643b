/* SPDX-License-Identifier: MIT */
/* bif.c - networks in the Bayesian network interchange format (BIF 0.15): see network_format.h.
 *
 * A table may come before the variables that it refers to; it is then read after everything else. The reader does not
 * recurse. Memory is allocated only for numbers that are in the text, except for defaults, whose number is limited for
 * the whole file.
 *
 * Contents:
 *   1. Lists of names
 *   2. Reader
 *   3. Writer */
#include "network/formats/network_format.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/formats/network_draft.h"
#include "network/formats/network_parser.h"
#include "network/formats/network_writer.h"

#include <math.h>
#include <string.h>

/* The identifiers of nodes and states in the file, if a property contains the original name. */
typedef struct bif_identifiers {
    crd_i_dictionary *nodes;   /* identifiers of all nodes, by number */
    crd_i_dictionary **states; /* identifiers of each node's states; NULL: they are the state names */
    size_t capacity;           /* allocated length of `states` */
} bif_identifiers;

/* ======== 1. Lists of names ========
 *
 * BIF's grammar has names without spaces and brackets, separated by commas. R's bnlearn and other programs write names
 * unchanged:
 *
 *   type discrete [ 3 ] { No injury, Slight (1-2), > 10000 };
 *   probability ( Body mass | Age (years), Sex ) {
 *     (_0_500], female) 0.2, 0.3, 0.5;
 *
 * The end of a list, and which commas belong to a name, then follow from the declared number of states and from the
 * names declared before. Each function first tries the words of the grammar. It changes only the position of the parser
 * and the words of the draft.
 *
 * Names that other readers do not accept are written as identifiers, with the original name in a property. */

/* A name must end within this many bytes. Bounds the search in a file that is not a list of names. */
enum { MOST_NAME_BYTES = 4096 };

static bool bif_names_is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static crd_text bif_names_trimmed(const char *begin, const char *end) {
    while (begin < end && bif_names_is_blank(*begin)) begin++;
    while (begin < end && bif_names_is_blank(end[-1])) end--;
    return (crd_text){begin, (size_t)(end - begin)};
}

/* Removes the quotes around a name, if it contains no others. */
static crd_text bif_names_unquoted(crd_text name) {
    if (name.length < 2 || name.bytes[0] != '"') return name;
    const char *close = memchr(name.bytes + 1, '"', name.length - 1);
    if (close != name.bytes + name.length - 1) return name;
    return (crd_text){name.bytes + 1, name.length - 2};
}

/* Counts the words ahead up to the mark `end`, which becomes the current token. Returns SIZE_MAX if another mark or
 * the end of the file comes first. */
static size_t bif_names_count_words(crd_i_tokens *ahead, char end) {
    size_t count = 0;
    for (crd_i_tokens_next(ahead); ahead->kind == CRD_I_TOKEN_WORD; crd_i_tokens_next(ahead)) count++;
    return crd_i_tokens_is_mark(ahead, end) ? count : SIZE_MAX;
}

/* ---- Identifiers instead of names ---- */

static crd_status bif_identifiers_begin(bif_identifiers *identifiers, const crd_i_draft *draft) {
    *identifiers = (bif_identifiers){.nodes = crd_i_dictionary_create(draft->context)};
    return identifiers->nodes == NULL ? crd_i_fail_memory(draft->error) : CRD_OK;
}

static void bif_identifiers_end(bif_identifiers *identifiers, const crd_i_draft *draft) {
    const size_t count = identifiers->nodes == NULL ? 0 : crd_i_dictionary_size(identifiers->nodes);
    for (size_t i = 0; i < count && i < identifiers->capacity; i++) crd_i_dictionary_destroy(identifiers->states[i]);
    crd_free(draft->context, identifiers->states);
    crd_i_dictionary_destroy(identifiers->nodes);
}

static crd_i_dictionary *dictionary_of_words(const crd_i_draft *draft) {
    crd_i_dictionary *words = crd_i_dictionary_create(draft->context);
    for (size_t i = 0; words != NULL && i < draft->word_count; i++) {
        if (crd_i_dictionary_add(words, draft->words[i]) >= 0) continue;
        crd_i_dictionary_destroy(words);
        words = NULL;
    }
    return words;
}

/* Adds the next node. If `states` is true, the draft's states are identifiers of the original states; otherwise they
 * are the node's own. */
static crd_status bif_identifiers_add(bif_identifiers *identifiers, const crd_i_draft *draft, crd_i_file_place place,
                                      crd_text node, bool states) {
    char quoted[CRD_I_QUOTED_ROOM];
    const size_t count = crd_i_dictionary_size(identifiers->nodes);
    crd_i_dictionary *dictionary = NULL;
    if (crd_i_dictionary_find(identifiers->nodes, node) >= 0)
        return crd_i_draft_fail(draft, place, CRD_ERROR_COLUMN, "two nodes are called %s", crd_i_quote(node, quoted));
    if (!crd_i_reserve(draft->context, &identifiers->states, &identifiers->capacity, count + 1,
                       sizeof *identifiers->states))
        return crd_i_fail_memory(draft->error);
    if (states && (dictionary = dictionary_of_words(draft)) == NULL) return crd_i_fail_memory(draft->error);
    identifiers->states[count] = dictionary;
    if (crd_i_dictionary_add(identifiers->nodes, node) >= 0) return CRD_OK;
    crd_i_dictionary_destroy(dictionary);
    return crd_i_fail_memory(draft->error);
}

static const crd_i_dictionary *bif_names_states(const bif_identifiers *identifiers, const crd_network *network,
                                                size_t node) {
    const crd_i_dictionary *dictionary = identifiers->states[node];
    return dictionary == NULL ? network->nodes[node].states : dictionary;
}

/* ---- States of a variable ---- */

/* Finds the brace that closes a list of states: the first brace that a semicolon follows. */
static const char *find_states_end(const crd_i_tokens *tokens) {
    for (const char *cursor = tokens->cursor; cursor < tokens->end; cursor++) {
        if (*cursor != '}') continue;
        const char *next = cursor + 1;
        while (next < tokens->end && bif_names_is_blank(*next)) next++;
        if (next < tokens->end && *next == ';') return cursor;
    }
    return NULL;
}

/* Returns the end of the list item that begins here: a comma outside quotes, or a comma followed by whitespace if
 * `needs_blank`. */
static const char *piece_end(const char *cursor, const char *end, bool needs_blank) {
    while (cursor < end && bif_names_is_blank(*cursor)) cursor++;
    if (cursor < end && *cursor == '"') {
        const char *close = memchr(cursor + 1, '"', (size_t)(end - cursor - 1));
        if (close != NULL) cursor = close;
    }
    while (cursor < end && !(*cursor == ',' && (!needs_blank || (cursor + 1 < end && bif_names_is_blank(cursor[1])))))
        cursor++;
    return cursor;
}

static size_t count_pieces(const char *cursor, const char *end, bool needs_blank) {
    size_t count = 1;
    while ((cursor = piece_end(cursor, end, needs_blank)) < end) {
        cursor++;
        count++;
    }
    return count;
}

static crd_status take_pieces(crd_i_parser *parser, const char *end, bool needs_blank) {
    const char *cursor = parser->tokens.cursor;
    crd_i_draft_clear_words(&parser->draft);
    for (;;) {
        const char *after = piece_end(cursor, end, needs_blank);
        crd_status status = crd_i_draft_word(&parser->draft, bif_names_unquoted(bif_names_trimmed(cursor, after)));
        if (status != CRD_OK) return status;
        if (after == end) break;
        cursor = after + 1;
    }
    crd_i_tokens_move(&parser->tokens, end + 1);
    crd_i_parser_next(parser);
    return CRD_OK;
}

/* Reads a list of `count` states, from its opening brace to after its closing brace. The states are the words if
 * their number is `count`; else the text between commas; else the text between commas followed by a space, as in
 * `[0,5), [5,9]`; else the words again, for the caller to count. */
static crd_status bif_states(crd_i_parser *parser, double count) {
    if (!crd_i_parser_at_mark(parser, '{')) return crd_i_parser_take_mark(parser, '{');
    crd_i_tokens ahead = parser->tokens;
    const size_t words = bif_names_count_words(&ahead, '}');
    const char *end = (double)words == count ? NULL : find_states_end(&parser->tokens);
    for (int needs_blank = 0; end != NULL && needs_blank < 2; needs_blank++)
        if ((double)count_pieces(parser->tokens.cursor, end, needs_blank) == count)
            return take_pieces(parser, end, needs_blank);
    crd_i_parser_next(parser);
    return crd_i_parser_take_words(parser, '}');
}

/* ---- Known names ---- */

/* Reads a variable name, up to the opening brace of its block. */
static crd_status bif_variable(crd_i_parser *parser, crd_text *name) {
    const crd_i_tokens *tokens = &parser->tokens;
    if (crd_i_parser_at_end(parser) || crd_i_parser_at_mark(parser, '{'))
        return crd_i_parser_unexpected(parser, "the name of a variable");
    crd_i_tokens ahead = *tokens;
    *name = tokens->text;
    crd_i_tokens_next(&ahead);
    const char *begin = tokens->text.bytes - (tokens->is_quoted ? 1 : 0);
    const char *brace = memchr(begin, '{', (size_t)(tokens->end - begin));
    const char *line = memchr(begin, '\n', (size_t)(tokens->end - begin));
    const bool is_word = tokens->kind == CRD_I_TOKEN_WORD;
    if ((is_word && crd_i_tokens_is_mark(&ahead, '{')) || brace == NULL || (line != NULL && line < brace)) {
        if (!is_word) return crd_i_parser_unexpected(parser, "the name of a variable");
        crd_i_parser_next(parser);
        return CRD_OK;
    }
    *name = bif_names_trimmed(begin, brace);
    crd_i_tokens_move(&parser->tokens, brace);
    crd_i_parser_next(parser);
    return CRD_OK;
}

/* Finds the shortest text from `cursor` to one of the delimiters that is in the dictionary, with or without quotes.
 * Returns its number, and sets *behind to the delimiter. Returns -1 if there is none. */
static int32_t bif_names_find(const crd_i_dictionary *names, const char *cursor, const char *end,
                              const char *delimiters, const char **behind) {
    if (end - cursor > MOST_NAME_BYTES) end = cursor + MOST_NAME_BYTES;
    for (const char *target = cursor; target < end; target++) {
        if (*target == '\0' || strchr(delimiters, *target) == NULL) continue;
        const crd_text name = bif_names_trimmed(cursor, target);
        int32_t found = crd_i_dictionary_find(names, name);
        if (found < 0) found = crd_i_dictionary_find(names, bif_names_unquoted(name));
        *behind = target;
        if (found >= 0) return found;
    }
    return -1;
}

/* Returns whether all words ahead, up to the closing parenthesis, are variables. */
static bool are_variables(const crd_i_parser *parser, const crd_i_dictionary *names) {
    crd_i_tokens ahead = parser->tokens;
    for (crd_i_tokens_next(&ahead); ahead.kind == CRD_I_TOKEN_WORD; crd_i_tokens_next(&ahead))
        if (crd_i_dictionary_find(names, ahead.text) < 0) return false;
    return crd_i_tokens_is_mark(&ahead, ')');
}

/* Reads a list of variables, from its opening to after its closing parenthesis. If the words are not all variables,
 * each name is the shortest text up to a comma or bar that is a variable. */
static crd_status bif_family(crd_i_parser *parser, const bif_identifiers *identifiers) {
    if (!crd_i_parser_at_mark(parser, '(')) return crd_i_parser_take_mark(parser, '(');
    const crd_i_dictionary *names = identifiers->nodes;
    const char *cursor = parser->tokens.cursor, *end = parser->tokens.end;
    bool is_known = !are_variables(parser, names), is_whole = false;
    crd_i_draft_clear_words(&parser->draft);
    while (is_known && !is_whole) {
        const char *after = cursor;
        const int32_t node = bif_names_find(names, cursor, end, ",|)", &after);
        is_known = node >= 0;
        if (!is_known) break;
        crd_status status = crd_i_draft_word(&parser->draft, crd_i_dictionary_text(names, (size_t)node));
        if (status != CRD_OK) return status;
        is_whole = *after == ')';
        cursor = after + 1;
    }
    if (is_whole) crd_i_tokens_move(&parser->tokens, cursor);
    crd_i_parser_next(parser);
    return is_whole ? CRD_OK : crd_i_parser_take_words(parser, ')');
}

/* Finds the table row that the words ahead name. Returns false if they are not states of the parents. */
static bool find_word_row(const crd_i_parser *parser, const bif_identifiers *identifiers, const crd_i_node *node,
                          crd_i_tokens *ahead, size_t *row) {
    *row = 0;
    crd_i_tokens_next(ahead);
    for (size_t i = 0; i < node->parent_count; i++, crd_i_tokens_next(ahead)) {
        const crd_i_dictionary *states = bif_names_states(identifiers, parser->draft.network, node->parents[i]);
        const int32_t state = ahead->kind == CRD_I_TOKEN_WORD ? crd_i_dictionary_find(states, ahead->text) : -1;
        if (state < 0) return false;
        *row = *row * crd_i_dictionary_size(states) + (size_t)state;
    }
    return crd_i_tokens_is_mark(ahead, ')');
}

/* Finds the table row that names separated by commas name. Returns false if they are not states of the parents. */
static bool find_comma_row(const crd_i_parser *parser, const bif_identifiers *identifiers, const crd_i_node *node,
                           const char **cursor, size_t *row) {
    *row = 0;
    for (size_t i = 0; i < node->parent_count; i++) {
        const crd_i_dictionary *states = bif_names_states(identifiers, parser->draft.network, node->parents[i]);
        const bool is_last = i + 1 == node->parent_count;
        const char *after = *cursor;
        const int32_t state = bif_names_find(states, *cursor, parser->tokens.end, is_last ? ")" : ",", &after);
        if (state < 0) return false;
        *row = *row * crd_i_dictionary_size(states) + (size_t)state;
        *cursor = after + 1;
    }
    return node->parent_count > 0;
}

/* Reads the parent states of a table row, from its opening to after its closing parenthesis. Sets the row number to
 * SIZE_MAX if the words are not such states. */
static crd_status bif_row(crd_i_parser *parser, const bif_identifiers *identifiers, const crd_i_node *node,
                          size_t *row) {
    if (!crd_i_parser_at_mark(parser, '(')) return crd_i_parser_take_mark(parser, '(');
    crd_i_tokens ahead = parser->tokens;
    const char *cursor = parser->tokens.cursor;
    if (find_word_row(parser, identifiers, node, &ahead, row)) {
        parser->tokens = ahead;
        crd_i_parser_next(parser);
        return CRD_OK;
    }
    if (find_comma_row(parser, identifiers, node, &cursor, row)) {
        crd_i_tokens_move(&parser->tokens, cursor);
        crd_i_parser_next(parser);
        return CRD_OK;
    }
    *row = SIZE_MAX;
    crd_i_parser_next(parser);
    return crd_i_parser_take_words(parser, ')');
}

/* ======== 2. Reader ======== */

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
    bif_identifiers identifiers;
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
    if (status == CRD_OK) status = bif_states(parser, count);
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
    crd_status status = bif_variable(parser, &name);
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
    status = bif_identifiers_add(&reader->identifiers, &parser->draft, place, name, properties.states.bytes != NULL);
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
    crd_status status = bif_row(&reader->parser, &reader->identifiers, node, row);
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

/* Returns whether the numbers of a table given by "table" sum to 1 if they are read row by row. The node's states vary
 * fastest. That is not the order of the format, but a common mistake. */
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
    crd_status status = bif_family(parser, &reader->identifiers);
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
    if (status == CRD_OK) status = bif_identifiers_begin(&reader.identifiers, &reader.parser.draft);
    if (status == CRD_OK) status = bif_read_blocks(&reader);
    bif_identifiers_end(&reader.identifiers, &reader.parser.draft);
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

bool crd_i_bif_recognize(crd_text beginning) {
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

/* ======== 3. Writer ======== */

/* Names that bnlearn, pgmpy and pyAgrum can all read. */
static const char *const keywords[] = {"network",  "variable", "probability", "property", "type",
                                       "discrete", "table",    "default",     NULL};
static const crd_i_identifier_rules node_rules = {.further = "-", .keywords = keywords};
static const crd_i_identifier_rules state_rules = {.further = ".-", .may_begin_with_digit = true, .keywords = keywords};

typedef struct write_writer {
    crd_i_writing output;
    const crd_network *network;
    crd_i_network_identifiers identifiers;
} write_writer;

static void bif_write_put_text(write_writer *writer, crd_text text) {
    crd_i_put(&writer->output, text.bytes, text.length);
}

static void put_name_property(write_writer *writer, crd_text name) {
    crd_i_put_words(&writer->output, "  property " CRD_I_BIF_NAME " = \"");
    crd_i_put_encoded(&writer->output, name);
    crd_i_put_words(&writer->output, "\";\n");
}

static void bif_write_put_variable(write_writer *writer, size_t index) {
    crd_i_writing *writing = &writer->output;
    const crd_i_node *node = &writer->network->nodes[index];
    const crd_text name = crd_i_dictionary_text(writer->identifiers.nodes, index);
    crd_i_put_words(writing, "variable ");
    bif_write_put_text(writer, name);
    crd_i_put_words(writing, " {\n  type discrete [ ");
    crd_i_put_count(writing, crd_i_node_states(node));
    crd_i_put_words(writing, " ] { ");
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        if (i > 0) crd_i_put_words(writing, ", ");
        bif_write_put_text(writer, crd_i_dictionary_text(writer->identifiers.states[index], i));
    }
    crd_i_put_words(writing, " };\n");
    if (crd_i_network_identifiers_rename(&writer->identifiers, index)) put_name_property(writer, node->name);
    if (crd_i_network_identifiers_rename_states(&writer->identifiers, index)) {
        crd_i_put_words(writing, "  property " CRD_I_BIF_STATES " = \"");
        crd_i_put_encoded_list(writing, node->states);
        crd_i_put_words(writing, "\";\n");
    }
    if (node->kind == CRD_NODE_DECISION)
        crd_i_put_words(writing, "  property " CRD_I_BIF_OWN " " CRD_I_BIF_DECISION ";\n");
    if (node->kind == CRD_NODE_UTILITY)
        crd_i_put_words(writing, "  property " CRD_I_BIF_OWN " " CRD_I_BIF_UTILITY ";\n");
    crd_i_put_words(writing, "}\n");
}

static void bif_write_put_row(crd_i_writing *writing, const double *row, size_t count) {
    for (size_t i = 0; i < count; i++) {
        crd_i_put_words(writing, i == 0 ? " " : ", ");
        crd_i_put_number(writing, row[i]);
    }
    crd_i_put_words(writing, ";\n");
}

/* Writes equal probabilities for a decision, which has no table. */
static void put_even(crd_i_writing *writing, size_t states) {
    crd_i_put_words(writing, "  default");
    for (size_t i = 0; i < states; i++) {
        crd_i_put_words(writing, i == 0 ? " " : ", ");
        crd_i_put_number(writing, 1.0 / (double)states);
    }
    crd_i_put_words(writing, ";\n");
}

static void put_rows(write_writer *writer, const crd_i_node *node) {
    crd_i_writing *writing = &writer->output;
    const size_t states = crd_i_node_states(node);
    for (size_t row = 0; row < node->rows && !writing->failed; row++) {
        size_t stride = node->rows;
        crd_i_put_words(writing, node->parent_count == 0 ? "  table" : "  (");
        for (size_t i = 0; i < node->parent_count; i++) {
            const crd_i_dictionary *parent = writer->identifiers.states[node->parents[i]];
            stride /= crd_i_dictionary_size(parent);
            if (i > 0) crd_i_put_words(writing, ", ");
            bif_write_put_text(writer, crd_i_dictionary_text(parent, row / stride % crd_i_dictionary_size(parent)));
        }
        if (node->parent_count > 0) crd_i_put_words(writing, ")");
        bif_write_put_row(writing, node->table + row * states, states);
    }
}

static void bif_write_put_table(write_writer *writer, size_t index) {
    crd_i_writing *writing = &writer->output;
    const crd_i_node *node = &writer->network->nodes[index];
    crd_i_put_words(writing, "probability ( ");
    bif_write_put_text(writer, crd_i_dictionary_text(writer->identifiers.nodes, index));
    for (size_t i = 0; i < node->parent_count; i++) {
        crd_i_put_words(writing, i == 0 ? " | " : ", ");
        bif_write_put_text(writer, crd_i_dictionary_text(writer->identifiers.nodes, node->parents[i]));
    }
    crd_i_put_words(writing, " ) {\n");
    if (node->table == NULL) put_even(writing, crd_i_node_states(node));
    else put_rows(writer, node);
    crd_i_put_words(writing, "}\n");
}

/* Writes the network block. A name that is not an identifier is written only as a property. */
static void put_network(write_writer *writer) {
    const crd_text name = writer->network->name;
    const bool is_plain = crd_i_is_identifier(name, &node_rules);
    crd_i_put_words(&writer->output, "network ");
    bif_write_put_text(writer, is_plain ? name : crd_text_of(CRD_I_NETWORK_UNNAMED));
    crd_i_put_words(&writer->output, " {\n");
    if (!is_plain && name.length > 0) put_name_property(writer, name);
    crd_i_put_words(&writer->output, "}\n");
}

crd_status crd_i_bif_write(const crd_network *network, crd_i_buffer *out, crd_error *error) {
    write_writer writer = {.output = {out, false, {NULL, 0}}, .network = network};
    writer.output.failed = !crd_i_network_identifiers_create(&writer.identifiers, network, &node_rules, &state_rules);
    if (!writer.output.failed) {
        put_network(&writer);
        for (size_t i = 0; i < network->count; i++) bif_write_put_variable(&writer, i);
        for (size_t i = 0; i < network->count; i++) bif_write_put_table(&writer, i);
    }
    crd_i_network_identifiers_clear(&writer.identifiers);
    return crd_i_writing_end(&writer.output, "cannot be written: it contains a NUL byte", error);
}
