/* SPDX-License-Identifier: MIT */
/* unseen_words.h - log P(word | state) for a column of words, including rare words and words unseen in training.
 *
 * Every word has KAPPA pseudo-counts, distributed over the states as its suffix, prefix, shape and case predict:
 *
 *   P(w | s) = (n(w, s) + KAPPA p(s | w)) / (n(s) + KAPPA sum_v p(s | v))
 *
 * So a frequent word is estimated from its own counts, a rare word from its counts and its form, and a new word from
 * its form. p(s | w) is estimated by successive abstraction (Samuelsson 1993; Brants, TnT - a statistical
 * part-of-speech tagger, 2000). The word classes narrow from all words to words of the same shape, then to words that
 * also share the last letter, the last two letters, and so on. Each estimate is the prior of the next:
 *
 *   p_i(s) = (m_i(s) + STRENGTH p_(i-1)(s)) / (m_i + STRENGTH)
 *
 * m_i(s) is the number of distinct words in class i with state s, where each word counts by the relative frequencies of
 * its states. Words count once, because new words resemble rare words. q(s) is estimated in the same way over prefixes.
 * Both ends of a word share much information, so the prefix is weighted by half: p(s) sqrt(q(s) / p_0(s)), normalized.
 * Finally, the states of the same letters in another case are mixed in. A word that was counted is excluded from the
 * words it is compared with.
 *
 * There is no list of affixes, and nothing is specific to a language. Letters have a case if their alphabet does
 * (letters.h). */
#ifndef CRD_SEQUENCE_UNSEEN_WORDS_H
#define CRD_SEQUENCE_UNSEEN_WORDS_H

#include "classify/classifier_internal.h"
#include "sequence/words/affix_index.h"

typedef struct crd_i_unseen_words crd_i_unseen_words;

/* Creates the word model for an attribute of a classifier. The emission model and the classifier must outlive it;
 * `settings` are the HMM's settings. Sets *out to NULL if the column does not consist of words; then unseen values are
 * ignored. Under the setting `auto`, a column consists of words if many values occur once, these consist mostly of
 * letters, and their form predicts their state: see crd_i_unseen_words_of. */
CRD_MUST_USE crd_status crd_i_unseen_words_create(const crd_model *emissions, const crd_classifier *classifier,
                                                  size_t attribute, const crd_settings *settings,
                                                  crd_i_unseen_words **out, crd_error *error);
/* Creates the word model from counts: the texts of all values, and the counts of each value in each class. `counts` is
 * copied; `values` must outlive the model. `longest` is the maximum suffix length. 0: the default length if the values
 * look like words; otherwise *out is NULL. */
CRD_MUST_USE crd_status crd_i_unseen_words_of(crd_context *context, const crd_i_dictionary *values,
                                              const crd_i_value_counts *counts, size_t longest,
                                              crd_i_unseen_words **out, crd_error *error);
void crd_i_unseen_words_destroy(crd_i_unseen_words *words);

/* Computes log P(value | class) for each class, for values with or without counts. `workspace` must have
 * crd_i_unseen_words_room entries. Any thread may call it. */
size_t crd_i_unseen_words_room(const crd_i_unseen_words *words);
void crd_i_unseen_words_log(const crd_i_unseen_words *words, crd_text value, double *workspace, double *logs);

#endif
