/* SPDX-License-Identifier: MIT */
/* bif_names.c - see bif_names.h. */
#include "network/formats/bif_names.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

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

crd_status crd_i_bif_identifiers_begin(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft) {
    *identifiers = (crd_i_bif_identifiers){.nodes = crd_i_dictionary_create(draft->context)};
    return identifiers->nodes == NULL ? crd_i_fail_memory(draft->error) : CRD_OK;
}

void crd_i_bif_identifiers_end(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft) {
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

crd_status crd_i_bif_identifiers_add(crd_i_bif_identifiers *identifiers, const crd_i_draft *draft,
                                     crd_i_file_place place, crd_text node, bool states) {
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

static const crd_i_dictionary *bif_names_states(const crd_i_bif_identifiers *identifiers, const crd_network *network,
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

crd_status crd_i_bif_states(crd_i_parser *parser, double count) {
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

crd_status crd_i_bif_variable(crd_i_parser *parser, crd_text *name) {
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

crd_status crd_i_bif_family(crd_i_parser *parser, const crd_i_bif_identifiers *identifiers) {
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
static bool find_word_row(const crd_i_parser *parser, const crd_i_bif_identifiers *identifiers, const crd_i_node *node,
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
static bool find_comma_row(const crd_i_parser *parser, const crd_i_bif_identifiers *identifiers, const crd_i_node *node,
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

crd_status crd_i_bif_row(crd_i_parser *parser, const crd_i_bif_identifiers *identifiers, const crd_i_node *node,
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
