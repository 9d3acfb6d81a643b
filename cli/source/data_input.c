/* SPDX-License-Identifier: MIT */
/* data_input.c - see data_input.h. */
#include "source/data_input.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/progress.h"
#include "core/verb.h"
#include "source/discretize_option.h"
#include "source/document_operand.h"
#include "source/header_options.h"
#include "source/input_file.h"
#include "source/sequence_options.h"
#include "source/structure_option.h"

#include <stdlib.h>
#include <string.h>

/* Reads --missing: texts that mean missing in addition to the usual texts. From a value with a leading '=' on, they
 * replace all others. */
static int data_input_read_missing(const invocation *call, list *out, crd_missing_rule *rule) {
    string all = {0};
    size_t index = 0;
    *rule = CRD_MISSING_ADDED;
    for (const char *value; (value = arguments_next(&call->arguments, "missing", &index)) != NULL;) {
        bool replaces = value[0] == '=';
        if (all.bytes != NULL) string_add_char(&all, ',');
        if (replaces) string_clear(&all);
        if (replaces) *rule = CRD_MISSING_ONLY;
        string_add(&all, value + replaces, strlen(value) - replaces);
    }
    bool fine = list_split(string_text(&all), out);
    string_free(&all);
    return fine ? ENDED_WELL : message_usage("--missing: a quote is not closed");
}

int data_missing_texts(const invocation *call, const crd_summary *summary, missing_texts *out) {
    *out = (missing_texts){.summary = summary};
    if (!arguments_have(&call->arguments, "missing")) return ENDED_WELL;
    crd_missing_rule rule;
    int ended = data_input_read_missing(call, &out->listed, &rule);
    if (rule == CRD_MISSING_ONLY) out->summary = NULL;
    return ended;
}

bool data_means_missing(const missing_texts *texts, crd_text text) {
    return list_has(&texts->listed, text) || (texts->summary != NULL && crd_summary_is_missing(texts->summary, text));
}

/* Chooses the texts that mean missing in files. In tagged text, whose first column contains words, `?` and `None` are
 * tokens. Only empty values are missing there, unless a model or --missing specifies others. */
static int choose_missing(const invocation *call, const crd_model *model, list *out, crd_reader_options *options) {
    static const crd_text empty = {"", 0};
    list usual = {0};
    bool is_given = arguments_have(&call->arguments, "missing");
    if (!is_given && model == NULL && sequence_options_are_blank(call, NULL) &&
        !arguments_have(&call->arguments, "schema")) {
        options->missing = &empty;
        options->missing_count = 1;
        return ENDED_WELL;
    }
    int ended = is_given ? data_input_read_missing(call, out, &options->missing_rule) : ENDED_WELL;
    if (ended != ENDED_WELL) return ended;
    bool adds = !is_given || options->missing_rule == CRD_MISSING_ADDED;
    if (adds && structure_missing_texts(call, &usual)) {
        out->items = memory_resize(out->items, out->count + usual.count, sizeof *out->items);
        for (size_t i = 0; i < usual.count; i++) out->items[out->count++] = usual.items[i];
        options->missing_rule = CRD_MISSING_ANY_CASE;
        is_given = true;
        list_free(&usual);
    }
    options->missing = is_given ? out->items : NULL;
    options->missing_count = out->count;
    return ENDED_WELL;
}

/* Larger values are probably mistakes, and no machine benefits from them. */
enum { MOST_THREADS = 256, MOST_SHARDS = 1000000 };

/* Reads an option whose value is an integer. Sets *out to 0 if the option is not given. */
static int data_input_read_count(const invocation *call, const char *name, double least, double most, double *out) {
    const char *value = arguments_value(&call->arguments, name);
    *out = 0;
    if (value == NULL) return ENDED_WELL;
    double number = 0;
    crd_number_class class = crd_number_parse(crd_text_of(value), &number);
    if (class == CRD_NUMBER_FINITE && number >= least && number <= most && number == (double)(uint64_t)number) {
        *out = number;
        return ENDED_WELL;
    }
    return message_usage("--%s: expected an integer from %.0f to %.0f, got '%s'", name, least, most, value);
}

