/* SPDX-License-Identifier: MIT */
/* options.c - see options.h. */
#include "core/options.h"

#include "core/word_list.h"

#include "core/lists.h"
#include "core/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const option *options_find(const option *table, crd_text name) {
    for (const option *o = table; o->name != NULL; o++) {
        if (crd_text_equal(crd_text_of(o->name), name)) return o;
    }
    return NULL;
}

static const option *find_letter(const option *table, char letter) {
    for (const option *o = table; o->name != NULL; o++) {
        if (o->letter == letter) return o;
    }
    return NULL;
}

const crd_setting *settings_next(const char *groups, size_t *index) {
    const crd_setting *setting = NULL;
    while ((setting = crd_setting_at((*index)++)) != NULL)
        if (names_contain(groups, setting->group)) return setting;
    return NULL;
}

static const crd_setting *find_setting(const char *groups, crd_text name) {
    const crd_setting *setting = NULL;
    for (size_t i = 0; (setting = settings_next(groups, &i)) != NULL;)
        if (crd_text_equal(crd_text_of(setting->name), name)) return setting;
    return NULL;
}

static size_t (*add_verbs_with_option)(string *out, crd_text name);

void options_find_verbs_by(size_t (*add_verbs)(string *out, crd_text name)) {
    add_verbs_with_option = add_verbs;
}

bool options_have(const option *table, const char *setting_groups, crd_text name) {
    return options_find(table, name) != NULL || find_setting(setting_groups, name) != NULL;
}

/* Reports an unknown option, with a hint: the most similar option, the verbs that have it, or the help command. Returns
 * ENDED_USAGE. */
static int unknown_option(const char *verb_name, crd_text name, const option *table, const char *setting_groups) {
    const char *best = NULL;
    const crd_setting *setting = NULL;
    size_t best_distance = SIZE_MAX;
    for (const option *o = table; o->name != NULL; o++) {
        size_t distance = list_distance(name, crd_text_of(o->name));
        if (distance < best_distance && list_near(name, crd_text_of(o->name))) best = o->name, best_distance = distance;
    }
    for (size_t i = 0; (setting = settings_next(setting_groups, &i)) != NULL;) {
        size_t distance = list_distance(name, crd_text_of(setting->name));
        if (distance < best_distance && list_near(name, crd_text_of(setting->name)))
            best = setting->name, best_distance = distance;
    }
    message_usage("%s has no option --%.*s", verb_name, (int)name.length, name.bytes);
    string others = {0};
    const size_t other_count = add_verbs_with_option == NULL ? 0 : add_verbs_with_option(&others, name);
    /* Verbs that write their own file formats choose the format with --as. */
    if (crd_text_equal(name, crd_text_of("format")) && options_find(table, crd_text_of("as")) != NULL) best = "as";
    if (best != NULL) {
        message_hint("did you mean --%s?", best);
    } else if (other_count > 0) {
        message_hint("this is an option of %s", string_text(&others));
    } else {
        message_hint("run credence help %s for its options", verb_name);
    }
    string_free(&others);
    return ENDED_USAGE;
}

static void options_add(arguments *out, const char *name, const char *value) {
    out->options = memory_resize(out->options, out->option_count + 1, sizeof *out->options);
    out->options[out->option_count++] = (given_option){name, value};
}

static void options_add_operand(arguments *out, const char *operand) {
    out->operands = memory_resize(out->operands, out->operand_count + 1, sizeof *out->operands);
    out->operands[out->operand_count++] = operand;
}

typedef struct options_parsing {
    int argc;
    char **argv;
    int index;
    const char *verb;
    const option *table;
    const char *setting_groups;
    arguments *out;
} options_parsing;

/* Returns whether a word in the position of a value is the next option: --name, or -x if the verb has that letter. "-",
 * "--" and negative numbers are values. */
static bool looks_like_option(const option *table, const char *word) {
    if (word[0] != '-' || word[1] == '\0') return false;
    if (word[1] == '-') return (word[2] >= 'a' && word[2] <= 'z') || (word[2] >= 'A' && word[2] <= 'Z');
    return word[2] == '\0' && find_letter(table, word[1]) != NULL;
}

