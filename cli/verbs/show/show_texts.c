/* SPDX-License-Identifier: MIT */
/* show_texts.c - see show_texts.h. */
#include "verbs/show/show_texts.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "verbs/show/show_pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What was read ---- */

/* Reports for each class the number of texts, words and distinct words. */
static void report_counts(report *r, const attribute_view *v, const crd_informative_words *words) {
    report_table *t = report_add_table(r, "texts");
    t->is_wrapped = t->is_transposed = true;
    column_add(t, "class", "");
    column_add(t, "texts", "texts");
    column_add(t, "occurrences", "words");
    column_add(t, "distinct", "distinct words");
    column_add(t, "mean_length", "words per text");
    for (size_t i = 0; i < v->class_count; i++) {
        size_t k = v->classes[i];
        double texts = crd_informative_words_documents(words, k),
               occurrences = crd_informative_words_occurrences(words, k);
        cell_name(t, crd_summary_class(v->summary, k));
        cell_count(t, texts);
        cell_count(t, occurrences);
        cell_count(t, (double)crd_informative_words_distinct(words, k));
        if (texts > 0) cell_number(t, occurrences / texts);
        else cell_absent(t, "-");
    }
    uint64_t terms = crd_informative_words_terms(words), counted = crd_informative_words_counted(words);
    report_number(r, "terms", (double)terms);
    report_number(r, "terms_counted", (double)counted);
    if (counted == terms) report_remark(r, "%llu distinct words", (unsigned long long)terms);
    else
        report_remark(r, "%llu distinct words; the settings keep %llu", (unsigned long long)terms,
                      (unsigned long long)counted);
}

/* Reports the settings for texts that differ from their defaults. */
static void show_texts_report_settings(report *r, const attribute_view *v) {
    static const char *const names[] = {
        "tokens", "letter-case", "stem",           "ngrams",     "sparse-bigrams", "hash", "tf", "length-normalization",
        "min-df", "max-df",      "term-smoothing", "stop-words", "max-terms",      NULL};
    string line = {0};
    for (size_t i = 0; names[i] != NULL; i++) {
        const char *value = crd_settings_get(crd_classifier_settings(v->classifier), names[i]);
        if (value == NULL) continue;
        string_format(&line, "%s%s ", line.length == 0 ? "" : ", ", names[i]);
        string_add_shown(&line, crd_text_of(value));
    }
    report_list_line(r, "  Settings: %s", string_text(&line));
    string_free(&line);
}

/* ---- Words ---- */

/* Computes P(word | class) for the attribute's family; NaN if the family has none. */
static int find_probability(const attribute_view *v, crd_text term, size_t class_index, double *workspace,
                            double *out) {
    crd_error error;
    if (crd_classifier_word(v->classifier, v->attribute, term, NULL, workspace, NULL, &error) != CRD_OK)
        return message_error(&error);
    *out = workspace[class_index];
    return ENDED_WELL;
}

/* Reports the most informative words of each class. */
static int show_texts_report_words(report *r, const attribute_view *v, const crd_informative_words *words) {
    int ended = ENDED_WELL;
    char factor[ROUNDED_ROOM];
    double *workspace = memory_resize(NULL, crd_classifier_class_count(v->classifier), sizeof *workspace);
    report_table *t = report_add_table(r, "informative_words");
    column_add(t, "class", "class");
    column_add_left(t, "word", "telling word");
    column_add(t, "texts", "texts");
    column_add(t, "other_texts", "others'");
    column_add(t, "occurrences", NULL);
    column_add(t, "weight", "nats");
    column_add(t, "divergence", "divergence");
    column_add(t, "probability", "P(word | class)");
    for (size_t i = 0; i < v->class_count && ended == ENDED_WELL; i++) {
        size_t k = v->classes[i];
        for (size_t j = 0; j < crd_informative_words_count(words, k) && ended == ENDED_WELL; j++) {
            crd_informative_word word = CRD_TELLING_WORD_INIT;
            double probability = NAN;
            crd_informative_words_at(words, k, j, &word);
            ended = find_probability(v, word.term, k, workspace, &probability);
            cell_name(t, crd_summary_class(v->summary, k));
            if (j > 0) cell_show_as(t, "");
            cell_name(t, word.term);
            cell_count(t, word.documents);
            cell_count(t, word.others);
            cell_count(t, word.occurrences);
            cell_shown(t, word.weight, "+%s", output_round(word.weight, factor));
            cell_number(t, word.divergence);
            if (isnan(probability)) cell_absent(t, "-");
            else cell_number(t, probability);
        }
    }
    free(workspace);
    return ended;
}

/* Reports the counts, the settings and the most informative words of a text attribute. */
int texts_report(report *r, const attribute_view *v) {
    crd_informative_words *words = NULL;
    crd_error error;
    crd_status status = crd_informative_words_create(v->classifier, v->attribute, v->words, &words, &error);
    if (status == CRD_ERROR_EMPTY) {
        report_remark(r, "it has no texts");
        return ENDED_WELL;
    }
    if (status != CRD_OK) return message_error(&error);
    report_counts(r, v, words);
    show_texts_report_settings(r, v);
    report_empty_line(r);
    int ended = show_texts_report_words(r, v, words);
    if (ended == ENDED_WELL) ended = picture_words(r, v, words);
    crd_informative_words_destroy(words);
    return ended;
}
