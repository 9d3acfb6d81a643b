/* SPDX-License-Identifier: MIT */
/* operands.c - see operands.h. */
#include "core/operands.h"

#include "base/os.h"
#include "core/default_model.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/system.h"

#include <stdlib.h>
#include <string.h>

static void operands_add(arguments *given, const char *operand) {
    given->operands = memory_resize(given->operands, given->operand_count + 1, sizeof *given->operands);
    given->operands[given->operand_count++] = operand;
}

/* Adds a copy of the path, which `user` owns: the arguments. */
static void add_found(void *user, const char *path) {
    arguments *given = user;
    size_t length = strlen(path) + 1;
    char *copy = memory_resize(NULL, length, 1);
    memcpy(copy, path, length);
    given->result = memory_resize(given->result, given->found_count + 1, sizeof *given->result);
    given->result[given->found_count++] = copy;
    operands_add(given, copy);
}

static int add_matches(arguments *given, const char *pattern) {
    return system_match(pattern, add_found, given) ? ENDED_WELL
                                                   : message_failed("%s: no file matches this pattern", pattern);
}

static int complete_one(arguments *given, const char *operand) {
    crd_i_os_facts facts;
    if (strcmp(operand, "-") == 0) {
        operands_add(given, operand);
        return ENDED_WELL;
    }
    if (!crd_i_os_facts_of(operand, &facts) && strpbrk(operand, "*?[") != NULL) return add_matches(given, operand);
    if (crd_i_os_facts_of(operand, &facts) && facts.kind == CRD_I_OS_FOLDER) {
        message_failed("%s: this is a folder", operand);
        message_hint("use a pattern for its files: '%s%s*.csv'", operand,
                     crd_i_os_is_separator(operand[strlen(operand) - 1]) ? "" : "/");
        return ENDED_FAILED;
    }
    operands_add(given, operand);
    return ENDED_WELL;
}

/* Returns whether standard input is a pipe, a file or a socket: input that nobody has to type. */
static bool is_input_given(void) {
    crd_i_os_facts facts;
    return crd_i_os_facts_of_open(CRD_I_STDIN, &facts) && (facts.kind == CRD_I_OS_FILE || facts.kind == CRD_I_OS_PIPE);
}

/* Returns whether one of the options is given. `names` separates their names by |. */
static bool has_any(const arguments *given, const char *names) {
    for (size_t i = 0; i < given->option_count; i++)
        if (names_contain(names, given->options[i].name)) return true;
    return false;
}

/* Rejects an operand next to --mail or --documents. It may be a further item of their list, as in "--mail spam=a
 * ham=b"; then prints a hint. */
static int refuse_beside(const char *name, const char *value, const char *operand) {
    message_usage("--%s replaces DATA: remove '%s'", name, operand);
    if (strchr(operand, '=') != NULL && value != NULL) message_hint("write one list: --%s %s,%s", name, value, operand);
    return ENDED_USAGE;
}

/* Rejects list items that follow a MODEL and --mail or --documents. Other operands there are further paths. */
static int check_one_list(const arguments *given, const char *places, const char *const *typed, size_t count) {
    const char *value = places == NULL ? NULL : arguments_value(given, places);
    for (size_t i = 0; value != NULL && strchr(value, '=') != NULL && i < count; i++)
        if (strchr(typed[i], '=') != NULL && !crd_i_os_exists(typed[i])) return refuse_beside(places, value, typed[i]);
    return ENDED_WELL;
}

/* Adds the default model of a mail filter if no operand names a model. */
static int add_default_model(const verb *v, arguments *given) {
    if (!v->has_mail_model || v->data_at != 2 || has_any(given, v->instead_of_data)) return ENDED_WELL;
    const char *path = default_mail_model();
    if (path != NULL) operands_add(given, path);
    return path != NULL ? ENDED_WELL : ENDED_USAGE;
}

int operands_complete(const verb *v, arguments *given) {
    size_t count = given->operand_count;
    const char **typed = given->operands;
    int ended = ENDED_WELL;
    if (!v->reads_operands) return ENDED_WELL;
    given->operands = NULL;
    given->operand_count = 0;
    const char *places = has_any(given, "mail") ? "mail" : has_any(given, "documents") ? "documents" : NULL;
    const size_t files = places != NULL && v->data_at > 0 && v->data_at <= count ? v->data_at - 1 : count;
    if (files < count) ended = check_one_list(given, places, typed + files, count - files);
    if (ended == ENDED_WELL && places != NULL && strcmp(places, "mail") == 0 && count == 0)
        ended = add_default_model(v, given);
    for (size_t i = 0; i < files && ended == ENDED_WELL; i++) ended = complete_one(given, typed[i]);
    if (ended == ENDED_WELL && files < count && v->data_at == 1)
        ended = refuse_beside(places, arguments_value(given, places), typed[files]);
    if (places != NULL) operands_add(given, arguments_value(given, places));
    for (size_t i = files; i < count; i++) operands_add(given, typed[i]);
    free(typed);
    count = given->operand_count;
    bool is_named = false; /* standard input */
    for (size_t i = 0; i < count; i++) is_named = is_named || strcmp(given->operands[i], "-") == 0;
    bool lacks_data =
        places == NULL && !is_named && v->data_at > 0 && count + 1 == v->data_at && !has_any(given, v->instead_of_data);
    if (ended == ENDED_WELL && lacks_data && is_input_given()) operands_add(given, "-");
    return ended;
}

size_t inputs_list(const verb *v, const arguments *given, const char ***out) {
    size_t count = 0;
    *out = memory_resize(NULL, given->operand_count + given->option_count, sizeof **out);
    for (size_t i = 0; v->reads_operands && i < given->operand_count; i++) (*out)[count++] = given->operands[i];
    for (size_t i = 0; i < given->option_count; i++)
        for (const option *o = v->options; o->name != NULL; o++)
            if (o->file == OPTION_READS && strcmp(o->name, given->options[i].name) == 0)
                (*out)[count++] = given->options[i].value;
    return count;
}
