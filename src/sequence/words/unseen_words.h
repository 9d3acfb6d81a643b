/* SPDX-License-Identifier: MIT */
/* unseen_words.h - log P(word | state) of a column of words: those that training had, rarely or often, and those it never had.
 *
 * Every word has KAPPA pseudo-counts, which are spread over the states as its suffix, prefix, shape and case predict:
 *
 *   P(w | s) = (n(w, s) + KAPPA p(s | w)) / (n(s) + KAPPA sum_v p(s | v))
 *
 * So the counts of a frequent word stand for themselves, those of a rare one are completed, and a new word has what its
 * form predicts. p(s | w) is found by successive abstraction (Samuelsson 1993; Brants, TnT - a statistical part-of-speech
 * tagger, 2000): from all words over those of the same shape and those of the same shape that end in the same letter, two
 * letters, ... the estimate of each step is the prior of the next,
 *
 *   p_i(s) = (m_i(s) + STRENGTH p_(i-1)(s)) / (m_i + STRENGTH),
 *
 * m_i(s) the number of different words with that shape and ending in state s, each by the relative frequencies of its
 * states. Words count once, as new words are like rare ones. In the same way q(s) is found over prefixes; what it adds
 * to the prior counts by half, as both ends of a word have much in common: p(s) sqrt(q(s) / p_0(s)), normalised. Where the same
 * letters occur in another case, their states come last. A word that was counted is left out of the words it is
 * compared with.
 *
 * There is no list of affixes and nothing of any language in it: letters have a case where their alphabet does (letters.h). */
#ifndef CRD_SEQUENCE_UNSEEN_WORDS_H
#define CRD_SEQUENCE_UNSEEN_WORDS_H

#include "classify/classifier_internal.h"
#include "sequence/words/affix_index.h"

typedef struct crd_i_unseen_words crd_i_unseen_words;

/* Of an attribute of a classifier of a tallied model, which must both outlive it; the settings are those of the model of
 * sequences. *out NULL: it is no column of words, and unseen values leave their factor out. Under the setting auto it is one
 * where many values occur once, these are mostly of letters, and their states are predicted by their form: see
 * crd_i_unseen_words_of. */
CRD_MUST_USE crd_status crd_i_unseen_words_create(const crd_model *emissions, const crd_classifier *classifier,
                                                  size_t attribute, const crd_settings *settings,
                                                  crd_i_unseen_words **out, crd_error *error);
/* The same of counts: the texts of all values, and how often each class has each value, which are copied. longest: of
 * affixes; 0: the default, if the values look like words, else *out is NULL. */
CRD_MUST_USE crd_status crd_i_unseen_words_of(crd_context *context, const crd_i_dictionary *values,
                                              const crd_i_value_counts *counts, size_t longest,
                                              crd_i_unseen_words **out, crd_error *error);
void crd_i_unseen_words_destroy(crd_i_unseen_words *words);

/* log P(value | class) of each class, of values that were counted and of others; `room` is crd_i_unseen_words_room numbers.
 * Any thread. */
size_t crd_i_unseen_words_room(const crd_i_unseen_words *words);
void crd_i_unseen_words_log(const crd_i_unseen_words *words, crd_text value, double *workspace, double *logs);

#endif
