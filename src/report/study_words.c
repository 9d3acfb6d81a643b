/* SPDX-License-Identifier: MIT */
/* study_words.c - lists or draws the words of a text that distinguish each class from the others. */
#include "base/error.h"
#include "base/memory.h"
#include "report/study_pictures.h"

#include <credence/text_words.h>

/* Maximum number of words per class, of classes in one picture, and of classes in the table. */
enum { WORDS = 12, DRAWN = 4, LISTED = 30 };

/* Draws the most informative words of the first classes as groups of bars. */
static crd_status study_words_draw_groups(crd_i_study *study, const crd_classifier *classifier,
                                          const crd_telling_words *words, size_t attribute, crd_error *error) {
    crd_plot_bar bars[DRAWN * WORDS];
    crd_plot_group groups[DRAWN];
    crd_plot_groups plot = CRD_PLOT_GROUPS_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    for (size_t k = 0; k < crd_classifier_class_count(classifier) && k < DRAWN; k++) {
        crd_plot_group *group = &groups[plot.count++];
        *group = (crd_plot_group){crd_classifier_class(classifier, k), bars + k * WORDS, 0};
        for (size_t i = 0; i < crd_telling_words_count(words, k) && i < WORDS; i++) {
            crd_telling_word word = CRD_TELLING_WORD_INIT;
            crd_telling_words_at(words, k, i, &word);
            bars[k * WORDS + group->count++] = (crd_plot_bar){word.term, {NULL, 0}, word.divergence};
        }
    }
    plot.groups = groups;
    plot.unit = crd_text_of("nats");
    options.title = crd_classifier_attribute(classifier, attribute);
    options.width = CRD_I_PAGE_WIDE;
    crd_status status = crd_plot_draw_groups(study->page.context, &plot, &options, &svg, error);
    return crd_i_page_picture(&study->page, status, svg,
                              "Words that distinguish a class from the others, by the divergence of their presence.",
                              error);
}

/* Lists the most informative words of each class in a table. */
static void study_words_list(crd_i_study *study, const crd_classifier *classifier, const crd_telling_words *words) {
    crd_i_html *out = &study->page.body;
    crd_i_html_open_table(out, "Words that distinguish a class from the others, most informative first");
    crd_i_html_column(out, false, "class");
    crd_i_html_column(out, true, "texts");
    crd_i_html_column(out, false, "words");
    for (size_t k = 0; k < crd_classifier_class_count(classifier) && k < LISTED; k++) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_classifier_class(classifier, k));
        crd_i_html_cell(out, "%n", crd_telling_words_documents(words, k));
        crd_i_html_open_cell(out);
        for (size_t i = 0; i < crd_telling_words_count(words, k) && i < WORDS; i++) {
            crd_telling_word word = CRD_TELLING_WORD_INIT;
            crd_telling_words_at(words, k, i, &word);
            crd_i_html_add(out, i > 0 ? ", %t" : "%t", word.term);
        }
        crd_i_html_close_cell(out);
    }
    crd_i_html_close_table(out);
}

crd_status crd_i_study_words(crd_i_study *study, const crd_classifier *classifier, size_t attribute, crd_error *error) {
    crd_telling_words *words = NULL;
    crd_i_html *out = &study->page.body;
    crd_status status = crd_telling_words_create(classifier, attribute, WORDS, &words, error);
    if (status != CRD_OK) return crd_i_page_excuse(&study->page, "the words of a text", status, error);
    crd_i_html_add(out, "<p><b>%t</b> has %u distinct terms in all texts; %u are used.</p>\n",
                   crd_classifier_attribute(classifier, attribute), crd_telling_words_terms(words),
                   crd_telling_words_counted(words));
    if (crd_classifier_class_count(classifier) <= DRAWN)
        status = study_words_draw_groups(study, classifier, words, attribute, error);
    else study_words_list(study, classifier, words);
    crd_telling_words_destroy(words);
    return status;
}