/* Reads --shard I/N. If there are several processes, each process gets its own part. */
static int read_shard(const invocation *call, crd_reader_options *options) {
    const char *value = arguments_value(&call->arguments, "shard");
    const char *slash = value == NULL ? NULL : strchr(value, '/');
    double parts[2] = {0, 0};
    if (call->communicator != NULL && call->communicator->count > 1) {
        if (value != NULL)
            return message_usage("--shard needs one process: several processes already read a part of the rows each");
        options->shard = call->has_all_rows ? 0 : call->communicator->rank + 1;
        options->shard_count = call->has_all_rows ? 0 : call->communicator->count;
        /* Rows must also be in order if bad rows are skipped and listed. */
        options->in_order = call->verb->is_in_order || arguments_have(&call->arguments, "bad-rows");
    }
    /* A part that has an id may be empty, like one of several shards. */
    if (options->shard_count == 0 && arguments_have(&call->arguments, "part") && !sequence_options_are_given(call))
        options->shard = options->shard_count = 1;
    if (value == NULL) return ENDED_WELL;
    if (slash != NULL) {
        crd_text texts[] = {{value, (size_t)(slash - value)}, crd_text_of(slash + 1)};
        for (size_t i = 0; i < 2; i++) {
            if (crd_number_parse(texts[i], &parts[i]) != CRD_NUMBER_FINITE) parts[i] = 0;
        }
    }
    bool fits = parts[0] >= 1 && parts[0] <= parts[1] && parts[1] <= MOST_SHARDS;
    if (!fits || parts[0] != (double)(unsigned)parts[0] || parts[1] != (double)(unsigned)parts[1]) {
        return message_usage("--shard: expected I/N, such as 1/8, with I from 1 to N and N up to %d, got '%s'",
                             (int)MOST_SHARDS, value);
    }
    options->shard = (unsigned)parts[0];
    options->shard_count = (unsigned)parts[1];
    return ENDED_WELL;
}

/* Reads an option whose value is a single byte. \t or "tab" means a tab, which is hard to type in a shell. */
static int read_byte(const char *name, const char *value, char *out) {
    *out = strcmp(value, "\\t") == 0 || strcmp(value, "tab") == 0 ? '\t' : value[0];
    if (*out == '\t' || (value[0] != '\0' && value[1] == '\0' && value[0] != '\n' && value[0] != '\r'))
        return ENDED_WELL;
    bool is_wide = (value[0] & 0x80) != 0;
    return message_usage("--%s: expected one character%s, got '%s'", name, is_wide ? " of ASCII" : "", value);
}

static int read_dialect(const invocation *call, crd_reader_options *options) {
    const char *separator = arguments_value(&call->arguments, "separator"),
               *quote = arguments_value(&call->arguments, "quote");
    int ended = ENDED_WELL;
    if (separator != NULL) {
        options->separator = CRD_SEPARATOR_OTHER;
        ended = read_byte("separator", separator, &options->separator_byte);
    }
    options->no_quotes = quote != NULL && strcmp(quote, "none") == 0;
    if (ended == ENDED_WELL && quote != NULL && !options->no_quotes) ended = read_byte("quote", quote, &options->quote);
    return ended;
}

/* Sets the defaults for sequences that end at empty lines: one token per line, with its tags. A quote is a token there,
 * unless an option specifies otherwise. */
static void expect_tagged_text(const invocation *call, crd_reader_options *options) {
    if (!arguments_have(&call->arguments, "quote")) options->no_quotes = 1;
    options->tagged_text = 1;
}

/* Reads the options that describe the file format, the limits and the number of threads. */
static int data_input_read_options(const invocation *call, crd_reader_options *options) {
    size_t input = 0, decimal = 0;
    int ended = header_options_read(call, options);
    if (ended != ENDED_WELL) return ended;
    ended = arguments_choice(&call->arguments, "input", "comma|semicolon|tab|whitespace|pipe|arff|jsonl|json|lines",
                             &input);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(&call->arguments, "input")) {
        static const crd_format formats[] = {CRD_FORMAT_ARFF, CRD_FORMAT_JSON_LINES, CRD_FORMAT_JSON};
        enum { SEPARATORS = 5 };
        if (input < SEPARATORS) options->separator = (crd_separator)(CRD_SEPARATOR_COMMA + input);
        else if (input - SEPARATORS < sizeof formats / sizeof *formats) options->format = formats[input - SEPARATORS];
    }
    ended = read_dialect(call, options);
    if (ended == ENDED_WELL) ended = arguments_choice(&call->arguments, "decimal", ".|,", &decimal);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(&call->arguments, "decimal")) options->decimal = decimal == 0 ? '.' : ',';
    double most = 0, threads = 0;
    ended = data_input_read_count(call, "max-categories", 1, 4e9, &most);
    if (ended == ENDED_WELL) ended = data_input_read_count(call, "threads", 0, MOST_THREADS, &threads);
    options->max_categories = (size_t)most;
    options->threads = (unsigned)threads;
    options->encoding = arguments_value(&call->arguments, "encoding");
    options->strict = arguments_have(&call->arguments, "strict");
    options->no_multiline_fields = arguments_have(&call->arguments, "no-multiline-fields");
    return ended == ENDED_WELL ? read_shard(call, options) : ended;
}

