/* SPDX-License-Identifier: MIT */
/* structure_option.c - see structure_option.h. */
#include "source/structure_option.h"

#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "source/column_warnings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct structure {
    crd_network *network; /* from a network file; NULL: the structure is text */
    const char *typed;    /* the value of the option */
    string text;          /* arcs and nodes, in canonical order */
    crd_text *names;      /* node names, sorted by bytes */
    size_t count;
    string bytes;     /* the buffer that contains the names */
    bool is_searched; /* the value names a search, which learns the arcs */
    bool has_told;    /* The effect on the columns has been reported. Rows may be read twice. */
};

void structure_free(structure *source_structure) {
    if (source_structure == NULL) return;
    crd_network_destroy(source_structure->network);
    string_free(&source_structure->text);
    string_free(&source_structure->bytes);
    free(source_structure->names);
    free(source_structure);
}

/* ---- Names ---- */

static int structure_option_compare_names(const void *a, const void *b) {
    const crd_text *x = a, *y = b;
    size_t common = x->length < y->length ? x->length : y->length;
    int order = common == 0 ? 0 : memcmp(x->bytes, y->bytes, common);
    return order != 0 ? order : x->length < y->length ? -1 : x->length > y->length;
}

static bool structure_option_has_name(const structure *source_structure, crd_text name) {
    return source_structure->count > 0 && bsearch(&name, source_structure->names, source_structure->count, sizeof name,
                                                  structure_option_compare_names) != NULL;
}

/* Copies one name of the canonical text, in quotes or up to a comma or an arc. Returns the position after it. */
static const char *structure_option_take_name(const char *cursor, string *out) {
    if (*cursor != '"') {
        while (*cursor != '\0' && *cursor != ',' && strncmp(cursor, "->", 2) != 0) string_add_char(out, *cursor++);
        return cursor;
    }
    for (cursor++; *cursor != '\0'; cursor++) {
        if (*cursor == '"' && *++cursor != '"') break;
        string_add_char(out, *cursor);
    }
    return cursor;
}

/* Extracts the distinct node names of the canonical text, sorted by their bytes. */
static void structure_option_take_names(structure *source_structure) {
    size_t *ends = NULL, count = 0;
    for (const char *cursor = string_text(&source_structure->text); *cursor != '\0';) {
        cursor = structure_option_take_name(cursor, &source_structure->bytes);
        if (*cursor != '\0') cursor += *cursor == ',' ? 1 : 2;
        ends = memory_resize(ends, count + 1, sizeof *ends);
        ends[count++] = source_structure->bytes.length;
    }
    source_structure->names = memory_resize(NULL, count, sizeof *source_structure->names);
    for (size_t i = 0; i < count; i++) {
        size_t begin = i == 0 ? 0 : ends[i - 1];
        source_structure->names[i] = (crd_text){source_structure->bytes.bytes + begin, ends[i] - begin};
    }
    free(ends);
    if (count > 0)
        qsort(source_structure->names, count, sizeof *source_structure->names, structure_option_compare_names);
    for (size_t i = 0; i < count; i++) {
        if (source_structure->count > 0 &&
            crd_text_equal(source_structure->names[source_structure->count - 1], source_structure->names[i]))
            continue;
        source_structure->names[source_structure->count++] = source_structure->names[i];
    }
}

/* ---- Reading ---- */

static void structure_option_add_quoted(string *out, crd_text name) {
    string_add_char(out, '"');
    for (size_t i = 0; i < name.length; i++) {
        if (name.bytes[i] == '"') string_add_char(out, '"');
        string_add_char(out, name.bytes[i]);
    }
    string_add_char(out, '"');
}

/* Utility nodes are not columns. */
static bool is_column(const crd_network *network, size_t node) {
    return crd_network_node_kind(network, node) != CRD_NODE_UTILITY;
}

/* Adds every node on its own, to include nodes without arcs, and every arc. */
static void structure_option_add_arrows(string *out, const crd_network *network) {
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        if (!is_column(network, i)) continue;
        if (out->length > 0) string_add_char(out, ',');
        structure_option_add_quoted(out, crd_network_node_name(network, i));
        for (size_t p = 0; p < crd_network_parent_count(network, i); p++) {
            string_add_char(out, ',');
            structure_option_add_quoted(out, crd_network_node_name(network, crd_network_parent(network, i, p)));
            string_add(out, "->", 2);
            structure_option_add_quoted(out, crd_network_node_name(network, i));
        }
    }
}

