/* SPDX-License-Identifier: MIT */
/* event.c - parses the text of an event by recursive descent. The column names must be known.
 *
 * Column names and values may contain any character, including spaces and operators. The text is therefore not split
 * into tokens first. At each place where an event may begin, the parser first looks for the longest known column name
 * that is followed by an operator. Only then does it look for the words "not" and "(".
 *
 * Contents:
 *   1. Event tree
 *   2. Text scanning
 *   3. Comparisons
 *   4. Logical operators
 *   5. Properties and evaluation */
#include "query/event.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <credence/number.h>

#include <string.h>

/* Maximum nesting depth of parentheses and "not". A deeper event is rejected because the parser is recursive and could
 * overflow the stack. */
enum { DEEPEST = 100 };

typedef struct event_parser {
    crd_i_arena *arena;
    const char *cursor, *end;
    const crd_text *names;
    size_t name_count;
    unsigned depth;
    crd_error *error;
    crd_status status;
} event_parser;

/* ======== 1. Event tree ======== */

void crd_event_destroy(crd_event *event) {
    if (event != NULL) crd_i_arena_destroy(event->arena);
}

/* Reports `description` followed by the quoted text, which becomes the subject of the error. Returns NULL. */
static crd_event *event_fail(event_parser *p, crd_status status, const char *description, crd_text text) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_quote(text, quoted);
    p->status = crd_i_fail(p->error, status, "%s '%s'", description, quoted);
    crd_i_error_subject(p->error, text);
    return NULL;
}

static crd_event *fail_memory(event_parser *p) {
    p->status = crd_i_fail_memory(p->error);
    return NULL;
}

static crd_event *event_create(event_parser *p, crd_i_event_kind kind) {
    crd_event *event = crd_i_arena_alloc_zeroed(p->arena, 1, sizeof *event);
    if (event == NULL) return fail_memory(p);
    event->kind = kind;
    return event;
}

/* Appends a part. A NULL part is a failure that has been reported. */
static bool event_add_part(event_parser *p, crd_event *event, crd_event *part) {
    if (part == NULL) return false;
    if (event->part_count == event->part_capacity) {
        const size_t capacity = event->part_capacity == 0 ? 2 : 2 * event->part_capacity;
        crd_event **parts = crd_i_arena_alloc(p->arena, capacity, sizeof *parts);
        if (parts == NULL) {
            fail_memory(p);
            return false;
        }
        if (event->part_count > 0) memcpy(parts, event->parts, event->part_count * sizeof *parts);
        event->parts = parts;
        event->part_capacity = capacity;
    }
    event->parts[event->part_count++] = part;
    return true;
}

/* Sets the text that the event was parsed from, without leading and trailing spaces. */
static void set_text(crd_event *event, const char *start, const char *target) {
    crd_text text = {start, (size_t)(target - start)};
    event->text = crd_i_text_trim(text);
}

/* A test of a column: a comparison whose value has not been read yet, or membership in a set of values. */
typedef struct column_test {
    crd_column_comparison comparison;
    bool is_set, is_negated;
} column_test;

/* ======== 2. Text scanning ======== */

static bool event_is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static void event_skip_blanks(event_parser *p) {
    while (p->cursor < p->end && event_is_blank(*p->cursor)) p->cursor++;
}

/* Returns whether `word`, in lowercase or in capitals, is at `cursor` and ends there. */
static bool event_word(const event_parser *p, const char *cursor, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(p->end - cursor) < length) return false;
    bool small = memcmp(cursor, word, length) == 0, capital = true;
    for (size_t i = 0; i < length; i++) capital = capital && cursor[i] == (char)(word[i] - 'a' + 'A');
    if (!small && !capital) return false;
    const char *after = cursor + length;
    return after == p->end || event_is_blank(*after) || *after == '(' || *after == '"';
}

/* Returns the length of the joining word at `cursor`, which may also be written && or ||. Returns 0 if it is not
 * there. */
static size_t join_at(const event_parser *p, const char *cursor, const char *word) {
    const char *sign = word[0] == 'a' ? "&&" : "||";
    if (p->end - cursor >= 2 && memcmp(cursor, sign, 2) == 0) return 2;
    return event_word(p, cursor, word) ? strlen(word) : 0;
}