/* Rejects network files, which would be read as a table with one column. Options that describe the row format disable
 * this check. */
static int check_no_networks(const invocation *call, const char *const *paths, size_t count) {
    if (arguments_have(&call->arguments, "input") || arguments_have(&call->arguments, "separator") ||
        arguments_have(&call->arguments, "skip-lines"))
        return ENDED_WELL;
    for (size_t i = 0; i < count; i++) {
        /* The reader can reuse input that was already inspected only for its first path. */
        if (i > 0 && input_file_reads_once(paths[i])) continue;
        if (input_file_kind(call, paths[i]) != CRD_FILE_NETWORK) continue;
        message_failed("%s: this is a network, not a table", input_file_name(paths[i]));
        message_hint("to draw rows from it, run credence sample %s --rows 1000", paths[i]);
        return ENDED_FAILED;
    }
    return ENDED_WELL;
}

/* Sets, before files are opened, whether files have a header and how quotes in texts are read, if the schema or the
 * model determines it. */
static int data_input_read_header(const invocation *call, const crd_model *model, data *d,
                                  crd_reader_options *options) {
    const char *path = arguments_value(&call->arguments, "schema");
    crd_error error;
    if (path != NULL && model == NULL && crd_schema_load(call->context, path, &d->schema, &error) != CRD_OK) {
        return message_error(&error);
    }
    bool has_none =
        d->schema != NULL ? !crd_schema_has_header(d->schema) : model != NULL && !crd_model_has_header(model);
    if (has_none && options->header == CRD_CHOICE_AUTO && options->header_line == 0) options->header = CRD_CHOICE_NO;
    options->literal_quotes_between_tabs = model != NULL && crd_model_has_literal_quotes(model);
    return ENDED_WELL;
}

int data_open(const invocation *call, const char *const *paths, size_t count, bool keep_text, data *out) {
    return data_open_for(call, NULL, paths, count, keep_text, out);
}

/* Opens a reader on the paths. On failure everything is closed. */
int data_open_for(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                  bool keep_text, data *out) {
    *out = (data){.paths = paths, .path_count = count, .keeps_text = keep_text};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.keep_text = keep_text;
    options.prompt = model != NULL && count > 0 && input_file_reads_once(paths[0]);
    int ended = data_input_read_options(call, &options);
    if (sequence_options_are_blank(call, model)) expect_tagged_text(call, &options);
    if (ended == ENDED_WELL) ended = data_input_read_header(call, model, out, &options);
    if (ended == ENDED_WELL) ended = check_no_networks(call, paths, count);
    if (ended == ENDED_WELL) ended = bad_row_list_open(call, paths, count, &options, &out->bad);
    if (ended != ENDED_WELL) {
        data_close(out);
        return ended;
    }
    ended = choose_missing(call, model, &out->missing, &options);
    if (ended != ENDED_WELL) {
        data_close(out);
        return ended;
    }
    if (strcmp(paths[0], call->arguments.operands[0]) == 0) options.input = call->files->input;
    progress_begin(&options);
    crd_error error;
    const bool is_operand = document_operand_option(call, paths[0]) != NULL;
    if (is_operand || document_lines_are_asked(call)) {
        ended = is_operand ? document_operand_open(call, paths, count, model, &options, &out->reader)
                           : document_lines_open(call, paths, count, model, &options, &out->reader);
        if (ended != ENDED_WELL) data_close(out);
        return ended;
    }
    selector_list selectors = header_options_selectors(call);
    options.selectors = selectors.items;
    options.selector_count = selectors.count;
    const crd_status status = crd_reader_open(call->context, paths, count, &options, &out->reader, &error);
    selector_list_free(&selectors);
    if (status != CRD_OK) {
        data_close(out);
        return message_error(&error);
    }
    return ENDED_WELL;
}

void data_close(data *d) {
    crd_reader_close(d->reader);
    bad_row_list_close(d->bad);
    d->bad = NULL;
    crd_schema_destroy(d->schema);
    progress_erase();
    list_free(&d->missing);
    string_free(&d->target);
    d->reader = NULL;
    d->schema = NULL;
}