static int load_network(const invocation *call, structure *source_structure) {
    crd_error error;
    crd_file_kind kind = CRD_FILE_ROWS;
    const char *path = source_structure->typed;
    if (crd_file_detect(call->context, path, &kind, &error) != CRD_OK) return message_error_in(&error, path);
    if (kind != CRD_FILE_NETWORK) return message_failed("%s does not contain a network", path);
    if (crd_network_load(call->context, path, CRD_NETWORK_FORMAT_ANY, &source_structure->network, &error) != CRD_OK)
        return message_error_in_network(&error);
    structure_option_add_arrows(&source_structure->text, source_structure->network);
    return ENDED_WELL;
}

/* Reads the structure. Several texts of --arcs form one list. */
static int structure_option_read_values(const invocation *call, structure *source_structure) {
    const char *name = source_structure->is_searched ? "search" : "arcs";
    size_t index = 0;
    if ((source_structure->typed = arguments_value(&call->arguments, "arcs-from")) != NULL)
        return load_network(call, source_structure);
    for (const char *value; (value = arguments_next(&call->arguments, name, &index)) != NULL;) {
        if (source_structure->typed == NULL || source_structure->is_searched) string_clear(&source_structure->text);
        else string_add_char(&source_structure->text, ',');
        source_structure->typed = value;
        string_add(&source_structure->text, value, strlen(value));
    }
    return ENDED_WELL;
}

/* Returns the search with this index: a form of the setting that begins with a word. Returns NULL after the last. */
static const crd_setting_form *search_at(size_t index) {
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const crd_setting *setting = crd_setting_at(i);
        if (strcmp(setting->name, "search") != 0) continue;
        /* The first form is none. */
        return index + 1 < setting->form_count ? &setting->forms[index + 1] : NULL;
    }
    return NULL;
}

/* Returns whether a text is the value of a search. */
static bool is_search(const char *text) {
    const crd_setting_form *form;
    for (size_t i = 0; (form = search_at(i)) != NULL; i++) {
        size_t length = strlen(form->word);
        bool has_argument = form->type != CRD_SETTING_ARGUMENT_NONE;
        if (strncmp(text, form->word, length) == 0 && text[length] == (has_argument ? ':' : '\0')) return true;
    }
    return false;
}

/* Returns whether a text consists of the initials of a name's words, such as hc for hill-climb. */
static bool are_initials(crd_text text, const char *name) {
    size_t count = 0;
    for (const char *cursor = name; *cursor != '\0'; cursor++) {
        if (cursor > name && cursor[-1] != '-') continue;
        if (count == text.length || text.bytes[count] != *cursor) return false;
        count++;
    }
    return count == text.length && count > 1;
}

/* Reports an unknown search, lists the searches, and names the most similar one. */
static int refuse_search(const structure *source_structure, const crd_error *error) {
    const crd_text typed = {string_text(&source_structure->text), source_structure->text.length};
    const crd_setting_form *form;
    string near = {0};
    size_t near_count = 0;
    const char *initials = NULL;
    for (size_t i = 0; (form = search_at(i)) != NULL; i++) {
        if (are_initials(typed, form->word)) initials = form->word;
        if (form->type == CRD_SETTING_ARGUMENT_NONE) list_add_near(&near, &near_count, typed, crd_text_of(form->word));
    }
    int ended = message_usage("--search: %s", error->message);
    if (strstr(source_structure->typed, "->") != NULL) message_hint("to specify arcs, use --arcs");
    else if (initials != NULL) message_hint("did you mean %s?", initials);
    else if (near.length > 0) message_hint("did you mean %s?", string_text(&near));
    string_free(&near);
    return ended;
}