/* Returns the length of the comparison operator at `cursor` and sets *relation. Returns 0 if there is no operator. */
static size_t relation_at(const char *cursor, const char *end, crd_event_relation *relation) {
    bool equals = end - cursor >= 2 && cursor[1] == '=';
    if (cursor == end) return 0;
    switch (*cursor) {
    case '=': *relation = CRD_EVENT_EQUAL; return equals ? 2 : 1;
    case '!': *relation = CRD_EVENT_UNEQUAL; return equals ? 2 : 0;
    case '<': *relation = equals ? CRD_EVENT_AT_MOST : CRD_EVENT_LESS; return equals ? 2 : 1;
    case '>': *relation = equals ? CRD_EVENT_AT_LEAST : CRD_EVENT_GREATER; return equals ? 2 : 1;
    default: return 0;
    }
}

/* Returns whether `word` is at `cursor`, in lowercase, in capitals or in a mixture, and no character follows that could
 * continue it. */
static bool closed_word_at(const char *cursor, const char *end, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(end - cursor) < length) return false;
    for (size_t i = 0; i < length; i++)
        if (cursor[i] != word[i] && cursor[i] != (char)(word[i] - 'a' + 'A')) return false;
    return (size_t)(end - cursor) == length || event_is_blank(cursor[length]) ||
           strchr(",(){&|", cursor[length]) != NULL;
}

static const char *behind_blanks(const char *cursor, const char *end) {
    while (cursor < end && event_is_blank(*cursor)) cursor++;
    return cursor;
}

/* Returns the length of a word test at `cursor`: "even", "odd", or "in" before a set, each after an optional "is". The
 * length ends before the bracket that opens the set. Sets the fields of *test. Returns 0 if there is no such test. */
static size_t property_at(const char *cursor, const char *end, column_test *test) {
    const char *next = cursor;
    bool is_negated = false;
    if (closed_word_at(next, end, "is")) next = behind_blanks(next + 2, end);
    if (closed_word_at(next, end, "not")) next = behind_blanks(next + 3, end), is_negated = true;
    const bool is_even = closed_word_at(next, end, "even"), is_odd = closed_word_at(next, end, "odd");
    if ((is_even || is_odd) && !is_negated) {
        test->comparison.relation = is_even ? CRD_EVENT_EVEN : CRD_EVENT_ODD;
        next += is_even ? 4 : 3;
        return (size_t)(next - cursor);
    }
    if (!closed_word_at(next, end, "in")) return 0;
    next = behind_blanks(next + 2, end);
    if (next == end || (*next != '{' && *next != '(')) return 0;
    test->comparison.relation = CRD_EVENT_EQUAL;
    test->is_set = true;
    test->is_negated = is_negated;
    return (size_t)(next - cursor);
}

/* Finds the longest known column name at `cursor` that is followed by an operator. Sets *out to the test, and *after to
 * the place after the operator. Returns false if there is none. */
static bool event_find_column(const event_parser *p, const char *cursor, const char *end, column_test *out,
                              const char **after) {
    bool is_found = false;
    size_t longest = 0;
    for (size_t i = 0; i < p->name_count; i++) {
        crd_text name = p->names[i];
        if (name.length > (size_t)(end - cursor) || (is_found && name.length <= longest)) continue;
        if (name.length > 0 && memcmp(cursor, name.bytes, name.length) != 0) continue;
        const char *behind = cursor + name.length;
        while (behind < end && event_is_blank(*behind)) behind++;
        column_test test = {{i, CRD_EVENT_EQUAL, {NULL, 0}}, false, false};
        size_t length = relation_at(behind, end, &test.comparison.relation);
        if (length == 0 && behind > cursor + name.length) length = property_at(behind, end, &test);
        if (length == 0) continue;
        is_found = true;
        longest = name.length;
        *out = test;
        *after = behind + length;
    }
    return is_found;
}

/* Returns the end of the quoted text that opens at `cursor`, just after its closing quote. A doubled quote is part of
 * the text. Returns NULL if the quote is not closed. */
static const char *quoted_end(const char *cursor, const char *end) {
    for (cursor++; cursor < end; cursor++) {
        if (*cursor != '"') continue;
        if (cursor + 1 == end || cursor[1] != '"') return cursor + 1;
        cursor++;
    }
    return NULL;
}