static void hint_at_columns(const crd_reader *reader) {
    string names = {0};
    for (size_t i = 0; i < crd_reader_column_count(reader); i++) {
        string_add_listed(&names, i, crd_reader_column_name(reader, i));
    }
    message_hint("the columns are %s", string_text(&names));
    string_free(&names);
}

static void hint_at_near_columns(const crd_reader *reader, crd_text typed) {
    string names = {0};
    size_t count = 0;
    for (size_t i = 0; i < crd_reader_column_count(reader); i++) {
        list_add_near(&names, &count, typed, crd_reader_column_name(reader, i));
    }
    if (names.length > 0) message_hint("did you mean %s?", string_text(&names));
    string_free(&names);
}

static int data_input_select_columns(const data *d, const char *name, crd_text selector, size_t *columns,
                                     size_t *count) {
    crd_error error;
    if (crd_reader_select(d->reader, selector, columns, count, &error) == CRD_OK) return ENDED_WELL;
    if (error.status != CRD_ERROR_COLUMN) return message_error(&error);
    message_failed("--%s: %s", name, error.message);
    message_library_hint(&error);
    hint_at_near_columns(d->reader, selector);
    return ENDED_FAILED;
}

/* Prints a hint if the whole value is the name of a column with a comma. The value needs quotes, which the shell has
 * removed. */
static void hint_at_quotes(const data *d, const char *name, const char *value) {
    for (size_t i = 0; strchr(value, ',') != NULL && i < crd_reader_column_count(d->reader); i++) {
        if (!crd_text_equal(crd_reader_column_name(d->reader, i), crd_text_of(value))) continue;
        string typed = {0};
        list_add_typed(&typed, crd_text_of(value));
        message_hint("put the column %s in quotes, as one item of the list: --%s %s", value, name, string_text(&typed));
        string_free(&typed);
    }
}

/* The column types that options declare; NONE: the column is ignored. */
static const struct {
    const char *option;
    crd_column_type type;
} treatments[] = {{"numeric", CRD_TYPE_NUMERIC},
                  {"categorical", CRD_TYPE_CATEGORICAL},
                  {"text", CRD_TYPE_TEXT},
                  {"ignore", CRD_TYPE_NONE}};
enum { TREATMENTS = sizeof treatments / sizeof treatments[0] };

static const char *option_of_type(crd_column_type type) {
    size_t i = 0;
    while (i + 1 < TREATMENTS && treatments[i].type != type) i++;
    return treatments[i].option;
}