/* Converts the text to the canonical form of the setting. */
static int make_canonical(const invocation *call, structure *source_structure) {
    const char *name = source_structure->is_searched ? "search" : "arcs";
    crd_settings *settings = NULL;
    crd_error error;
    crd_text text = {string_text(&source_structure->text), source_structure->text.length};
    int ended = ENDED_WELL;
    if (crd_settings_create(call->context, &settings, &error) != CRD_OK) return message_error(&error);
    if (crd_settings_set(settings, name, text, &error) != CRD_OK) {
        if (source_structure->is_searched) ended = refuse_search(source_structure, &error);
        else if (source_structure->network == NULL) ended = message_usage("--arcs: %s", error.message);
        else ended = message_error_in(&error, source_structure->typed);
    } else {
        const char *canonical = crd_settings_get(settings, name);
        string_clear(&source_structure->text);
        string_add(&source_structure->text, canonical, strlen(canonical));
    }
    crd_settings_destroy(settings);
    return ended;
}

/* Replaces all options --arcs and --arcs-from by a single --arcs with this text. */
static void replace_option(arguments *words, const char *text) {
    size_t kept = 0;
    for (size_t i = 0; i < words->option_count; i++)
        if (strcmp(words->options[i].name, "arcs") != 0 && strcmp(words->options[i].name, "arcs-from") != 0)
            words->options[kept++] = words->options[i];
    words->options[kept++] = (given_option){"arcs", text};
    words->option_count = kept;
}

/* Makes `network` the method, because a search learns a network. Other methods are rejected. */
static int choose_method(arguments *words) {
    const char *method = arguments_value(words, "method");
    if (method == NULL) {
        words->options = memory_resize(words->options, words->option_count + 1, sizeof *words->options);
        words->options[words->option_count++] = (given_option){"method", "network"};
        return ENDED_WELL;
    }
    if (strcmp(method, "network") == 0) return ENDED_WELL;
    if (method_is_network(method)) return message_usage("--method %s learns its own arcs: remove --search", method);
    return message_usage("--search needs --method network, which counts the tables of the nodes");
}

/* Rejects settings of other searches, which would have no effect. */
static int check_settings_of_search(const arguments *words, const char *search) {
    static const struct {
        const char *setting, *searches;
    } uses[] = {{"score", "hill-climb, tabu, exact"},
                {"ci-test", "pc"},
                {"alpha", "pc"},
                {"max-conditioning", "pc"},
                {"restarts", "hill-climb, tabu"}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (arguments_have(words, uses[i].setting) && strstr(uses[i].searches, search) == NULL)
            return message_usage("--%s has no effect on --search %s: it is for %s", uses[i].setting, search,
                                 uses[i].searches);
    return ENDED_WELL;
}

int structure_read(invocation *call) {
    const char *search = arguments_value(&call->arguments, "search");
    const bool is_searched = search != NULL && strcmp(search, "none") != 0;
    const bool has_arcs = arguments_have(&call->arguments, "arcs") || arguments_have(&call->arguments, "arcs-from");
    if (!has_arcs && !is_searched) return ENDED_WELL;
    if (has_arcs && is_searched)
        return message_usage("--search and --arcs cannot be combined: a search learns the arcs");
    structure *source_structure = call->structure = memory_resize(NULL, 1, sizeof *source_structure);
    *source_structure = (structure){.is_searched = is_searched};
    int ended = structure_option_read_values(call, source_structure);
    if (ended == ENDED_WELL) ended = make_canonical(call, source_structure);
    if (ended != ENDED_WELL) return ended;
    if (is_searched) {
        ended = check_settings_of_search(&call->arguments, string_text(&source_structure->text));
        return ended == ENDED_WELL ? choose_method(&call->arguments) : ended;
    }
    replace_option(&call->arguments, string_text(&source_structure->text));
    if (strcmp(string_text(&source_structure->text), "none") != 0) structure_option_take_names(source_structure);
    return ENDED_WELL;
}

/* ---- Cells ---- */

static bool structure_option_is_any_state(const crd_network *network, crd_text text) {
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        for (size_t s = 0; is_column(network, i) && s < crd_network_state_count(network, i); s++) {
            crd_text state = crd_network_state(network, i, s);
            if (state.length == text.length && strncasecmp(state.bytes, text.bytes, text.length) == 0) return true;
        }
    }
    return false;
}