/* Copies the text to new memory, with a terminating zero. If it is quoted, copies only the text between the quotes and
 * replaces doubled quotes. Sets *length. Returns NULL if memory runs out. */
static char *event_copy_text(event_parser *p, crd_text view, bool quoted, size_t *length) {
    char *copy = crd_i_arena_alloc(p->arena, view.length + 1, 1);
    if (copy == NULL) {
        fail_memory(p);
        return NULL;
    }
    *length = 0;
    size_t first = quoted ? 1 : 0, last = quoted ? view.length - 1 : view.length;
    for (size_t i = first; i < last; i++) {
        copy[(*length)++] = view.bytes[i];
        if (quoted && view.bytes[i] == '"') i++;
    }
    copy[*length] = '\0';
    return copy;
}

/* ======== 3. Comparisons ======== */

/* Creates a comparison of a column with a value, which is copied. Also parses the value as a number if possible. */
static crd_event *comparison_of(event_parser *p, const crd_column_comparison *column, crd_text value, bool quoted) {
    crd_event *event = event_create(p, CRD_I_EVENT_COMPARISON);
    if (event == NULL) return NULL;
    event->comparison = *column;
    size_t length;
    const char *copy = event_copy_text(p, value, quoted, &length);
    if (copy == NULL) return NULL;
    crd_text copied = {copy, length};
    event->comparison.value = copied;
    event->is_number =
        column->relation >= CRD_EVENT_EVEN || crd_number_parse(copied, &event->number) == CRD_NUMBER_FINITE;
    return event;
}

/* Returns whether an unquoted value ends here: at a comma, at a joining word or sign, or at a closing parenthesis that
 * was not opened inside it. */
static bool ends_value(const event_parser *p, size_t open) {
    if (*p->cursor == ',' || (*p->cursor == ')' && open == 0)) return true;
    if (*p->cursor == '&' || *p->cursor == '|') return p->end - p->cursor >= 2 && p->cursor[1] == *p->cursor;
    return event_is_blank(*p->cursor) && (event_word(p, p->cursor + 1, "and") || event_word(p, p->cursor + 1, "or"));
}

/* Reports a value that contains an operator. Such an event usually meant something else, such as P(A|B) or A=1 B=2. */
static crd_event *refuse_sign(event_parser *p, crd_text value, char sign) {
    char what[] = "a value that contains ? must be in double quotes:";
    *strchr(what, '?') = sign;
    return event_fail(p, CRD_ERROR_SYNTAX, what, value);
}

/* Parses a value at the cursor: quoted text, or text up to the end of the value. */
static crd_event *parse_value(event_parser *p, const crd_column_comparison *comparison) {
    event_skip_blanks(p);
    const char *start = p->cursor;
    if (p->cursor < p->end && *p->cursor == '"') {
        const char *after = quoted_end(p->cursor, p->end);
        crd_text view = {p->cursor, (size_t)(p->end - p->cursor)};
        if (after == NULL) return event_fail(p, CRD_ERROR_SYNTAX, "a quote is not closed:", view);
        crd_text value = {start, (size_t)(after - start)};
        p->cursor = after;
        return comparison_of(p, comparison, value, true);
    }
    size_t open = 0;
    for (; p->cursor < p->end && !ends_value(p, open); p->cursor++) {
        open += *p->cursor == '(';
        open -= *p->cursor == ')';
    }
    crd_text value = {start, (size_t)(p->cursor - start)};
    value = crd_i_text_trim(value);
    if (value.length == 0) return event_fail(p, CRD_ERROR_SYNTAX, "no value follows", p->names[comparison->column]);
    if (open > 0) return event_fail(p, CRD_ERROR_SYNTAX, "a bracket is not closed:", value);
    for (const char *sign = "|=<>"; *sign != '\0'; sign++) {
        if (memchr(value.bytes, *sign, value.length) != NULL) return refuse_sign(p, value, *sign);
    }
    return comparison_of(p, comparison, value, false);
}