/* Stores the value of an option: the text after '=' in the same word, or else the next word. */
static int options_take_value(options_parsing *p, const char *dashes, const char *name, const char *syntax,
                              const char *attached) {
    if (attached == NULL) {
        if (p->index + 1 >= p->argc) return message_usage("%s%s needs a value: %s", dashes, name, syntax);
        if (looks_like_option(p->table, p->argv[p->index + 1])) {
            message_usage("%s%s needs a value, but '%s' is an option", dashes, name, p->argv[p->index + 1]);
            message_hint("expected %s; if '%s' is the value, write %s%s%s%s", syntax, p->argv[p->index + 1], dashes,
                         name, dashes[1] == '\0' ? "" : "=", p->argv[p->index + 1]);
            return ENDED_USAGE;
        }
        attached = p->argv[++p->index];
    }
    const option *known =
        dashes[1] == '\0' ? find_letter(p->table, name[0]) : options_find(p->table, crd_text_of(name));
    const char *long_name = known != NULL ? known->name : name;
    if (known != NULL && known->is_once && arguments_have(p->out, long_name)) {
        const char *before = arguments_value(p->out, long_name);
        message_usage("--%s is given twice: '%s' and '%s'", long_name, before, attached);
        if (known->value != NULL && strstr(known->value, ",...") != NULL)
            message_hint("write one list: --%s %s,%s", long_name, before, attached);
        return ENDED_USAGE;
    }
    options_add(p->out, long_name, attached);
    return ENDED_WELL;
}

bool option_value_may_be_left_out(const char *syntax) {
    return syntax != NULL && syntax[0] == '[' && syntax[strlen(syntax) - 1] == ']';
}

/* Returns whether a word is a picture file by its extension. Includes formats that cannot be written, so the error
 * message can name the file. */
static bool names_picture(const char *word) {
    static const char *const endings[] = {".svg", ".html", ".htm", ".png", ".pdf", ".jpg", ".jpeg",
                                          ".gif", ".webp", ".eps", ".ps",  ".tif", ".tiff"};
    const char *dot = strrchr(word, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot, endings[i]) == 0) return true;
    return false;
}

/* Returns whether a word has the given form. "N" means an integer, "FILE.svg" means the name of a picture; other forms
 * are literal words. */
static bool options_is_form(crd_text form, const char *word) {
    if (crd_text_equal(form, crd_text_of("N"))) return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
    if (form.length > 4 && memcmp(form.bytes, "FILE", 4) == 0) return names_picture(word);
    return crd_text_equal(form, crd_text_of(word));
}

/* Returns whether the next word is one of the forms in "[a|b|c]". */
static bool options_is_one(const options_parsing *p, const char *words) {
    if (p->index + 1 >= p->argc) return false;
    const char *next = p->argv[p->index + 1];
    for (const char *cursor = words; *cursor != ']' && *cursor != '\0'; cursor += strcspn(cursor, "|]")) {
        cursor++;
        if (options_is_form((crd_text){cursor, strcspn(cursor, "|]")}, next)) return true;
    }
    return false;
}

static int parse_long(options_parsing *p, const char *word) {
    const char *equals = strchr(word, '=');
    crd_text name = {word, equals == NULL ? strlen(word) : (size_t)(equals - word)};
    const char *attached = equals == NULL ? NULL : equals + 1;
    const option *known = options_find(p->table, name);
    const crd_setting *setting = find_setting(p->setting_groups, name);
    if (known == NULL && setting == NULL) return unknown_option(p->verb, name, p->table, p->setting_groups);
    if (known == NULL) return options_take_value(p, "--", setting->name, setting->syntax, attached);
    if (attached == NULL && option_value_may_be_left_out(known->value) && !options_is_one(p, known->value))
        attached = "";
    if (known->value != NULL) return options_take_value(p, "--", known->name, known->value, attached);
    if (attached != NULL) return message_usage("--%s takes no value", known->name);
    options_add(p->out, known->name, NULL);
    return ENDED_WELL;
}