/* Applies an option to a column. `types` contains the types that options have declared so far. */
static int treat_column(const data *d, size_t column, crd_column_type type, crd_column_type *types) {
    crd_error error;
    if (type == CRD_TYPE_NONE) {
        return crd_reader_ignore(d->reader, column, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
    }
    if (types[column] != CRD_TYPE_NONE && types[column] != type) {
        string shown = {0};
        string_add_shown(&shown, crd_reader_column_name(d->reader, column));
        int ended = message_usage("--%s and --%s both contain '%s'", option_of_type(types[column]),
                                  option_of_type(type), string_text(&shown));
        string_free(&shown);
        return ended;
    }
    types[column] = type;
    return crd_reader_set_column_type(d->reader, column, type, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

static int treat_list(const data *d, const char *name, const char *value, crd_column_type type, crd_column_type *types,
                      size_t *columns) {
    list selectors;
    if (!list_split(value, &selectors)) return message_usage("--%s: a quote is not closed", name);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < selectors.count && ended == ENDED_WELL; i++) {
        size_t count = 0;
        ended = data_input_select_columns(d, name, selectors.items[i], columns, &count);
        if (ended == ENDED_FAILED) hint_at_quotes(d, name, value);
        for (size_t j = 0; ended == ENDED_WELL && j < count; j++) ended = treat_column(d, columns[j], type, types);
    }
    list_free(&selectors);
    return ended;
}

/* Reports an unknown column format and lists the valid ones. */
static int refuse_format(crd_text format) {
    string shown = {0};
    string_add_shown(&shown, format);
    message_usage("--column-format: unknown format '%s'", string_text(&shown));
    string_clear(&shown);
    for (size_t i = 0; i < crd_column_format_count(); i++) string_add_listed(&shown, i, crd_column_format_name(i));
    message_hint("the formats are %s", string_text(&shown));
    string_free(&shown);
    return ENDED_USAGE;
}

static bool data_input_is_format(crd_text name) {
    size_t i = 0;
    while (i < crd_column_format_count() && !crd_text_equal(crd_column_format_name(i), name)) i++;
    return i < crd_column_format_count();
}

/* Applies COLS=FORMAT. The last equals sign separates them. */
static int give_format(const data *d, crd_text item, const crd_column_type *types, size_t *columns) {
    crd_text format = {item.bytes + item.length, 0};
    while (format.bytes > item.bytes && format.bytes[-1] != '=') format.bytes--, format.length++;
    if (format.bytes == item.bytes)
        return message_usage("--column-format: expected COLUMNS=FORMAT, as in --column-format price=comma");
    if (!data_input_is_format(format)) return refuse_format(format);
    crd_text selector = {item.bytes, item.length - format.length - 1};
    size_t count = 0;
    crd_error error;
    int ended = data_input_select_columns(d, "column-format", selector, columns, &count);
    for (size_t i = 0; ended == ENDED_WELL && i < count; i++) {
        crd_column_type type = types[columns[i]];
        if (type == CRD_TYPE_CATEGORICAL || type == CRD_TYPE_TEXT) {
            string shown = {0};
            string_add_shown(&shown, crd_reader_column_name(d->reader, columns[i]));
            ended =
                message_usage("--%s and --column-format both contain '%s'", option_of_type(type), string_text(&shown));
            string_free(&shown);
        } else if (crd_reader_set_column_format(d->reader, columns[i], format, &error) != CRD_OK) {
            ended = message_error(&error);
        }
    }
    return ended;
}

static int give_formats(const invocation *call, const data *d, const crd_column_type *types, size_t *columns) {
    size_t index = 0;
    int ended = ENDED_WELL;
    for (const char *value;
         ended == ENDED_WELL && (value = arguments_next(&call->arguments, "column-format", &index)) != NULL;) {
        list items;
        if (!list_split(value, &items)) return message_usage("--column-format: a quote is not closed");
        for (size_t i = 0; i < items.count && ended == ENDED_WELL; i++)
            ended = give_format(d, items.items[i], types, columns);
        list_free(&items);
    }
    return ended;
}

static void remember_target(data *d, crd_text name) {
    string_clear(&d->target);
    string_add(&d->target, name.bytes, name.length);
}

/* Selects the single column that an option names. */
static int select_column(const data *d, const char *name, const char *selector, size_t *columns) {
    size_t count = 0;
    int ended = data_input_select_columns(d, name, crd_text_of(selector), columns, &count);
    if (ended != ENDED_WELL || count == 1) return ended;
    return message_failed("--%s %s matches %zu columns; one is needed", name, selector, count);
}

/* Excludes rows without a target from the detection of column types, unless they are also used for training. */
static int skip_unlabeled(const invocation *call, const data *d) {
    const char *rows = arguments_value(&call->arguments, "unlabeled");
    crd_error error;
    const bool are_learned = (rows != NULL && strcmp(rows, "drop") != 0) || sequence_options_are_given(call) ||
                             call->structure != NULL || d->target.length == 0;
    if (are_learned || !d->skips_unlabeled) return ENDED_WELL;
    return crd_reader_skip_unlabeled(d->reader, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

static int choose_target(data *d, const char *target, size_t *columns) {
    crd_error error;
    int ended = select_column(d, "target", target, columns);
    if (ended != ENDED_WELL) return ended;
    remember_target(d, crd_reader_column_name(d->reader, columns[0]));
    return crd_reader_set_target(d->reader, columns[0], &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

static int data_input_choose_weight(data *d, const char *weight, size_t *columns) {
    crd_error error;
    int ended = select_column(d, "weight", weight, columns);
    if (ended != ENDED_WELL) return ended;
    d->is_weighted = true;
    return crd_reader_set_weight(d->reader, columns[0], &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* Sets another target than the schema's. The name may be a selector of the file's columns, or a name in the schema. */
static int data_input_retarget(data *d, const char *target) {
    crd_error error;
    crd_text name = crd_text_of(target);
    size_t *columns = memory_resize(NULL, crd_reader_column_count(d->reader), sizeof *columns), count = 0;
    if (crd_reader_select(d->reader, name, columns, &count, &error) == CRD_OK && count == 1) {
        name = crd_reader_column_name(d->reader, columns[0]);
    }
    free(columns);
    return crd_schema_set_target(d->schema, name, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

static int apply_schema(const invocation *call, data *d) {
    const char *target = arguments_value(&call->arguments, "target");
    const crd_schema *schema = d->schema;
    crd_error error;
    message_columns_settled_by("the schema has");
    int ended = target == NULL ? ENDED_WELL : data_input_retarget(d, target);
    if (ended == ENDED_WELL && crd_schema_apply(schema, d->reader, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL && crd_schema_target(schema) != SIZE_MAX) {
        remember_target(d, crd_schema_column_name(schema, crd_schema_target(schema)));
    }
    d->is_weighted = crd_schema_weight(schema) != SIZE_MAX;
    return ended == ENDED_WELL ? skip_unlabeled(call, d) : ended;
}

/* Ignores all columns that no --only names, except the target and the weight. */
static int keep_only(const invocation *call, const data *d, const char *target, const char *weight, size_t *columns) {
    size_t count = crd_reader_column_count(d->reader), index = 0;
    bool *kept = memory_resize(NULL, count, sizeof *kept);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < count; i++) kept[i] = false;
    const char *roles[] = {target, weight};
    for (size_t i = 0; i < 2 && ended == ENDED_WELL; i++) {
        if (roles[i] == NULL) continue;
        ended = select_column(d, i == 0 ? "target" : "weight", roles[i], columns);
        if (ended == ENDED_WELL) kept[columns[0]] = true;
    }
    for (const char *value;
         ended == ENDED_WELL && (value = arguments_next(&call->arguments, "only", &index)) != NULL;) {
        list selectors;
        if (!list_split(value, &selectors)) {
            ended = message_usage("--only: a quote is not closed");
            break;
        }
        for (size_t i = 0; i < selectors.count && ended == ENDED_WELL; i++) {
            size_t column_count = 0;
            ended = data_input_select_columns(d, "only", selectors.items[i], columns, &column_count);
            if (ended == ENDED_FAILED) hint_at_quotes(d, "only", value);
            for (size_t k = 0; ended == ENDED_WELL && k < column_count; k++) kept[columns[k]] = true;
        }
        list_free(&selectors);
    }
    crd_error error;
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++)
        if (!kept[i] && crd_reader_ignore(d->reader, i, &error) != CRD_OK) ended = message_error(&error);
    free(kept);
    return ended;
}

/* Checks first that the columns of ids and times exist. If they are missing, the file may have been read in a wrong
 * format, which is more useful to report than later errors. */
static int check_keys(const invocation *call, const data *d, size_t *columns) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    size_t count = 0;
    int ended = sequence_options_read(call, &options);
    if (ended == ENDED_WELL && options.sequence.bytes != NULL)
        ended = data_input_select_columns(d, "sequence", options.sequence, columns, &count);
    if (ended == ENDED_WELL && options.time.bytes != NULL)
        ended = data_input_select_columns(d, "time", options.time, columns, &count);
    return ended;
}

/* Ignores the columns of ids and times, which are not observations. */
static int set_keys_aside(const invocation *call, const data *d, size_t *columns) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_error error;
    int ended = sequence_options_read(call, &options);
    const crd_text keys[] = {options.sequence, options.time};
    for (size_t i = 0; i < 2 && ended == ENDED_WELL; i++) {
        size_t count = 0;
        if (keys[i].bytes == NULL) continue;
        ended = data_input_select_columns(d, i == 0 ? "sequence" : "time", keys[i], columns, &count);
        /* Invalid keys are reported when the sequences are read. */
        crd_text target = {d->target.bytes, d->target.length};
        bool is_target = ended == ENDED_WELL && crd_text_equal(crd_reader_column_name(d->reader, columns[0]), target);
        if (ended == ENDED_WELL && count == 1 && !is_target &&
            crd_reader_ignore(d->reader, columns[0], &error) != CRD_OK)
            ended = message_error(&error);
    }
    return ended;
}

/* Opens the rows again with the schema that contains the intervals. */
static int read_intervals(const invocation *call, data *d) {
    crd_schema *schema = NULL;
    crd_error error;
    data fresh;
    int ended = discretize_option_apply(call, d->reader, d->paths, d->path_count, &schema);
    if (ended != ENDED_WELL || schema == NULL) return ended;
    ended = data_open(call, d->paths, d->path_count, d->keeps_text, &fresh);
    if (ended != ENDED_WELL) {
        crd_schema_destroy(schema);
        return ended;
    }
    fresh.schema = schema;
    if (crd_schema_apply(schema, fresh.reader, &error) != CRD_OK) ended = message_error(&error);
    if (crd_schema_target(schema) != SIZE_MAX)
        remember_target(&fresh, crd_schema_column_name(schema, crd_schema_target(schema)));
    fresh.is_weighted = d->is_weighted;
    fresh.skips_unlabeled = d->skips_unlabeled;
    if (ended == ENDED_WELL) ended = skip_unlabeled(call, &fresh);
    data_close(d);
    *d = fresh;
    return ended;
}

/* Checks that documents for training have classes, at least for some paths. */
static int data_input_check_classes(const invocation *call, const data *d) {
    const char *name = document_operand_option(call, d->paths[0]);
    for (size_t i = 0; i < crd_reader_column_count(d->reader); i++)
        if (crd_text_equal(crd_reader_column_name(d->reader, i), crd_text_of(DOCUMENT_CLASS))) return ENDED_WELL;
    return message_usage("--%s: '%s' has no class; expected CLASS=PATH,CLASS=PATH", name, d->paths[0]);
}

int data_treat_columns(const invocation *call, data *d) {
    const char *target = arguments_value(&call->arguments, "target"),
               *weight = arguments_value(&call->arguments, "weight");
    if (d->schema != NULL) return apply_schema(call, d);
    if (target == NULL && document_operand_option(call, d->paths[0]) != NULL) {
        const int ended = data_input_check_classes(call, d);
        if (ended != ENDED_WELL) return ended;
        target = DOCUMENT_CLASS;
    }
    size_t count = crd_reader_column_count(d->reader);
    size_t *columns = memory_resize(NULL, count, sizeof *columns);
    crd_column_type *types = memory_resize(NULL, count, sizeof *types);
    int ended = check_keys(call, d, columns);
    for (size_t i = 0; i < count; i++) types[i] = CRD_TYPE_NONE;
    for (size_t i = 0; i < TREATMENTS; i++) {
        size_t index = 0;
        const char *value;
        while (ended == ENDED_WELL &&
               (value = arguments_next(&call->arguments, treatments[i].option, &index)) != NULL) {
            ended = treat_list(d, treatments[i].option, value, treatments[i].type, types, columns);
        }
    }
    if (ended == ENDED_WELL) ended = give_formats(call, d, types, columns);
    if (ended == ENDED_WELL && target != NULL) ended = choose_target(d, target, columns);
    if (ended == ENDED_WELL) ended = skip_unlabeled(call, d);
    if (ended == ENDED_WELL && weight != NULL) ended = data_input_choose_weight(d, weight, columns);
    if (ended == ENDED_WELL && arguments_have(&call->arguments, "only"))
        ended = keep_only(call, d, target, weight, columns);
    if (ended == ENDED_WELL) ended = set_keys_aside(call, d, columns);
    if (ended == ENDED_WELL && arguments_have(&call->arguments, "discretize")) {
        ended = data_detect_formats(d, call->structure == NULL);
        if (ended == ENDED_WELL) ended = read_intervals(call, d);
    }
    free(columns);
    free(types);
    return ended;
}

int data_detect_formats(const data *d, bool with_parts) {
    crd_error error;
    if (d->schema != NULL) return ENDED_WELL;
    return crd_reader_detect_column_formats(d->reader, with_parts, &error) == CRD_OK ? ENDED_WELL
                                                                                     : message_error(&error);
}

bool data_has_hidden_target(const invocation *call) {
    const char *hidden = arguments_value(&call->arguments, "latent-class");
    return hidden != NULL;
}

/* Profiles the values of the columns that become nodes of a structure. *profile is NULL if no profile is needed,
 * because a schema declares the types, or if the rows cannot be read twice. Errors in rows are not reported here but
 * when the rows are used for training. */
static int look_at_rows(const invocation *call, const data *d, crd_profile **profile) {
    crd_error error;
    data rows;
    *profile = NULL;
    if (!structure_needs_profile(call) || arguments_have(&call->arguments, "schema")) return ENDED_WELL;
    for (size_t i = 0; i < d->path_count; i++)
        if (input_file_reads_once(d->paths[i])) return ENDED_WELL;
    const int ended = structure_check_shard(call, d->reader);
    if (ended != ENDED_WELL || data_open(call, d->paths, d->path_count, false, &rows) != ENDED_WELL) return ended;
    /* A search uses the columns as they are. Arcs given by the user need to know which columns are numeric by their
     * format. */
    if (!structure_is_searched(call) && crd_reader_detect_column_formats(rows.reader, 0, &error) != CRD_OK)
        *profile = NULL;
    else if (crd_profile_create(call->context, rows.reader, 0, profile, &error) != CRD_OK) *profile = NULL;
    data_close(&rows);
    return ENDED_WELL;
}

/* Rejects settings for texts if no option declares a text column. */
static int check_text_settings(const invocation *call, const char *path) {
    static const char *const sources[] = {"text", "schema", "documents", "mail"};
    const char *name = arguments_setting_in(&call->arguments, "text");
    for (size_t i = 0; name != NULL && i < sizeof sources / sizeof *sources; i++)
        if (arguments_have(&call->arguments, sources[i])) name = NULL;
    if (name == NULL) return ENDED_WELL;
    message_usage("%s is read without text columns: --%s is for texts", input_file_name(path), name);
    message_hint("name the text columns with --text COLS");
    return ENDED_USAGE;
}

int data_choose_columns(const invocation *call, data *d, const char *path, bool may_count) {
    /* Numeric columns that become intervals are categorical. */
    bool has_schema = arguments_have(&call->arguments, "schema") || arguments_have(&call->arguments, "discretize");
    const bool is_hidden = data_has_hidden_target(call) || sequence_options_are_given(call);
    bool is_told = arguments_have(&call->arguments, "target") || has_schema ||
                   document_operand_option(call, d->paths[0]) != NULL || call->structure != NULL ||
                   (may_count && is_hidden);
    crd_profile *profile;
    d->skips_unlabeled = true;
    int ended = check_text_settings(call, path);
    if (ended != ENDED_WELL) return ended;
    ended = look_at_rows(call, d, &profile);
    if (ended == ENDED_WELL && !has_schema) ended = structure_choose_types(call, d->reader, profile, NULL);
    if (ended == ENDED_WELL && is_told) ended = data_treat_columns(call, d);
    if (ended == ENDED_WELL && has_schema) ended = structure_choose_types(call, d->reader, profile, d->schema);
    crd_profile_destroy(profile);
    if (ended == ENDED_WELL)
        ended = structure_choose_columns(call, d->reader, (crd_text){d->target.bytes, d->target.length});
    if (ended != ENDED_WELL) return ended;
    if (d->target.length > 0 || (may_count && (structure_needs_no_target(call) || is_hidden)))
        return data_detect_formats(d, call->structure == NULL);
    const bool is_in_place_of_model = call->verb->data_at == 2 && call->arguments.operand_count > 1;
    message_usage("%s: %s --target, the column to predict", input_file_name(path),
                  is_in_place_of_model ? "not a model, and as a table it needs" : "missing");
    hint_at_columns(d->reader);
    return ENDED_USAGE;
}

static void report_skipped(const crd_read_facts *facts) {
    char rows[ROWS_ROOM];
    string shown = {0};
    string_add_shown(&shown, crd_text_of(facts->skipped_text));
    if (facts->skipped_with_text == 0) message_note("skipped %s without a target", output_rows(facts->skipped, rows));
    else
        message_note(
            "skipped %s without a target, %llu of them with a text that means missing, such as '%s'; --missing "
            "=LIST lists those that do",
            output_rows(facts->skipped, rows), (unsigned long long)facts->skipped_with_text, string_text(&shown));
    string_free(&shown);
}

void data_report_rows(const crd_model *model, const crd_read_facts *facts) {
    char rows[ROWS_ROOM], weight[CRD_NUMBER_ROOM];
    crd_text name = crd_model_weight(model);
    if (name.bytes != NULL) {
        string shown = {0};
        string_add_shown(&shown, name);
        message_note("weighed by '%s', they count as %s", string_text(&shown), crd_number_count(facts->weight, weight));
        string_free(&shown);
    }
    if (facts->skipped > 0) report_skipped(facts);
    if (facts->weightless > 0) message_note("skipped %s of weight 0", output_rows(facts->weightless, rows));
}

int data_report_untrained(const invocation *call, const data *d, const crd_error *error, const char *path) {
    int ended = message_error_in(error, path);
    bool is_guessed = crd_reader_format(d->reader) == CRD_FORMAT_DELIMITED && crd_reader_has_header(d->reader) &&
                      !header_options_settle(call, d->reader);
    /* If all rows lacked only their target, the error would name it. */
    if (error->status == CRD_ERROR_EMPTY && error->subject[0] == '\0' && is_guessed && !bad_row_list_has_rows(d->bad)) {
        message_hint("if the first line is a row, use --header no");
    }
    return ended;
}