/* Parses a member of a set: quoted text, or text up to a comma or to the bracket that closes the set. */
static crd_event *parse_member(event_parser *p, const crd_column_comparison *comparison, char closing) {
    event_skip_blanks(p);
    const char *start = p->cursor;
    const bool is_quoted = p->cursor < p->end && *p->cursor == '"';
    if (is_quoted) p->cursor = quoted_end(p->cursor, p->end);
    if (p->cursor == NULL) {
        crd_text view = {start, (size_t)(p->end - start)};
        p->cursor = p->end;
        return event_fail(p, CRD_ERROR_SYNTAX, "a quote is not closed:", view);
    }
    while (!is_quoted && p->cursor < p->end && *p->cursor != ',' && *p->cursor != closing) p->cursor++;
    crd_text value = {start, (size_t)(p->cursor - start)};
    value = crd_i_text_trim(value);
    if (value.length == 0)
        return event_fail(p, CRD_ERROR_SYNTAX, "a set with an empty value follows", p->names[comparison->column]);
    crd_event *event = comparison_of(p, comparison, value, is_quoted);
    if (event != NULL) set_text(event, start, p->cursor);
    return event;
}

/* Parses the set that opens at the cursor: {a, b, c} or (a, b, c). */
static crd_event *parse_set(event_parser *p, const crd_column_comparison *comparison) {
    const char *start = p->cursor;
    const char closing = *p->cursor++ == '{' ? '}' : ')';
    crd_event *event = event_create(p, CRD_I_EVENT_SET);
    if (event == NULL) return NULL;
    do {
        if (event->part_count > 0) p->cursor++;
        if (!event_add_part(p, event, parse_member(p, comparison, closing))) return NULL;
        event_skip_blanks(p);
    } while (p->cursor < p->end && *p->cursor == ',');
    if (p->cursor == p->end || *p->cursor != closing) {
        crd_text view = {start, (size_t)(p->end - start)};
        return event_fail(p, CRD_ERROR_SYNTAX, "a set is not closed:", view);
    }
    p->cursor++;
    return event;
}

/* Parses the rest of a column's test, starting after its operator. */
static crd_event *parse_test(event_parser *p, const column_test *test) {
    static const crd_text words[] = {{"even", 4}, {"odd", 3}};
    const crd_event_relation relation = test->comparison.relation;
    if (relation == CRD_EVENT_EVEN || relation == CRD_EVENT_ODD)
        return comparison_of(p, &test->comparison, words[relation == CRD_EVENT_ODD], false);
    if (!test->is_set) return parse_value(p, &test->comparison);
    crd_event *set = parse_set(p, &test->comparison);
    if (set == NULL || !test->is_negated) return set;
    crd_event *event = event_create(p, CRD_I_EVENT_NOT);
    return event != NULL && event_add_part(p, event, set) ? event : NULL;
}

/* Parses an event that begins with a quote: a quoted column name and its test, or a whole comparison in quotes. */
static crd_event *parse_quoted(event_parser *p) {
    const char *start = p->cursor, *after = quoted_end(start, p->end);
    crd_text all = {start, (size_t)((after == NULL ? p->end : after) - start)};
    if (after == NULL) return event_fail(p, CRD_ERROR_SYNTAX, "a quote is not closed:", all);
    size_t length;
    char *inside = event_copy_text(p, all, true, &length);
    if (inside == NULL) return NULL;
    crd_text name = {inside, length};
    column_test found_test = {{0, CRD_EVENT_EQUAL, {NULL, 0}}, false, false};
    crd_column_comparison *compared = &found_test.comparison;
    crd_event *event = NULL;
    const char *value;
    p->cursor = after;
    event_skip_blanks(p);
    size_t sign = relation_at(p->cursor, p->end, &compared->relation);
    if (sign == 0) sign = property_at(p->cursor, p->end, &found_test);
    if (sign > 0) {
        p->cursor += sign;
        while (compared->column < p->name_count && !crd_text_equal(p->names[compared->column], name))
            compared->column++;
        if (compared->column == p->name_count) event_fail(p, CRD_ERROR_COLUMN, "unknown column", name);
        else event = parse_test(p, &found_test);
    } else if (event_find_column(p, inside, inside + length, &found_test, &value) && !found_test.is_set &&
               compared->relation < CRD_EVENT_EVEN) {
        crd_text view = {value, (size_t)(inside + length - value)};
        event = comparison_of(p, compared, crd_i_text_trim(view), false);
    } else {
        event_fail(p, CRD_ERROR_SYNTAX, "expected COLUMN = VALUE, got", name);
    }
    return event;
}

