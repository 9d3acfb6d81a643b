/* evaluate_compare_report.c - the candidates side by side, the one to take, and the command that takes it. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A comparison as it is reported. */
typedef struct comparison {
    const invocation *call;
    const crd_comparison *of;
    const char *how; /* rows were split */
    bool tells_times;
    crd_comparison_result *results;
    size_t count;
    size_t *order; /* of those that were scored, by log loss; equal ones in the order of their simplicity */
    size_t scored;
    crd_recommendation recommendation;
} comparison;

static void sort_results(comparison *c) {
    for (size_t i = 0; i < c->count; i++) {
        if (c->results[i].status != CRD_CANDIDATE_SCORED) continue;
        size_t at = c->scored++;
        while (at > 0 && c->results[c->order[at - 1]].log_loss > c->results[i].log_loss) {
            c->order[at] = c->order[at - 1];
            at--;
        }
        c->order[at] = i;
    }
}

/* ---- The command ---- */

/* What a terminal takes for its own: a control character, or the first byte of one of U+0080 to U+009F. */
static bool is_control(const char *at) {
    unsigned char byte = (unsigned char)at[0], next = byte == 0 ? 0 : (unsigned char)at[1];
    return byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next >= 0x80 && next < 0xA0);
}

/* Between $' and ', where control characters can be written by their codes. */
static void add_escaped_word(string *out, const char *word) {
    string_add(out, "$'", 2);
    for (const char *at = word; *at != '\0'; at++) {
        if (is_control(at)) string_format(out, "\\%03o", (unsigned)(unsigned char)*at);
        else if (*at == '\'' || *at == '\\') string_format(out, "\\%c", *at);
        else string_add_char(out, *at);
    }
    string_add_char(out, '\'');
}

/* A word as a shell takes it. */
static void add_word(string *out, const char *word) {
    bool is_plain = word[0] != '\0';
    for (const char *at = word; *at != '\0'; at++) {
        if (is_control(at)) {
            add_escaped_word(out, word);
            return;
        }
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
                     strchr("_-./:@%+,=", *at) != NULL || (unsigned char)*at >= 0x80;
        if (!plain) is_plain = false;
    }
    if (is_plain) {
        string_add(out, word, strlen(word));
        return;
    }
    string_add_char(out, '\'');
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '\'') string_add(out, "'\\''", 4);
        else string_add_char(out, *at);
    }
    string_add_char(out, '\'');
}

static void add_option(string *out, const char *name, const char *value) {
    string_format(out, " --%s", name);
    if (value == NULL) return;
    string_add_char(out, ' ');
    add_word(out, value);
}

static bool is_setting(const char *name) {
    size_t count;
    const crd_setting *settings = crd_setting_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(settings[i].name, name) == 0) return true;
    }
    return false;
}

/* The settings that were given, and the candidate's. */
static void add_settings(const comparison *c, size_t candidate, string *out) {
    const arguments *words = &c->call->arguments;
    const char *name, *value;
    for (size_t i = 0; i < words->option_count; i++) {
        if (is_setting(words->options[i].name)) add_option(out, words->options[i].name, words->options[i].value);
    }
    for (size_t i = 0; crd_comparison_setting(c->of, candidate, i, &name, &value); i++) add_option(out, name, value);
}

/* What is said of how the table is read holds for training too. */
static void add_command(const comparison *c, size_t candidate, string *out) {
    static const char *const of_reading[] = {"weight", "number",  "category", "ignore",  "schema",
                                             "header", "missing", "input",    "decimal", "max-categories"};
    const arguments *words = &c->call->arguments;
    string_format(out, "credence train");
    for (size_t i = 0; i < words->operand_count; i++) {
        string_add_char(out, ' ');
        add_word(out, words->operands[i]);
    }
    if (arguments_have(words, "target")) add_option(out, "target", arguments_value(words, "target"));
    for (size_t i = 0; i < words->option_count; i++) {
        for (size_t j = 0; j < sizeof of_reading / sizeof *of_reading; j++) {
            if (strcmp(words->options[i].name, of_reading[j]) == 0)
                add_option(out, words->options[i].name, words->options[i].value);
        }
    }
    if (arguments_have(words, "folds")) add_option(out, "ignore", arguments_value(words, "folds"));
    string_format(out, " -o MODEL");
    add_settings(c, candidate, out);
}