/* Parses short options: -o FILE, -oFILE, -q, -qo FILE. */
static int parse_letters(options_parsing *p, const char *letters) {
    for (; *letters != '\0'; letters++) {
        const option *known = find_letter(p->table, *letters);
        char name[2] = {*letters, '\0'};
        if (known == NULL) {
            message_usage("%s has no option -%s", p->verb, name);
            message_hint("run credence help %s for its options", p->verb);
            return ENDED_USAGE;
        }
        if (known->value != NULL) {
            return options_take_value(p, "-", name, known->value, letters[1] == '\0' ? NULL : letters + 1);
        }
        options_add(p->out, known->name, NULL);
    }
    return ENDED_WELL;
}

/* Returns whether a word is a negative number such as -1 or -.5. If the verb has an option with that digit, it is not a
 * number. */
static bool is_negative_number(const option *table, const char *word) {
    bool begins_so = word[0] == '-' && word[1] != '\0' && strchr("0123456789.", word[1]) != NULL;
    return begins_so && find_letter(table, word[1]) == NULL;
}

int arguments_parse(int argc, char **argv, const char *verb_name, const option *table, const char *setting_groups,
                    arguments *out) {
    *out = (arguments){.table = table};
    options_parsing p = {argc, argv, 0, verb_name, table, setting_groups, out};
    int ended = ENDED_WELL;
    for (; p.index < argc && ended == ENDED_WELL; p.index++) {
        const char *word = argv[p.index];
        if (word[0] != '-' || word[1] == '\0' || is_negative_number(table, word)) {
            options_add_operand(out, word);
        } else if (word[1] != '-') {
            ended = parse_letters(&p, word + 1);
        } else if (word[2] != '\0') {
            ended = parse_long(&p, word + 2);
        } else {
            for (p.index++; p.index < argc; p.index++) options_add_operand(out, argv[p.index]);
        }
    }
    return ended;
}

void arguments_free(arguments *given) {
    free(given->options);
    free(given->operands);
    for (size_t i = 0; i < given->found_count; i++) free(given->result[i]);
    free(given->result);
    given->result = NULL;
    given->found_count = 0;
    given->options = NULL;
    given->operands = NULL;
}

/* ---- Combinations of options ---- */

/* Removes the next word from a list separated by spaces. Returns false at the end of the list. */
static bool options_take_word(const char **words, crd_text *word) {
    while (**words == ' ') ++*words;
    *word = (crd_text){*words, strcspn(*words, " ")};
    *words += word->length;
    return word->length > 0;
}

/* Returns whether NAME, or NAME=VALUE, is given. */
static bool options_is_given(const arguments *given, crd_text word) {
    const char *equals = memchr(word.bytes, '=', word.length);
    crd_text name = {word.bytes, equals == NULL ? word.length : (size_t)(equals - word.bytes)};
    for (size_t i = 0; i < given->option_count; i++) {
        const given_option *o = &given->options[i];
        if (!crd_text_equal(crd_text_of(o->name), name)) continue;
        if (equals == NULL) return true;
        crd_text value = {equals + 1, word.length - name.length - 1};
        if (o->value != NULL && crd_text_equal(crd_text_of(o->value), value)) return true;
    }
    return false;
}

/* Adds names as "--a", "--a or --b", or "--a, --b or --rule gibbs". */
void options_add_list(string *out, const char *names) {
    crd_text word, next;
    bool has_next = options_take_word(&names, &word);
    for (size_t i = 0; has_next; i++, word = next) {
        has_next = options_take_word(&names, &next);
        if (i > 0) string_format(out, has_next ? ", " : " or ");
        string_format(out, "--");
        for (size_t c = 0; c < word.length; c++) string_add_char(out, word.bytes[c] == '=' ? ' ' : word.bytes[c]);
    }
}

static int with_hint(const option *o) {
    if (o->hint != NULL) message_hint("%s", o->hint);
    return ENDED_USAGE;
}