/* Reports why no event begins at the cursor. */
static crd_event *event_refuse(event_parser *p) {
    crd_text view = {p->cursor, (size_t)(p->end - p->cursor)};
    if (view.length == 0) {
        p->status =
            crd_i_fail(p->error, CRD_ERROR_SYNTAX, "the event is incomplete: expected COLUMN = VALUE at its end");
        return NULL;
    }
    crd_event_relation relation;
    for (const char *cursor = p->cursor; cursor < p->end; cursor++) {
        if (relation_at(cursor, p->end, &relation) == 0) continue;
        crd_text name = {p->cursor, (size_t)(cursor - p->cursor)};
        return event_fail(p, CRD_ERROR_COLUMN, "unknown column", crd_i_text_trim(name));
    }
    return event_fail(p, CRD_ERROR_SYNTAX, "expected COLUMN = VALUE, got", view);
}

/* ======== 4. Logical operators ======== */

static crd_event *event_parse_list(event_parser *p);

/* Calls `parse` one nesting level deeper, and fails if the event is nested too deeply. */
static crd_event *parse_inside(event_parser *p, crd_event *(*parse)(event_parser *)) {
    if (p->depth == DEEPEST) {
        p->status = crd_i_fail(p->error, CRD_ERROR_LIMIT, "more than %d brackets or 'not' inside each other", DEEPEST);
        return NULL;
    }
    p->depth++;
    crd_event *event = parse(p);
    p->depth--;
    return event;
}

/* Parses a single event: a test of a column, "not" and an event, or a list of events in parentheses. */
static crd_event *parse_one(event_parser *p) {
    column_test column = {{0, CRD_EVENT_EQUAL, {NULL, 0}}, false, false};
    const char *after, *start = p->cursor;
    crd_event *event = NULL;
    if (event_find_column(p, p->cursor, p->end, &column, &after)) {
        p->cursor = after;
        event = parse_test(p, &column);
    } else if (p->cursor < p->end && *p->cursor == '"') {
        event = parse_quoted(p);
    } else if (event_word(p, p->cursor, "not")) {
        p->cursor += strlen("not");
        event_skip_blanks(p);
        event = event_create(p, CRD_I_EVENT_NOT);
        if (event == NULL || !event_add_part(p, event, parse_inside(p, parse_one))) return NULL;
    } else if (p->cursor < p->end && *p->cursor == '(') {
        p->cursor++;
        event = parse_inside(p, event_parse_list);
        event_skip_blanks(p);
        if (event == NULL) return NULL;
        if (p->cursor == p->end || *p->cursor != ')') {
            crd_text view = {start, (size_t)(p->end - start)};
            return event_fail(p, CRD_ERROR_SYNTAX, "a bracket is not closed:", view);
        }
        p->cursor++;
    } else {
        return event_refuse(p);
    }
    if (event != NULL) set_text(event, start, p->cursor);
    return event;
}

/* Parses one or more events joined by `word`, which is a comma or a joining word. A single event is returned as is,
 * without a parent node. */
static crd_event *parse_joined(event_parser *p, crd_i_event_kind kind, const char *word,
                               crd_event *(*parse_part)(event_parser *)) {
    event_skip_blanks(p);
    const char *start = p->cursor;
    crd_event *first = parse_part(p), *event = NULL;
    if (first == NULL) return NULL;
    for (;;) {
        const char *after = p->cursor;
        event_skip_blanks(p);
        size_t length = p->cursor == p->end ? 0 : word[0] == ',' ? *p->cursor == ',' : join_at(p, p->cursor, word);
        if (length == 0) {
            p->cursor = after;
            break;
        }
        p->cursor += length;
        event_skip_blanks(p);
        if (event == NULL) {
            event = event_create(p, kind);
            if (event == NULL || !event_add_part(p, event, first)) return NULL;
        }
        if (!event_add_part(p, event, parse_part(p))) return NULL;
    }
    if (event == NULL) return first;
    set_text(event, start, p->cursor);
    return event;
}

static crd_event *parse_and(event_parser *p) {
    return parse_joined(p, CRD_I_EVENT_AND, "and", parse_one);
}

static crd_event *parse_or(event_parser *p) {
    return parse_joined(p, CRD_I_EVENT_OR, "or", parse_and);
}

