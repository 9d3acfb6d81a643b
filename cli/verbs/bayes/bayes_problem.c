/* SPDX-License-Identifier: MIT */
/* bayes_problem.c - reads the statements of a problem from the command line or from the lines of a file. */
#include "verbs/bayes/bayes_problem.h"

#include "base/os.h"
#include "core/fraction.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The place of a statement: an option, or a line of a file. */
typedef struct place {
    const char *file; /* NULL: the command line */
    size_t line;
} place;

/* Appends a place such as "--prior" or "model.txt:3: prior". */
static void add_place(string *out, const place *current_place, const char *description) {
    if (current_place->file == NULL) string_format(out, "--%s", description);
    else string_format(out, "%s:%zu: %s", current_place->file, current_place->line, description);
}

static int bayes_problem_misread(const place *current_place, const char *description, const char *expected,
                                 crd_text view) {
    string where = {0}, shown = {0};
    add_place(&where, current_place, description);
    string_add_shown(&shown, view);
    int ended = current_place->file == NULL
                    ? message_usage("%s: expected %s, got '%s'", string_text(&where), expected, string_text(&shown))
                    : message_failed("%s: expected %s, got '%s'", string_text(&where), expected, string_text(&shown));
    string_free(&where);
    string_free(&shown);
    return ended;
}

static int bayes_problem_refused(const place *current_place, const char *description, const crd_error *error) {
    string where = {0};
    add_place(&where, current_place, description);
    message_failed("%s: %s", string_text(&where), error->message);
    string_free(&where);
    return ENDED_FAILED;
}

/* Extracts the text inside the brackets of P(...). Returns false if the text does not have this form. */
static bool in_brackets(crd_text text, crd_text *inside) {
    bool is_probability = text.length > 3 && memcmp(text.bytes, "P(", 2) == 0 && text.bytes[text.length - 1] == ')';
    if (is_probability) *inside = (crd_text){text.bytes + 2, text.length - 3};
    return is_probability;
}

static int bayes_problem_state_prior(problem *p, const place *current_place, crd_text item) {
    crd_text name;
    double value;
    crd_error error;
    if (!fraction_assignment(item, &name, &value))
        return bayes_problem_misread(current_place, "prior", "HYPOTHESIS=NUMBER", item);
    in_brackets(name, &name);
    if (crd_bayes_prior(p->bayes, name, value, &error) != CRD_OK)
        return bayes_problem_refused(current_place, "prior", &error);
    return ENDED_WELL;
}

/* Reads one likelihood, OUTCOME:HYPOTHESIS=NUMBER or P(O|H)=NUMBER, and adds it to the problem. */
static int state_likelihood(problem *p, const place *current_place, crd_text item) {
    crd_text both;
    double value;
    crd_error error;
    const char *colon = NULL;
    if (fraction_assignment(item, &both, &value)) {
        bool bar_first = in_brackets(both, &both);
        colon = memchr(both.bytes, bar_first ? '|' : ':', both.length);
        if (colon == NULL) colon = memchr(both.bytes, bar_first ? ':' : '|', both.length);
    }
    if (colon == NULL || colon == both.bytes || colon + 1 == both.bytes + both.length) {
        return bayes_problem_misread(current_place, "likelihood", "OUTCOME:HYPOTHESIS=NUMBER", item);
    }
    crd_text outcome = {both.bytes, (size_t)(colon - both.bytes)};
    crd_text hypothesis = {colon + 1, both.length - outcome.length - 1};
    if (crd_bayes_likelihood(p->bayes, outcome, hypothesis, value, &error) != CRD_OK) {
        return bayes_problem_refused(current_place, "likelihood", &error);
    }
    return ENDED_WELL;
}

static int state_observed(problem *p, const place *current_place, crd_text item) {
    crd_error error;
    if (item.length == 0) return bayes_problem_misread(current_place, "observed", "OUTCOME", item);
    if (crd_bayes_outcome(p->bayes, item, &error) != CRD_OK)
        return bayes_problem_refused(current_place, "observed", &error);
    p->steps = memory_resize(p->steps, p->step_count + 1, sizeof *p->steps);
    char *copy = memory_resize(NULL, item.length + 1, 1);
    memcpy(copy, item.bytes, item.length);
    copy[item.length] = '\0';
    p->steps[p->step_count++] = (step){.outcome = copy};
    return ENDED_WELL;
}