static int check_needs(const arguments *given, const option *o) {
    const char *remainder = o->needs;
    crd_text word;
    while (remainder != NULL && options_take_word(&remainder, &word))
        if (options_is_given(given, word)) return ENDED_WELL;
    if (o->needs == NULL) return ENDED_WELL;
    string needed = {0};
    options_add_list(&needed, o->needs);
    message_usage("--%s needs %s", o->name, string_text(&needed));
    string_free(&needed);
    return with_hint(o);
}

static int check_conflicts(const arguments *given, const option *o) {
    const char *remainder = o->conflicts;
    crd_text word;
    while (remainder != NULL && options_take_word(&remainder, &word)) {
        if (!options_is_given(given, word)) continue;
        message_usage("--%s and --%.*s cannot be combined", o->name, (int)word.length, word.bytes);
        return with_hint(o);
    }
    return ENDED_WELL;
}

int arguments_check(const arguments *given) {
    int ended = ENDED_WELL;
    for (const option *o = given->table; o->name != NULL && ended == ENDED_WELL; o++) {
        if (!options_is_given(given, crd_text_of(o->name))) continue;
        ended = check_conflicts(given, o);
        if (ended == ENDED_WELL) ended = check_needs(given, o);
    }
    return ended;
}

const char *arguments_in_scope(const arguments *given, unsigned scopes) {
    for (const option *o = given->table; o->name != NULL; o++)
        if ((o->scope & scopes) != 0 && options_is_given(given, crd_text_of(o->name))) return o->name;
    return NULL;
}

const char *arguments_next(const arguments *given, const char *name, size_t *cursor) {
    while (*cursor < given->option_count) {
        const given_option *o = &given->options[(*cursor)++];
        if (strcmp(o->name, name) == 0) return o->value;
    }
    return NULL;
}

const char *arguments_value(const arguments *given, const char *name) {
    const char *last = NULL, *value;
    size_t index = 0;
    while ((value = arguments_next(given, name, &index)) != NULL) last = value;
    return last;
}

bool arguments_have(const arguments *given, const char *name) {
    for (size_t i = 0; i < given->option_count; i++) {
        if (strcmp(given->options[i].name, name) == 0) return true;
    }
    return false;
}

int arguments_choice(const arguments *given, const char *name, const char *words, size_t *index) {
    const char *value = arguments_value(given, name);
    if (value == NULL) return ENDED_WELL;
    size_t word = 0;
    for (const char *cursor = words;; word++) {
        size_t length = strcspn(cursor, "|");
        if (crd_text_equal(crd_text_of(value), (crd_text){cursor, length})) {
            *index = word;
            return ENDED_WELL;
        }
        cursor += length;
        if (*cursor++ == '\0') break;
    }
    return message_usage("--%s: expected %s, got '%s'", name, words, value);
}

int arguments_whole(const arguments *given, const char *name, uint64_t *out) {
    const char *text = arguments_value(given, name);
    double number = 0;
    if (text == NULL) return ENDED_WELL;
    if (crd_number_parse(crd_text_of(text), &number) != CRD_NUMBER_FINITE || !(number >= 0 && number <= 0x1p53) ||
        number != (double)(uint64_t)number) {
        return message_usage("--%s: expected an integer from 0 to %.0f, got '%s'", name, 0x1p53, text);
    }
    *out = (uint64_t)number;
    return ENDED_WELL;
}

bool method_is_network(const char *method) {
    return strcmp(method, "network") == 0 || strcmp(method, "tan") == 0 || strncmp(method, "kdb:", 4) == 0;
}

const char *arguments_setting_in(const arguments *given, const char *groups) {
    const crd_setting *setting = NULL;
    for (size_t i = 0; (setting = settings_next(groups, &i)) != NULL;)
        if (arguments_have(given, setting->name)) return setting->name;
    return NULL;
}

const char *arguments_setting(const arguments *given) {
    return arguments_setting_in(given, SETTING_GROUPS);
}