static void add_reason(const comparison *c, string *out) {
    const crd_recommendation *r = &c->recommendation;
    char difference[ROUNDED_ROOM], error[ROUNDED_ROOM];
    switch (r->reason) {
    case CRD_RECOMMENDED_FIRST: string_format(out, "No row is in a log loss: this is the simplest."); break;
    case CRD_RECOMMENDED_NONE:
        string_format(out, "No method does better than the classes' shares: "
                           "what these rows tell of the class is too little.");
        break;
    case CRD_RECOMMENDED_BEST: string_format(out, "Its log loss is the least."); break;
    case CRD_RECOMMENDED_SIMPLER:
        string_format(out, "It is simpler than %s, and no worse but by chance: log loss %s%s ± %s by row.",
                      c->results[r->best].name, r->difference >= 0 ? "+" : "", output_round(r->difference, difference),
                      output_round(r->difference_error, error));
        break;
    }
}

static void add_duration(string *out, double seconds) {
    if (seconds < 600) string_format(out, "%.0f seconds", seconds);
    else if (seconds < 36000) string_format(out, "%.0f minutes", seconds / 60);
    else string_format(out, "%.0f hours", seconds / 3600);
}

/* Why a candidate has no scores. */
static void add_why_left_out(const comparison *c, const crd_comparison_result *one, string *out) {
    const char *patience = arguments_value(&c->call->arguments, "patience");
    if (one->status == CRD_CANDIDATE_TOO_SLOW) {
        string_format(out, "it would take about ");
        add_duration(out, one->expected_seconds);
        string_format(out, "; --patience %.0f waits for it", ceil(one->expected_seconds / 60) * 120);
    } else if (one->status == CRD_CANDIDATE_TIMED_OUT) {
        string_format(out, "it takes longer than --patience %s", patience == NULL ? "120" : patience);
    } else {
        string_format(out, "%s", one->message);
    }
}

/* ---- For people ---- */

/* One digit tells enough. */
static void add_error(table *t, double error) {
    if (isnan(error)) table_add(t, "");
    else table_format(t, error < 9.5 ? "%.1g" : "%.0f", error);
}

static void print_results(const comparison *c, output *out) {
    static const char *const headings[] = {"", "accuracy", "log loss", "±", "ECE", "numbers", "seconds"};
    size_t columns = sizeof headings / sizeof *headings - !c->tells_times;
    char room[ROUNDED_ROOM];
    table *t = table_create_for(out, columns);
    for (size_t i = 0; i < columns; i++) table_add(t, headings[i]);
    for (size_t i = 0; i < c->scored; i++) {
        const crd_comparison_result *one = &c->results[c->order[i]];
        table_add(t, one->name);
        table_add(t, output_round(one->accuracy, room));
        table_add(t, isinf(one->log_loss) ? "infinite" : output_round(one->log_loss, room));
        add_error(t, one->log_loss_error);
        table_add(t, output_round(one->ece, room));
        table_add(t, output_count(one->parameters, room));
        if (c->tells_times) table_format(t, "%.2f", one->seconds);
    }
    table_add(t, "the classes' shares");
    table_add(t, output_round(c->recommendation.baseline_accuracy, room));
    table_add(t, output_round(c->recommendation.baseline_log_loss, room));
    for (size_t i = 3; i < columns; i++) table_add(t, "");
    table_print(t, out->stream, 2, out->width);
    table_destroy(t);
}

static void print_left_out(const comparison *c, output *out) {
    string reason = {0};
    if (c->scored == c->count) return;
    output_heading(out, 2, "Left out", "");
    for (size_t i = 0; i < c->count; i++) {
        if (c->results[i].status == CRD_CANDIDATE_SCORED) continue;
        string_clear(&reason);
        add_why_left_out(c, &c->results[i], &reason);
        output_list_line(out, "  %s: %s", c->results[i].name, string_text(&reason));
    }
    string_free(&reason);
}

static void print_tables(const comparison *c, output *out) {
    const crd_recommendation *r = &c->recommendation;
    char room[ROWS_ROOM];
    string command = {0}, why = {0};
    if (out->format == FORMAT_MARKDOWN) output_heading(out, 1, c->how, "");
    else output_line(out, "%s\n", c->how);
    print_results(c, out);
    if (r->left_out > 0) {
        output_remark(out, "%s in no log loss: no other row that was learned has the class",
                      output_rows(r->left_out, room));
    }
    print_left_out(c, out);
    add_command(c, r->candidate, &command);
    add_reason(c, &why);
    if (r->reason != CRD_RECOMMENDED_NONE) {
        output_paragraph(out, "Recommended: %s: %s", c->results[r->candidate].name, string_text(&command));
        output_line(out, "%s", string_text(&why));
    } else {
        output_paragraph(out, "%s", string_text(&why));
    }
    string_free(&command);
    string_free(&why);
}

/* ---- For programs ---- */

/* Without the blank before the first. */
static crd_text options_of(const comparison *c, size_t candidate, string *room) {
    string_clear(room);
    add_settings(c, candidate, room);
    return crd_text_of(room->length > 0 ? string_text(room) + 1 : "");
}