static crd_event *event_parse_list(event_parser *p) {
    return parse_joined(p, CRD_I_EVENT_AND, ",", parse_or);
}

/* Skips a leading P if the whole event is written P(...), as in textbooks. The rest is then parsed like any
 * parentheses. */
static void skip_probability(event_parser *p) {
    column_test column;
    const char *after;
    event_skip_blanks(p);
    if (p->end - p->cursor < 2 || memcmp(p->cursor, "P(", 2) != 0 ||
        event_find_column(p, p->cursor, p->end, &column, &after))
        return;
    p->cursor++;
}

crd_status crd_event_parse(crd_context *context, crd_text text, const crd_text *names, size_t name_count,
                           crd_event **out, crd_error *error) {
    *out = NULL;
    crd_i_arena *arena = crd_i_arena_create(context);
    crd_text written = crd_i_arena_copy_text(arena, text);
    event_parser p = {arena, written.bytes, written.bytes, names, name_count, 0, error, CRD_OK};
    crd_event *event = NULL;
    p.status = crd_i_arena_check(arena, error);
    if (p.status != CRD_OK) goto fail;
    p.end += written.length;
    skip_probability(&p);
    event = event_parse_list(&p);
    if (event == NULL) goto fail;
    event_skip_blanks(&p);
    if (p.cursor < p.end) {
        crd_text view = {p.cursor, (size_t)(p.end - p.cursor)};
        event_fail(&p, CRD_ERROR_SYNTAX, "expected 'and', 'or' or the end of the event, got", view);
        goto fail;
    }
    event->arena = arena;
    *out = event;
    return CRD_OK;

fail:
    crd_i_arena_destroy(arena);
    return p.status;
}

/* ======== 5. Properties and evaluation ======== */

crd_text crd_event_text(const crd_event *event) {
    return event->text;
}

size_t crd_event_part_count(const crd_event *event, crd_event_join join) {
    crd_i_event_kind kind = join == CRD_EVENT_OR ? CRD_I_EVENT_OR : CRD_I_EVENT_AND;
    return event->kind == kind ? event->part_count : 0;
}

const crd_event *crd_event_part(const crd_event *event, size_t part) {
    return event->parts[part];
}

size_t crd_event_comparison_count(const crd_event *event) {
    size_t count = event->kind == CRD_I_EVENT_COMPARISON;
    for (size_t i = 0; i < event->part_count; i++) count += crd_event_comparison_count(event->parts[i]);
    return count;
}

crd_column_comparison crd_event_comparison(const crd_event *event, size_t comparison) {
    for (size_t i = 0; i < event->part_count; i++) {
        size_t count = crd_event_comparison_count(event->parts[i]);
        if (comparison < count) return crd_event_comparison(event->parts[i], comparison);
        comparison -= count;
    }
    return event->comparison;
}

bool crd_i_event_holds(const crd_event *event, bool (*holds)(const void *user, const crd_event *comparison),
                       const void *user) {
    switch (event->kind) {
    case CRD_I_EVENT_COMPARISON: return holds(user, event);
    case CRD_I_EVENT_NOT: return !crd_i_event_holds(event->parts[0], holds, user);
    case CRD_I_EVENT_AND:
        for (size_t i = 0; i < event->part_count; i++)
            if (!crd_i_event_holds(event->parts[i], holds, user)) return false;
        return true;
    case CRD_I_EVENT_OR:
    case CRD_I_EVENT_SET: break;
    }
    for (size_t i = 0; i < event->part_count; i++)
        if (crd_i_event_holds(event->parts[i], holds, user)) return true;
    return false;
}

int crd_i_event_is_true(const crd_event *event, const unsigned char *are_true) {
    if (event->kind == CRD_I_EVENT_COMPARISON) return are_true[0] != 0;
    size_t before = 0;
    for (size_t i = 0; i < event->part_count; i++) {
        bool holds = crd_i_event_is_true(event->parts[i], are_true + before) != 0;
        if (event->kind == CRD_I_EVENT_NOT) return !holds;
        if (holds != (event->kind == CRD_I_EVENT_AND)) return holds;
        before += crd_event_comparison_count(event->parts[i]);
    }
    return event->kind == CRD_I_EVENT_AND;
}
