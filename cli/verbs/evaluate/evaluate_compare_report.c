/* evaluate_compare_report.c - the candidates side by side, the one to take, and the command that takes it. */
#include "verbs/evaluate/evaluate_compare.h"

#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool tells_times(const comparison *c) {
    return !arguments_have(&c->call->arguments, "no-times");
}

/* The results that are not left out, by log loss; those of the same in the order of the table. */
static size_t *sort_results(const comparison *c, size_t *count) {
    size_t *order = memory_resize(NULL, c->count + 1, sizeof *order);
    *count = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->results[i].is_left_out) continue;
        size_t at = (*count)++;
        while (at > 0 && c->results[order[at - 1]].log_loss > c->results[i].log_loss) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    return order;
}

/* ---- The command ---- */

/* A word as a shell takes it. */
static void add_word(string *out, const char *word) {
    bool is_plain = word[0] != '\0';
    for (const char *at = word; *at != '\0'; at++) {
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
static void add_settings(const comparison *c, const candidate *of, string *out) {
    const arguments *words = &c->call->arguments;
    for (size_t i = 0; i < words->option_count; i++) {
        if (is_setting(words->options[i].name)) add_option(out, words->options[i].name, words->options[i].value);
    }
    candidate_add_options(of, &c->facts, out);
}

/* What is said of how the table is read holds for training too. */
static void add_command(const comparison *c, const candidate *of, string *out) {
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
    add_settings(c, of, out);
}

static void add_reason(const comparison *c, string *out) {
    char behind[ROUNDED_ROOM], error[ROUNDED_ROOM];
    if (isnan(c->baseline_loss)) {
        string_format(out, "No row is in a log loss: this is the simplest.");
    } else if (!comparison_is_of_use(c)) {
        string_format(out, "No method does better than the classes' shares: "
                           "what these rows tell of the class is too little.");
    } else if (c->recommended == c->best) {
        string_format(out, "Its log loss is the least.");
    } else {
        string_format(out, "It is simpler than %s, and no worse but by chance: log loss %s%s ± %s by row.",
                      c->results[c->best].of->name, c->behind >= 0 ? "+" : "", output_round(c->behind, behind),
                      output_round(c->behind_error, error));
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
    size_t columns = sizeof headings / sizeof *headings - !tells_times(c), count;
    size_t *order = sort_results(c, &count);
    char room[ROUNDED_ROOM];
    table *t = table_create_for(out, columns);
    for (size_t i = 0; i < columns; i++) table_add(t, headings[i]);
    for (size_t i = 0; i < count; i++) {
        const comparison_result *one = &c->results[order[i]];
        table_add(t, one->of->name);
        table_add(t, output_round(one->accuracy, room));
        table_add(t, isinf(one->log_loss) ? "infinite" : output_round(one->log_loss, room));
        add_error(t, one->log_loss_error);
        table_add(t, output_round(one->ece, room));
        table_add(t, output_count(one->estimated, room));
        if (tells_times(c)) table_format(t, "%.2f", one->seconds);
    }
    table_add(t, "the classes' shares");
    table_add(t, output_round(c->baseline, room));
    table_add(t, output_round(c->baseline_loss, room));
    for (size_t i = 3; i < columns; i++) table_add(t, "");
    table_print(t, out->stream, 2, out->width);
    table_destroy(t);
    free(order);
}

static void print_left_out(const comparison *c, output *out) {
    size_t left_out = 0;
    for (size_t i = 0; i < c->count; i++) left_out += c->results[i].is_left_out;
    if (left_out == 0) return;
    output_heading(out, 2, "Left out", "");
    for (size_t i = 0; i < c->count; i++) {
        const comparison_result *one = &c->results[i];
        if (one->is_left_out) output_list_line(out, "  %s: %s", one->of->name, string_text(&one->reason));
    }
}

static void print_tables(const comparison *c, output *out) {
    char room[ROWS_ROOM];
    string command = {0}, why = {0};
    if (out->format == FORMAT_MARKDOWN) output_heading(out, 1, c->how, "");
    else output_line(out, "%s\n", c->how);
    print_results(c, out);
    if (c->hopeless > 0) {
        output_remark(out, "%s in no log loss: no other row that was learned has the class",
                      output_rows(c->hopeless, room));
    }
    print_left_out(c, out);
    const candidate *recommended = c->results[c->recommended].of;
    add_command(c, recommended, &command);
    add_reason(c, &why);
    if (comparison_is_of_use(c)) {
        output_paragraph(out, "Recommended: %s: %s", recommended->name, string_text(&command));
        output_line(out, "%s", string_text(&why));
    } else {
        output_paragraph(out, "%s", string_text(&why));
    }
    string_free(&command);
    string_free(&why);
}

/* ---- For programs ---- */

/* Without the blank before the first. */
static crd_text options_of(const comparison *c, const candidate *of, string *room) {
    string_clear(room);
    add_settings(c, of, room);
    return crd_text_of(room->length > 0 ? string_text(room) + 1 : "");
}

static void write_result_json(const comparison *c, const comparison_result *one, json *j, string *room) {
    json_object(j);
    json_member_text(j, "name", crd_text_of(one->of->name));
    json_member_text(j, "options", options_of(c, one->of, room));
    if (one->is_left_out) {
        json_member_text(j, "reason", crd_text_of(string_text(&one->reason)));
    } else {
        json_member_number(j, "accuracy", one->accuracy);
        json_member_number(j, "log_loss", one->log_loss);
        json_member_number(j, "log_loss_error", one->log_loss_error);
        json_member_number(j, "ece", one->ece);
        json_member_number(j, "numbers", one->estimated);
        if (tells_times(c)) json_member_number(j, "seconds", one->seconds);
    }
    json_end_object(j);
}

static void write_json(const comparison *c, output *out) {
    json j = json_begin(out->stream, true);
    string room = {0};
    size_t count;
    size_t *order = sort_results(c, &count);
    json_object(&j);
    json_member_number(&j, "rows", (double)c->rows);
    json_member_number(&j, "rows_in_no_log_loss", (double)c->hopeless);
    json_member_number(&j, "baseline", c->baseline);
    json_member_number(&j, "baseline_log_loss", c->baseline_loss);
    json_key(&j, "candidates");
    json_array(&j);
    for (size_t i = 0; i < count; i++) write_result_json(c, &c->results[order[i]], &j, &room);
    json_end_array(&j);
    json_key(&j, "left_out");
    json_array(&j);
    for (size_t i = 0; i < c->count; i++) {
        if (c->results[i].is_left_out) write_result_json(c, &c->results[i], &j, &room);
    }
    json_end_array(&j);
    const candidate *recommended = c->results[c->recommended].of;
    json_key(&j, "recommended");
    json_object(&j);
    json_member_text(&j, "name", crd_text_of(recommended->name));
    json_member_text(&j, "options", options_of(c, recommended, &room));
    string_clear(&room);
    add_command(c, recommended, &room);
    json_member_text(&j, "command", crd_text_of(string_text(&room)));
    string_clear(&room);
    add_reason(c, &room);
    json_member_text(&j, "why", crd_text_of(string_text(&room)));
    json_end_object(&j);
    json_end_object(&j);
    json_end_line(&j);
    string_free(&room);
    free(order);
}

static void write_csv(const comparison *c, output *out) {
    string room = {0};
    size_t count;
    size_t *order = sort_results(c, &count);
    fprintf(out->stream, "name,options,accuracy,log_loss,log_loss_error,ece,numbers,%srecommended\n",
            tells_times(c) ? "seconds," : "");
    for (size_t i = 0; i < count; i++) {
        const comparison_result *one = &c->results[order[i]];
        const double numbers[] = {one->accuracy, one->log_loss,  one->log_loss_error,
                                  one->ece,      one->estimated, one->seconds};
        output_csv_text(out, crd_text_of(one->of->name));
        fputc(',', out->stream);
        output_csv_text(out, options_of(c, one->of, &room));
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers - !tells_times(c); j++) {
            fputc(',', out->stream);
            output_csv_number(out, numbers[j]);
        }
        fprintf(out->stream, ",%s\n", order[i] == c->recommended ? "yes" : "no");
    }
    string_free(&room);
    free(order);
}

int comparison_report(const comparison *c) {
    output out;
    int ended = output_open(c->call, &out);
    if (ended == ENDED_WELL) ended = output_choose_format(c->call, &out, FORMATS, FORMAT_TABLE);
    if (ended == ENDED_WELL) {
        switch (out.format) {
        case FORMAT_TABLE:
        case FORMAT_MARKDOWN: print_tables(c, &out); break;
        case FORMAT_CSV: write_csv(c, &out); break;
        case FORMAT_JSON: write_json(c, &out); break;
        }
    }
    return output_close(&out, ended);
}