/* Replaces a value @FILE by the words in that file. */
static int read_words_of_file(string *value) {
    string words = {0};
    int ended = ENDED_WELL;
    if (string_text(value)[0] != '@') return ENDED_WELL;
    const char *path = string_text(value) + 1;
    if (!word_list_read(path, &words)) ended = message_usage("--stop-words: %s: %s", path, strerror(errno));
    else if (words.length == 0) ended = message_usage("--stop-words: %s has no words", path);
    string_free(value);
    *value = words;
    return ended;
}

/* Rejects settings of densities of numbers and categories, which averaged trees do not have. */
static int arguments_check_trees(const arguments *given) {
    static const char *const unused[] = {"smoothing", "variance",   "pool-variance", "min-sd",
                                         "histogram", "bandwidth",  "mixture",       "student",
                                         "joint",     "covariance", "joint-mixture", "attribute-weights"};
    static const char *const families[] = {"gaussian", "lognormal", "student", "exponential", "uniform",
                                           "poisson",  "histogram", "kernel",  "mixture",     "auto"};
    const char *method = arguments_value(given, "method"), *family = arguments_value(given, "family");
    const char *found = NULL;
    if (method == NULL || strcmp(method, "trees") != 0) return ENDED_WELL;
    for (size_t i = 0; found == NULL && i < sizeof unused / sizeof *unused; i++)
        if (arguments_have(given, unused[i])) found = unused[i];
    for (size_t i = 0; family != NULL && found == NULL && i < sizeof families / sizeof *families; i++)
        if (strcmp(family, families[i]) == 0) found = "family";
    if (found == NULL) return ENDED_WELL;
    message_usage("--%s has no effect with --method trees", found);
    message_hint("remove it; --prior and --calibration work, and so does --family for text columns");
    return ENDED_USAGE;
}

int arguments_apply_other_settings(const arguments *given, const char *but, crd_settings *settings) {
    int ended = arguments_check_trees(given);
    for (size_t i = 0; i < crd_setting_count() && ended == ENDED_WELL; i++) {
        const char *name = crd_setting_at(i)->name;
        if (but != NULL && strcmp(name, but) == 0) continue;
        string joined = {0};
        size_t index = 0;
        const char *value;
        /* Values of some repeated options are joined. --prior Yes=0.3 --prior No=0.7 is one list, and so is --required-arcs
         * A->B --required-arcs B->C. --joint a,b --joint c,d are two blocks. For other settings the last value is used. */
        bool is_blocks = strcmp(name, "joint") == 0;
        bool is_arcs = strcmp(name, "required-arcs") == 0 || strncmp(name, "forbidden-", strlen("forbidden-")) == 0;
        char between = is_blocks ? ';' : ',';
        while ((value = arguments_next(given, name, &index)) != NULL) {
            char mark = is_blocks ? ',' : is_arcs ? '-' : '=';
            bool continues = joined.length > 0 && strchr(value, mark) != NULL && strchr(joined.bytes, mark) != NULL;
            if (!continues) string_clear(&joined);
            if (continues) string_add_char(&joined, between);
            string_add(&joined, value, strlen(value));
        }
        if (joined.bytes != NULL && strcmp(name, "stop-words") == 0) ended = read_words_of_file(&joined);
        if (joined.bytes != NULL && ended == ENDED_WELL) {
            crd_error error;
            crd_text text = {joined.bytes, joined.length};
            if (crd_settings_set(settings, name, text, &error) != CRD_OK) {
                ended = message_usage("--%s: %s", name, error.message);
            }
        }
        string_free(&joined);
    }
    return ended;
}

int arguments_apply_settings(const arguments *given, crd_settings *settings) {
    const char *method = arguments_value(given, "method");
    if (method == NULL || strcmp(method, "auto") != 0) return arguments_apply_other_settings(given, NULL, settings);
    message_usage("--method auto chooses the method by rows, so it is valid only for training on a table");
    message_hint("use evaluate DATA --compare to compare the candidates");
    return ENDED_USAGE;
}
