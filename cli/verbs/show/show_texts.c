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
static void report_counts(crd_result *r, const attribute_view *v, const crd_informative_words *words) {
    crd_result_table *t = crd_result_add_table(r, "texts");
    t->is_wrapped = t->is_transposed = true;
    crd_result_add_column(t, "class", "");
    crd_result_add_column(t, "texts", "texts");
    crd_result_add_column(t, "occurrences", "words");
    crd_result_add_column(t, "distinct", "distinct words");
    crd_result_add_column(t, "mean_length", "words per text");
    for (size_t i = 0; i < v->class_count; i++) {
        size_t k = v->classes[i];
        double texts = words->classes[k].documents, occurrences = words->classes[k].occurrences;
        crd_cell_name(t, v->summary->classes[k].name);
        crd_cell_count(t, texts);
        crd_cell_count(t, occurrences);
        crd_cell_count(t, (double)words->classes[k].distinct);
        if (texts > 0) crd_cell_number(t, occurrences / texts);
        else crd_cell_absent(t, "-");
    }
    uint64_t terms = words->terms, counted = words->counted;
    crd_result_number(r, "terms", (double)terms);
    crd_result_number(r, "terms_counted", (double)counted);
    if (counted == terms) crd_result_line(r, CRD_REMARK, "%llu distinct words", (unsigned long long)terms);
    else
        crd_result_line(r, CRD_REMARK, "%llu distinct words; the settings keep %llu", (unsigned long long)terms,
                        (unsigned long long)counted);
}

/* Reports the settings for texts that differ from their defaults. */
static void show_texts_report_settings(crd_result *r, const attribute_view *v) {
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
    crd_result_line(r, CRD_LIST_LINE, "  Settings: %s", string_text(&line));
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
static int show_texts_report_words(crd_result *r, const attribute_view *v, const crd_informative_words *words) {
    int ended = ENDED_WELL;
    char factor[CRD_NUMBER_ROOM];
    double *workspace = memory_resize(NULL, crd_classifier_class_count(v->classifier), sizeof *workspace);
    crd_result_table *t = crd_result_add_table(r, "informative_words");
    crd_result_add_column(t, "class", "class");
    crd_result_add_column(t, "word", "informative word")->is_left = true;
    crd_result_add_column(t, "texts", "texts");
    crd_result_add_column(t, "other_texts", "others'");
    crd_result_add_column(t, "occurrences", NULL);
    crd_result_add_column(t, "weight", "nats");
    crd_result_add_column(t, "divergence", "divergence");
    crd_result_add_column(t, "probability", "P(word | class)");
    for (size_t i = 0; i < v->class_count && ended == ENDED_WELL; i++) {
        size_t k = v->classes[i];
        for (size_t j = 0; j < words->classes[k].count && ended == ENDED_WELL; j++) {
            double probability = NAN;
            const crd_informative_word word = words->classes[k].words[j];
            ended = find_probability(v, word.term, k, workspace, &probability);
            crd_cell_name(t, v->summary->classes[k].name);
            if (j > 0) crd_cell_show_as(t, "", NULL);
            crd_cell_name(t, word.term);
            crd_cell_count(t, word.documents);
            crd_cell_count(t, word.others);
            crd_cell_count(t, word.occurrences);
            crd_cell_shown(t, word.weight, "+%s", crd_number_round(word.weight, factor));
            crd_cell_number(t, word.divergence);
            if (isnan(probability)) crd_cell_absent(t, "-");
            else crd_cell_number(t, probability);
        }
    }
    free(workspace);
    return ended;
}

/* Reports the counts, the settings and the most informative words of a text attribute. */
int texts_report(crd_result *r, const attribute_view *v) {
    crd_informative_words *words = NULL;
    crd_error error;
    crd_status status = crd_informative_words_create(v->classifier, v->attribute, v->words, &words, &error);
    if (status == CRD_ERROR_EMPTY) {
        crd_result_line(r, CRD_REMARK, "it has no texts");
        return ENDED_WELL;
    }
    if (status != CRD_OK) return message_error(&error);
    report_counts(r, v, words);
    show_texts_report_settings(r, v);
    crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
    int ended = show_texts_report_words(r, v, words);
    if (ended == ENDED_WELL) ended = picture_words(r, v, words);
    crd_informative_words_destroy(words);
    return ended;
}