bool structure_needs_no_target(const invocation *call) {
    const structure *source_structure = call->structure;
    if (source_structure == NULL) return false;
    const char *text = string_text(&source_structure->text);
    bool is_of_target = strcmp(text, "tan") == 0 || strncmp(text, "kdb:", 4) == 0;
    return source_structure->count > 0 || (source_structure->is_searched && !is_of_target);
}

bool structure_missing_texts(const invocation *call, list *out) {
    size_t count = 0;
    const crd_text *usual = crd_schema_usual_missing(&count);
    if (call->structure == NULL || call->structure->network == NULL) return false;
    *out = (list){.items = memory_resize(NULL, count, sizeof *out->items)};
    for (size_t i = 0; i < count; i++)
        if (!structure_option_is_any_state(call->structure->network, usual[i])) out->items[out->count++] = usual[i];
    if (out->count < count) return true;
    list_free(out);
    return false;
}

/* ---- Columns ---- */

/* Prints a hint if the text of --arcs is a search, or may have been intended as a file name. */
static void hint_at_other_option(const structure *source_structure) {
    if (source_structure->network != NULL || strstr(source_structure->typed, "->") != NULL ||
        strstr(source_structure->typed, "<-") != NULL)
        return;
    if (is_search(source_structure->typed)) message_hint("to learn the arcs, use --search %s", source_structure->typed);
    else if (crd_i_os_exists(source_structure->typed))
        message_hint("to use the arcs of a network file, use --arcs-from %s", source_structure->typed);
}

/* Returns the first absent name that is similar to an existing name, or else the first absent name. */
static size_t structure_option_misspelled(const crd_text *absent, size_t count, const crd_text *names,
                                          size_t name_count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < name_count; j++)
            if (list_near(absent[i], names[j])) return i;
    return 0;
}

/* Reports nodes that have no column, with hints: similar names, and how to add the columns. */
static int refuse_absent(const structure *source_structure, const crd_reader *reader, const crd_text *absent,
                         size_t count) {
    size_t columns = crd_reader_column_count(reader);
    crd_text *names = memory_resize(NULL, columns, sizeof *names);
    for (size_t i = 0; i < columns; i++) names[i] = crd_reader_column_name(reader, i);
    size_t first = structure_option_misspelled(absent, count, names, columns), listed = 0;
    int ended = message_no_such("arcs", "column", absent[first], names, columns);
    free(names);
    string others = {0};
    for (size_t i = 0; i < count; i++)
        if (i != first) string_add_listed(&others, listed++, absent[i]);
    if (count > 1) message_hint("these nodes have no column either: %s", string_text(&others));
    string shown = {0};
    string_add_shown(&shown, absent[first]);
    size_t node =
        source_structure->network == NULL ? SIZE_MAX : crd_network_find(source_structure->network, absent[first]);
    message_hint("every node must be a column, or hidden with its number of states: --latent-nodes %s:%zu",
                 string_text(&shown), node == SIZE_MAX ? 2 : crd_network_state_count(source_structure->network, node));
    string_free(&shown);
    hint_at_other_option(source_structure);
    string_free(&others);
    return ended;
}

/* Returns whether --latent-nodes NAME:K,... names the node. */
static bool structure_option_is_hidden(const invocation *call, crd_text name) {
    const char *cursor = arguments_value(&call->arguments, "latent-nodes");
    string item = {0};
    bool is_found = false;
    while (cursor != NULL && *cursor != '\0' && !is_found) {
        string_clear(&item);
        while (*cursor == ' ') cursor++;
        cursor = structure_option_take_name(cursor, &item);
        size_t end = item.length;
        while (end > 0 && item.bytes[end - 1] != ':') end--;
        const crd_text node = {string_text(&item), end > 0 ? end - 1 : item.length};
        is_found = crd_text_equal(node, name);
        while (*cursor != '\0' && *cursor != ',') cursor++;
        if (*cursor == ',') cursor++;
    }
    string_free(&item);
    return is_found;
}