static int state_answer(problem *p, const place *current_place, crd_text item) {
    crd_error error;
    const char *equals = item.length == 0 ? NULL : memchr(item.bytes, '=', item.length);
    if (equals == NULL || equals == item.bytes || equals + 1 == item.bytes + item.length) {
        return bayes_problem_misread(current_place, "predicts", "HYPOTHESIS=ANSWER", item);
    }
    crd_text hypothesis = {item.bytes, (size_t)(equals - item.bytes)};
    crd_text answer = {equals + 1, item.length - hypothesis.length - 1};
    if (crd_bayes_hypothesis_answer(p->bayes, hypothesis, answer, &error) != CRD_OK)
        return bayes_problem_refused(current_place, "predicts", &error);
    return ENDED_WELL;
}

static const struct {
    const char *name;
    int (*state)(problem *p, const place *current_place, crd_text item);
} statements[] = {{"prior", bayes_problem_state_prior},
                  {"likelihood", state_likelihood},
                  {"observed", state_observed},
                  {"predicts", state_answer}};
enum { STATEMENTS = sizeof statements / sizeof statements[0] };

static int state_list(problem *p, const place *current_place, size_t which, const char *text) {
    list items;
    if (!list_split(text, &items)) {
        return bayes_problem_misread(current_place, statements[which].name, "a list with its quotes closed",
                                     crd_text_of(text));
    }
    int ended = ENDED_WELL;
    for (size_t i = 0; i < items.count && ended == ENDED_WELL; i++)
        ended = statements[which].state(p, current_place, items.items[i]);
    list_free(&items);
    return ended;
}

/* Reads a line. It has the form of an option without the dashes; # begins a comment line. */
static int state_line(problem *p, const place *current_place, char *line) {
    char *word = line + strspn(line, " \t");
    word[strcspn(word, "\r\n")] = '\0';
    if (*word == '\0' || *word == '#') return ENDED_WELL;
    size_t length = strcspn(word, " \t");
    for (size_t i = 0; i < STATEMENTS; i++) {
        if (!crd_text_equal(crd_text_of(statements[i].name), (crd_text){word, length})) continue;
        char *value = word + length;
        return state_list(p, current_place, i, value + strspn(value, " \t"));
    }
    string shown = {0};
    string_add_shown(&shown, (crd_text){word, length});
    message_failed("%s:%zu: expected prior, likelihood, observed or predicts, got '%s'", current_place->file,
                   current_place->line, string_text(&shown));
    string_free(&shown);
    return ENDED_FAILED;
}

/* A person writes far shorter lines, so a longer line is an error. */
enum { LONGEST_LINE = 1 << 20 };

/* Reads a line into `line`, which has space for LONGEST_LINE bytes. Sets *ended to an error if the line is invalid. */
static bool bayes_problem_read_line(FILE *stream, char *line, const place *current_place, int *ended) {
    size_t length = 0;
    int byte;
    while ((byte = getc(stream)) != EOF && byte != '\n') {
        if (byte == '\0') {
            *ended =
                message_failed("%s:%zu: zero byte: this is not a text file", current_place->file, current_place->line);
            return false;
        }
        if (length == LONGEST_LINE) {
            *ended = message_failed("%s:%zu: the line is longer than %d bytes", current_place->file,
                                    current_place->line, LONGEST_LINE);
            return false;
        }
        line[length++] = (char)byte;
    }
    line[length] = '\0';
    return length > 0 || byte != EOF;
}

static int state_file(problem *p, const char *path) {
    bool is_input = strcmp(path, "-") == 0;
    FILE *stream = is_input ? stdin : crd_i_os_stream(path, "r");
    place current_place = {is_input ? "standard input" : path, 1};
    if (stream == NULL) return message_failed("%s: cannot be opened: %s", path, strerror(errno));
    char *line = memory_resize(NULL, (size_t)LONGEST_LINE + 1, 1);
    int ended = ENDED_WELL;
    for (; ended == ENDED_WELL && bayes_problem_read_line(stream, line, &current_place, &ended); current_place.line++)
        ended = state_line(p, &current_place, line);
    if (ended == ENDED_WELL && ferror(stream)) ended = message_failed("%s: cannot be read", current_place.file);
    free(line);
    if (!is_input) fclose(stream);
    return ended;
}

int bayes_state(const invocation *call, problem *p) {
    place current_place = {NULL, 0};
    int ended = ENDED_WELL;
    for (size_t i = 0; i < call->arguments.option_count && ended == ENDED_WELL; i++) {
        const given_option *o = &call->arguments.options[i];
        if (strcmp(o->name, "file") == 0) ended = state_file(p, o->value);
        for (size_t j = 0; j < STATEMENTS && ended == ENDED_WELL; j++) {
            if (strcmp(o->name, statements[j].name) == 0) ended = state_list(p, &current_place, j, o->value);
        }
    }
    return ended;
}