static void write_result_json(const comparison *c, size_t candidate, json *j, string *room) {
    const crd_comparison_result *one = &c->results[candidate];
    json_object(j);
    json_member_text(j, "name", crd_text_of(one->name));
    json_member_text(j, "options", options_of(c, candidate, room));
    if (one->status != CRD_CANDIDATE_SCORED) {
        string_clear(room);
        add_why_left_out(c, one, room);
        json_member_text(j, "reason", crd_text_of(string_text(room)));
    } else {
        json_member_number(j, "accuracy", one->accuracy);
        json_member_number(j, "log_loss", one->log_loss);
        json_member_number(j, "log_loss_error", one->log_loss_error);
        json_member_number(j, "ece", one->ece);
        json_member_number(j, "numbers", one->parameters);
        if (c->tells_times) json_member_number(j, "seconds", one->seconds);
    }
    json_end_object(j);
}

static void write_json(const comparison *c, output *out) {
    const crd_recommendation *r = &c->recommendation;
    json j = json_begin(out->stream, true);
    string room = {0};
    json_object(&j);
    json_member_number(&j, "rows", (double)r->rows);
    json_member_number(&j, "rows_in_no_log_loss", (double)r->left_out);
    json_member_number(&j, "baseline", r->baseline_accuracy);
    json_member_number(&j, "baseline_log_loss", r->baseline_log_loss);
    json_key(&j, "candidates");
    json_array(&j);
    for (size_t i = 0; i < c->scored; i++) write_result_json(c, c->order[i], &j, &room);
    json_end_array(&j);
    json_key(&j, "left_out");
    json_array(&j);
    for (size_t i = 0; i < c->count; i++) {
        if (c->results[i].status != CRD_CANDIDATE_SCORED) write_result_json(c, i, &j, &room);
    }
    json_end_array(&j);
    json_key(&j, "recommended");
    json_object(&j);
    json_member_text(&j, "name", crd_text_of(c->results[r->candidate].name));
    json_member_text(&j, "options", options_of(c, r->candidate, &room));
    string_clear(&room);
    add_command(c, r->candidate, &room);
    json_member_text(&j, "command", crd_text_of(string_text(&room)));
    string_clear(&room);
    add_reason(c, &room);
    json_member_text(&j, "why", crd_text_of(string_text(&room)));
    json_end_object(&j);
    json_end_object(&j);
    json_end_line(&j);
    string_free(&room);
}

static void write_csv(const comparison *c, output *out) {
    string room = {0};
    fprintf(out->stream, "name,options,accuracy,log_loss,log_loss_error,ece,numbers,%srecommended\n",
            c->tells_times ? "seconds," : "");
    for (size_t i = 0; i < c->scored; i++) {
        const crd_comparison_result *one = &c->results[c->order[i]];
        const double numbers[] = {one->accuracy, one->log_loss,   one->log_loss_error,
                                  one->ece,      one->parameters, one->seconds};
        output_csv_text(out, crd_text_of(one->name));
        fputc(',', out->stream);
        output_csv_text(out, options_of(c, c->order[i], &room));
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers - !c->tells_times; j++) {
            fputc(',', out->stream);
            output_csv_number(out, numbers[j]);
        }
        fprintf(out->stream, ",%s\n", c->order[i] == c->recommendation.candidate ? "yes" : "no");
    }
    string_free(&room);
}

static void write_report(const comparison *c, output *out) {
    switch (out->format) {
    case FORMAT_TABLE:
    case FORMAT_MARKDOWN: print_tables(c, out); break;
    case FORMAT_CSV: write_csv(c, out); break;
    case FORMAT_JSON: write_json(c, out); break;
    }
}

int comparison_report(const invocation *call, const crd_comparison *of, const char *how) {
    comparison c = {.call = call,
                    .of = of,
                    .how = how,
                    .tells_times = !arguments_have(&call->arguments, "no-times"),
                    .count = crd_comparison_count(of),
                    .recommendation = CRD_RECOMMENDATION_INIT};
    output out;
    int ended = output_open(call, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(call, &out, FORMATS, FORMAT_TABLE);
    c.results = memory_resize(NULL, c.count, sizeof *c.results);
    c.order = memory_resize(NULL, c.count, sizeof *c.order);
    for (size_t i = 0; i < c.count; i++) {
        c.results[i] = (crd_comparison_result)CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(of, i, &c.results[i]);
    }
    crd_comparison_recommendation(of, &c.recommendation);
    sort_results(&c);
    if (ended == ENDED_WELL) write_report(&c, &out);
    free(c.results);
    free(c.order);
    return output_close(&out, ended);
}
