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
 * There is no list of affixes, and nothing is specific to a language. Letters have a case if their alphabet does. */
#ifndef CRD_SEQUENCE_UNSEEN_WORDS_H
#define CRD_SEQUENCE_UNSEEN_WORDS_H

#include "classify/classifier_internal.h"

#include <credence/base.h>
#include <stdbool.h>

/* ======== Word shape ========
 *
 * A word as lower-case letters, and its shape: the case, digits and signs it contains. */

/* Longer words are reduced to their first and last CRD_I_MOST_LETTERS / 2 letters. */
enum { CRD_I_MOST_LETTERS = 128 };

typedef struct crd_i_word {
    uint32_t letters[CRD_I_MOST_LETTERS]; /* all characters, with letters in lower case */
    size_t length;
    /* A number for each combination of: no letters, no capitals, some capitals, capitalized, all capitals; contains
     * digits; contains signs. */
    uint32_t shape;
    bool is_of_letters; /* more than half of the characters are letters */
} crd_i_word;

void crd_i_word_parse(crd_text text, crd_i_word *out);

/* ======== Affix index ========
 *
 * Words sorted by their letters from one end, and the class distribution of words that share an affix.
 *
 * If words are sorted by their letters from the end (beginning), the words with a common suffix (prefix) form a
 * range. The sum of the words' class distributions over a range is stored if the range is long. Otherwise it is
 * computed when needed, in the same order. So few sums are stored, however many words there are. */

/* Positive counts of values by class: value v has entries begins[v] to begins[v + 1] - 1, with ascending classes. */
typedef struct crd_i_value_counts {
    size_t values, classes;
    const size_t *begins;
    const uint32_t *class_of;
    const double *counts;
    const double *totals; /* for each value: its total over all classes */
} crd_i_value_counts;

/* Words from `begin` to `end` - 1 in the order of an index. */
typedef struct crd_i_affix_range {
    size_t begin, end;
} crd_i_affix_range;

typedef struct crd_i_affix_index crd_i_affix_index;

/* Creates an index of all values with counts; all of them must be words. `from_end`: sorted by shape, then by letters
 * from the last to the first; otherwise by letters from the first. Sums are stored for affixes of up to `longest`
 * letters. `counts` must outlive the index. Returns NULL if out of memory. */
crd_i_affix_index *crd_i_affix_index_create(crd_context *context, const crd_text *texts,
                                            const crd_i_value_counts *counts, bool from_end, size_t longest);
void crd_i_affix_index_destroy(crd_i_affix_index *index);

crd_i_affix_range crd_i_affix_index_all(const crd_i_affix_index *index);
/* Returns the words of a range that have the given next key. The words of the range must share the first `depth` keys.
 * Keys are the shape (only if `from_end`) and the letters. */
crd_i_affix_range crd_i_affix_index_narrow(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth,
                                           uint32_t key);
/* Computes sums[c], the number of words of the range in class c, where each word counts by the relative frequencies of
 * its classes. The range must have been found by exactly the first `depth` keys. */
void crd_i_affix_index_sum(const crd_i_affix_index *index, crd_i_affix_range range, size_t depth, double *sums);

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

/* ======== Character classes ========
 *
 * Characters have a case, and are letters, digits or signs.
 *
 * Case follows Unicode's simple case mappings for the alphabets in use that have case: Latin with its extensions,
 * Greek with its polytonic letters, Cyrillic, Armenian, Georgian and full-width Latin. A character in no table is a
 * letter without case. Scripts without case need no table, and a sign that is mistaken for a letter only changes the
 * shape of the word. */

typedef enum crd_i_letter_class {
    CRD_I_LETTER_CASELESS,
    CRD_I_LETTER_LOWER,
    CRD_I_LETTER_UPPER,
    CRD_I_LETTER_DIGIT,
    CRD_I_LETTER_SIGN
} crd_i_letter_class;

crd_i_letter_class crd_i_letter_class_of(uint32_t letter);

#endif