static int structure_option_check_columns(const invocation *call, const structure *source_structure,
                                          const crd_reader *reader) {
    crd_text *absent = memory_resize(NULL, source_structure->count, sizeof *absent);
    crd_text *columns = memory_resize(NULL, crd_reader_column_count(reader), sizeof *columns);
    size_t count = 0, column_count = crd_reader_column_count(reader);
    for (size_t i = 0; i < column_count; i++) columns[i] = crd_reader_column_name(reader, i);
    if (column_count > 0) qsort(columns, column_count, sizeof *columns, structure_option_compare_names);
    for (size_t i = 0; i < source_structure->count; i++) {
        bool is_there = column_count > 0 && bsearch(&source_structure->names[i], columns, column_count, sizeof *columns,
                                                    structure_option_compare_names) != NULL;
        if (!is_there && !structure_option_is_hidden(call, source_structure->names[i]))
            absent[count++] = source_structure->names[i];
    }
    int ended = count == 0 ? ENDED_WELL : refuse_absent(source_structure, reader, absent, count);
    free(columns);
    free(absent);
    return ended;
}

static crd_status declare_states(const structure *source_structure, crd_reader *reader, size_t column,
                                 crd_error *error) {
    size_t node = crd_network_find(source_structure->network, crd_reader_column_name(reader, column));
    crd_status status = CRD_OK;
    for (size_t s = 0; status == CRD_OK && s < crd_network_state_count(source_structure->network, node); s++)
        status = crd_reader_declare(reader, column, crd_network_state(source_structure->network, node, s), error);
    return status == CRD_OK ? crd_reader_keep_order(reader, column, error) : status;
}

bool structure_needs_profile(const invocation *call) {
    const structure *source_structure = call->structure;
    return source_structure != NULL && source_structure->network == NULL && structure_needs_no_target(call);
}

bool structure_is_searched(const invocation *call) {
    return call->structure != NULL && call->structure->is_searched;
}

/* Creates settings that contain only the structure. */
static crd_status structure_option_make_settings(const invocation *call, crd_settings **out, crd_error *error) {
    const crd_text text = {string_text(&call->structure->text), call->structure->text.length};
    crd_status status = crd_settings_create(call->context, out, error);
    return status == CRD_OK ? crd_settings_set(*out, call->structure->is_searched ? "search" : "arcs", text, error)
                            : status;
}

