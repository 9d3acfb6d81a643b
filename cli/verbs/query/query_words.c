/* SPDX-License-Identifier: MIT */
/* query_words.c - see query_words.h. */
#include "verbs/query/query_words.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool query_word_is(crd_text item, const crd_classifier *classifier, asked_word *out) {
    for (size_t index = 0; index < item.length; index++) {
        if (item.bytes[index] != ':') continue;
        const crd_text column = {item.bytes, index}, word = {item.bytes + index + 1, item.length - index - 1};
        for (size_t a = 0; a < crd_classifier_attribute_count(classifier); a++) {
            if (crd_classifier_attribute_type(classifier, a) != CRD_TYPE_TEXT ||
                !crd_text_equal(crd_classifier_attribute(classifier, a), column))
                continue;
            *out = (asked_word){a, column, word};
            return true;
        }
    }
    return false;
}

/* Finds the term for the typed word, by the same tokenization as in training. Fails unless the text is exactly one
 * term. */
static int query_words_find_term(const crd_classifier *classifier, const asked_word *word_result, string *term) {
    crd_text_words *words = NULL;
    crd_error error;
    if (crd_text_words_create(classifier, word_result->attribute, word_result->word, &words, &error) != CRD_OK)
        return message_error(&error);
    int ended = ENDED_WELL;
    size_t distinct = words->count;
    if (words->single != CRD_NONE) {
        const crd_text_word text_word = words->words[words->single];
        string_add(term, text_word.term.bytes, text_word.term.length);
    } else {
        string shown = {0};
        string_add_shown(&shown, word_result->word);
        ended = message_usage("--of: '%s' is %s to the model, expected a single word", string_text(&shown),
                              distinct == 0 ? "not a word" : "several words");
        string_free(&shown);
    }
    crd_text_words_destroy(words);
    return ended;
}

/* Reports an error if the word is unknown, ignored by the settings, or has no probability in its family. */
static int query_words_check(const crd_classifier *classifier, const asked_word *word_result,
                             const crd_term_facts *facts, const double *probabilities) {
    crd_family family = CRD_FAMILY_INIT;
    string word = {0}, column = {0};
    string_add_shown(&word, word_result->word);
    string_add_shown(&column, word_result->column);
    int ended = ENDED_WELL;
    bool is_named = crd_classifier_family(classifier, word_result->attribute, &family) != 0;
    if (!facts->is_known) {
        ended = message_failed("unknown word: no training text of '%s' contains '%s'", string_text(&column),
                               string_text(&word));
    } else if (!facts->counts) {
        ended = message_failed("the settings ignore the word '%s' of '%s'", string_text(&word), string_text(&column));
    } else if (isnan(probabilities[0])) {
        ended = message_failed("the family %s of '%s' has no P(word | class)", is_named ? family.name : "",
                               string_text(&column));
        message_hint("use --family '%s=multinomial'", string_text(&column));
    }
    string_free(&word);
    string_free(&column);
    return ended;
}

/* Reports P(class | given), P(word | class) and, by Bayes' theorem, P(class | given, word). */
static void query_words_report_classes(crd_result *r, const crd_classifier *classifier, const double *log_classes,
                                       const double *probabilities) {
    size_t classes = crd_classifier_class_count(classifier);
    double sum = 0;
    for (size_t k = 0; k < classes; k++) sum += crd_exp(log_classes[k]) * probabilities[k];
    crd_result_number(r, "probability", sum);
    crd_result_table *t = crd_result_add_table(r, "classes");
    t->is_short = true;
    crd_result_add_column(t, "class", "class");
    crd_result_add_column(t, "prior", "P(class)");
    crd_result_add_column(t, "probability", "P(word | class)");
    crd_result_add_column(t, "posterior", "P(class | word)");
    for (size_t k = 0; k < classes; k++) {
        double prior = crd_exp(log_classes[k]);
        crd_cell_name(t, crd_classifier_class(classifier, k));
        crd_cell_number(t, prior);
        crd_cell_number(t, probabilities[k]);
        if (sum > 0) crd_cell_number(t, prior * probabilities[k] / sum);
        else crd_cell_absent(t, "-");
    }
    char buffer[CRD_NUMBER_ROOM];
    crd_result_line(r, CRD_REMARK, "P(word) %s", crd_number_round(sum, buffer));
}

int query_word_report(crd_result *r, const crd_classifier *classifier, const asked_word *word,
                      const double *log_classes, const char *given) {
    string term = {0};
    crd_error error;
    crd_term_facts facts = CRD_TERM_FACTS_INIT;
    crd_family family = CRD_FAMILY_INIT;
    double *probabilities = memory_resize(NULL, crd_classifier_class_count(classifier), sizeof *probabilities);
    int ended = query_words_find_term(classifier, word, &term);
    crd_text text = {string_text(&term), term.length};
    if (ended == ENDED_WELL &&
        crd_classifier_word(classifier, word->attribute, text, NULL, probabilities, &facts, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = query_words_check(classifier, word, &facts, probabilities);
    if (ended == ENDED_WELL) {
        bool is_presence =
            crd_classifier_family(classifier, word->attribute, &family) != 0 && strcmp(family.name, "bernoulli") == 0;
        const char *key = crd_result_format(r, "%s:%s", crd_result_show(r, word->column), crd_result_show(r, text));
        crd_result_heading(
            r, 2, key,
            crd_result_format(r, "%s%s: %s", given[0] == '\0' ? "" : " given ", given,
                              is_presence ? "P(a text contains the word)" : "P(the next word of a text is this word)"));
        crd_result_begin(r, CRD_OBJECT, key);
        crd_result_text(r, "word", text);
        crd_result_words(r, "family", family.name == NULL ? "" : family.name);
        query_words_report_classes(r, classifier, log_classes, probabilities);
        crd_result_end(r);
    }
    free(probabilities);
    string_free(&term);
    return ended;
}