int structure_check_shard(const invocation *call, const crd_reader *reader) {
    crd_settings *settings = NULL;
    crd_error error;
    crd_status status = structure_option_make_settings(call, &settings, &error);
    if (status == CRD_OK) status = crd_structure_check_shard(settings, reader, &error);
    crd_settings_destroy(settings);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* Determines the types of the profile's columns as nodes, by their index in it. Returns NULL after reporting a
 * failure. */
static crd_column_type *structure_option_find_types(const invocation *call, const crd_reader *reader,
                                                    const crd_profile *profile) {
    const char *target = arguments_value(&call->arguments, "target");
    size_t *selected = memory_resize(NULL, crd_reader_column_count(reader), sizeof *selected), count = 0;
    crd_column_type *types = memory_resize(NULL, crd_profile_column_count(profile), sizeof *types);
    crd_settings *settings = NULL;
    crd_text name = {NULL, 0};
    crd_error error;
    if (target != NULL && crd_reader_select(reader, crd_text_of(target), selected, &count, &error) == CRD_OK &&
        count == 1)
        name = crd_reader_column_name(reader, selected[0]);
    crd_status status = structure_option_make_settings(call, &settings, &error);
    if (status == CRD_OK) status = crd_structure_column_types(settings, profile, name, types, &error);
    crd_settings_destroy(settings);
    free(selected);
    if (status == CRD_OK) return types;
    message_error(&error);
    free(types);
    return NULL;
}

/* Returns the type of the column called `name`. NONE: the type follows from its values, or the profile has no such
 * column. */
static crd_column_type structure_option_type(const crd_profile *profile, const crd_column_type *types, crd_text name) {
    for (size_t i = 0; i < crd_profile_column_count(profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(profile, i, &facts);
        if (crd_text_equal(facts.name, name)) return types[i];
    }
    return CRD_TYPE_NONE;
}

/* Returns whether a schema has made the column categorical, for example by intervals. */
static bool structure_option_is_settled(const crd_schema *schema, crd_text name) {
    for (size_t i = 0; schema != NULL && i < crd_schema_column_count(schema); i++)
        if (crd_text_equal(crd_schema_column_name(schema, i), name))
            return crd_schema_column_type(schema, i) == CRD_TYPE_CATEGORICAL;
    return false;
}

/* Sets the type of a column that is a node. `types` belongs to the profile. Both are NULL if the rows cannot be read
 * twice; then the type follows from the values. */
static crd_status structure_option_choose_type(const structure *source_structure, crd_reader *reader,
                                               const crd_profile *profile, const crd_column_type *types, size_t column,
                                               crd_error *error) {
    crd_text name = crd_reader_column_name(reader, column);
    if (source_structure->network == NULL && profile == NULL) return CRD_OK;
    const crd_column_type type =
        source_structure->network == NULL ? structure_option_type(profile, types, name) : CRD_TYPE_NONE;
    bool is_number = type == CRD_TYPE_NUMERIC;
    if (source_structure->network == NULL && type == CRD_TYPE_NONE) return CRD_OK;
    if (source_structure->network != NULL) {
        is_number = crd_network_node_kind(source_structure->network,
                                          crd_network_find(source_structure->network, name)) == CRD_NODE_GAUSSIAN;
        if (!is_number) return declare_states(source_structure, reader, column, error);
    }
    return crd_reader_set_column_type(reader, column, is_number ? CRD_TYPE_NUMERIC : CRD_TYPE_CATEGORICAL, error);
}

/* Returns whether options determine the type or the role of a column. */
static bool is_decided(const invocation *call, const crd_reader *reader, crd_text column) {
    static const char *const options[] = {"target", "weight", "numeric", "categorical", "text", "ignore"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (column_is_named_by(call, options[i], reader, column)) return true;
    return arguments_have(&call->arguments, "only") && !column_is_named_by(call, "only", reader, column);
}

/* Sets the column types for a search, which uses all columns as nodes. Columns with few distinct integers are codes, as
 * for given arcs. */
static int choose_types_of_search(const invocation *call, crd_reader *reader, const crd_profile *profile,
                                  const crd_schema *schema) {
    structure *source_structure = call->structure;
    string codes = {0};
    crd_error error;
    size_t count = 0, column_count = crd_reader_column_count(reader);
    crd_column_type *types = structure_option_find_types(call, reader, profile);
    int ended = types == NULL ? ENDED_FAILED : ENDED_WELL;
    for (size_t i = 0; ended == ENDED_WELL && i < crd_profile_column_count(profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(profile, i, &facts);
        size_t column = 0;
        while (column < column_count && !crd_text_equal(crd_reader_column_name(reader, column), facts.name)) column++;
        if (types[i] != CRD_TYPE_CATEGORICAL || column == column_count ||
            structure_option_is_settled(schema, facts.name))
            continue;
        if (is_decided(call, reader, facts.name)) continue;
        if (crd_reader_set_column_type(reader, column, CRD_TYPE_CATEGORICAL, &error) != CRD_OK)
            ended = message_error(&error);
        string_add_listed(&codes, count++, facts.name);
    }
    if (count > 0 && !source_structure->has_told)
        message_note(
            "columns with few distinct integers are treated as categories; use --numeric to make them numeric: %s",
            string_text(&codes));
    source_structure->has_told = true;
    string_free(&codes);
    free(types);
    return ended;
}

int structure_choose_types(const invocation *call, crd_reader *reader, const crd_profile *profile,
                           const crd_schema *schema) {
    const structure *source_structure = call->structure;
    crd_error error;
    if (source_structure != NULL && source_structure->is_searched && profile != NULL &&
        !arguments_have(&call->arguments, "schema"))
        return choose_types_of_search(call, reader, profile, schema);
    if (source_structure == NULL || source_structure->count == 0) return ENDED_WELL;
    const char *method = arguments_value(&call->arguments, "method");
    if (method == NULL || !method_is_network(method))
        return message_usage("--arcs needs --method network, which counts the tables of the nodes");
    int ended = structure_option_check_columns(call, source_structure, reader);
    if (ended != ENDED_WELL) return ended;
    bool has_schema = arguments_have(&call->arguments, "schema");
    crd_column_type *types = source_structure->network == NULL && profile != NULL
                                 ? structure_option_find_types(call, reader, profile)
                                 : NULL;
    if (types == NULL && source_structure->network == NULL && profile != NULL) return ENDED_FAILED;
    for (size_t i = 0; ended == ENDED_WELL && i < crd_reader_column_count(reader); i++) {
        if (!structure_option_has_name(source_structure, crd_reader_column_name(reader, i))) continue;
        if (source_structure->network == NULL &&
            (has_schema || structure_option_is_settled(schema, crd_reader_column_name(reader, i))))
            continue;
        if (structure_option_choose_type(source_structure, reader, profile, types, i, &error) != CRD_OK)
            ended = message_error(&error);
    }
    free(types);
    return ended;
}

/* Checks that the target, if there is one, is a node. */
static int structure_option_check_target(const structure *source_structure, crd_text target) {
    string shown = {0};
    if (target.length == 0 || structure_option_has_name(source_structure, target)) return ENDED_WELL;
    string_add_shown(&shown, target);
    int ended = message_failed("the target '%s' is not in the structure: add it, in arcs or as a single node",
                               string_text(&shown));
    string_free(&shown);
    return ended;
}

int structure_choose_columns(const invocation *call, crd_reader *reader, crd_text target) {
    structure *source_structure = call->structure;
    crd_error error;
    string others = {0};
    size_t count = 0;
    if (source_structure == NULL || source_structure->count == 0) return ENDED_WELL;
    int ended = structure_option_check_target(source_structure, target);
    crd_text weight = crd_reader_weight(reader);
    for (size_t i = 0; ended == ENDED_WELL && i < crd_reader_column_count(reader); i++) {
        crd_text name = crd_reader_column_name(reader, i);
        if (structure_option_has_name(source_structure, name) || (weight.bytes != NULL && crd_text_equal(name, weight)))
            continue;
        string_add_listed(&others, count++, name);
        if (crd_reader_ignore(reader, i, &error) != CRD_OK) ended = message_error(&error);
    }
    if (ended == ENDED_WELL && count > 0 && !source_structure->has_told)
        message_note("ignored columns that are not in the structure: %s", string_text(&others));
    source_structure->has_told = true;
    string_free(&others);
    return ended;
}

/* ---- Values ---- */

static void warn_of_value(const structure *source_structure, crd_text column, crd_text value) {
    string name = {0}, shown = {0};
    string_add_shown(&name, column);
    string_add_shown(&shown, value);
    message_warning("'%s' has the value '%s', which %s does not contain: it was added as a state", string_text(&name),
                    string_text(&shown), source_structure->typed);
    string_free(&name);
    string_free(&shown);
}

static bool is_state(const structure *source_structure, crd_text column, crd_text value) {
    size_t node = crd_network_find(source_structure->network, column);
    return node == SIZE_MAX || crd_network_find_state(source_structure->network, node, value) != SIZE_MAX;
}

void structure_warn_of_values(const invocation *call, const crd_model *model) {
    enum { MOST_NAMED = 10 };
    const structure *source_structure = call->structure;
    crd_summary *summary = NULL;
    size_t value_count = 0;
    if (source_structure == NULL || source_structure->network == NULL ||
        crd_summary_create(model, &summary, NULL) != CRD_OK)
        return;
    size_t attributes = summary->attribute_count;
    size_t columns = attributes + (summary->target.bytes != NULL);
    for (size_t a = 0; a < columns; a++) {
        bool is_target = a == attributes;
        crd_text column = is_target ? summary->target : summary->attributes[a].name;
        size_t values = is_target ? summary->class_count : summary->attributes[a].value_count;
        for (size_t v = 0; v < values; v++) {
            crd_text value = is_target ? summary->classes[v].name : crd_summary_value(summary, a, v);
            if (!is_state(source_structure, column, value) && value_count++ < MOST_NAMED)
                warn_of_value(source_structure, column, value);
        }
    }
    if (value_count > MOST_NAMED) message_warning("%zu more values were added", value_count - MOST_NAMED);
    crd_summary_destroy(summary);
}
