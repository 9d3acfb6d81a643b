/* SPDX-License-Identifier: MIT */
/* unseen_words.c - P(word | state) from counts and word forms. See unseen_words.h for the formulas. The constants were
 * chosen on the development set of the English Web Treebank, with 100 to 12,544 training sentences. Accuracy hardly
 * depends on them. */
#include "sequence/words/unseen_words.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/schema_view.h"
#include "stats/counts_rows.h"

#include <math.h>
#include <string.h>

/* Pseudo-counts of each word, pseudo-counts of each abstraction step, and maximum weight of the same word in another
 * case. */
#define KAPPA 0.3
#define STRENGTH 8.0
#define MOST_OF_OTHER_CASE 4.0

/* Default affix lengths: suffixes of up to LONGEST_SUFFIX letters, as in TnT (Brants 2000), and prefixes of half that
 * length. */
enum { LONGEST_SUFFIX = 10 };
/* A column looks like words if it has at least LEAST_SINGLE_VALUES values that occur once, at least one in
 * ALL_PER_SINGLE of all values, and if their form predicts their state. The log likelihood gain must exceed LEAST_GAIN
 * nats, plus LEAST_GAIN_OF_EACH per word. At most about MOST_COMPARED words are compared. */
enum { LEAST_SINGLE_VALUES = 10, ALL_PER_SINGLE = 4, MOST_COMPARED = 2000 };
#define LEAST_GAIN 3.0
#define LEAST_GAIN_OF_EACH 0.05

struct crd_i_unseen_words {
    crd_context *context;
    const crd_i_dictionary *values;
    crd_i_value_counts counts; /* the arrays are owned */
    crd_i_affix_index *suffixes, *prefixes;
    size_t longest;
    double words; /* number of values with counts */
    /* for each class: the sum of its words' relative frequencies, plus one new word by the smoothed class
     * frequencies */
    double *base;
    double *log_totals; /* log denominators of P(w | s) */
};

void crd_i_unseen_words_destroy(crd_i_unseen_words *words) {
    if (words == NULL) return;
    crd_context *context = words->context;
    crd_free(context, (void *)words->counts.begins);
    crd_free(context, (void *)words->counts.class_of);
    crd_free(context, (void *)words->counts.counts);
    crd_free(context, (void *)words->counts.totals);
    crd_i_affix_index_destroy(words->suffixes);
    crd_i_affix_index_destroy(words->prefixes);
    crd_free(context, words->base);
    crd_free(context, words->log_totals);
    crd_free(context, words);
}

/* ---- Classes by the form of a word ---- */

/* A word to be predicted, with scratch space. Each list has an entry per class. */
typedef struct words_inquiry {
    const crd_i_unseen_words *words;
    crd_i_word word;
    size_t value;   /* SIZE_MAX: the word was not in the training data */
    double *values; /* relative frequencies of its classes; all zero if it was not in the training data */
    double *prior;  /* p_0: class distribution of all other words */
    double *sums, *prefix;
} words_inquiry;

size_t crd_i_unseen_words_room(const crd_i_unseen_words *words) {
    return 4 * words->counts.classes;
}

static words_inquiry unseen_words_inquire(const crd_i_unseen_words *words, crd_text text, size_t value,
                                          double *workspace) {
    size_t classes = words->counts.classes;
    words_inquiry inquiry = {.words = words, .value = value};
    inquiry.values = workspace;
    inquiry.prior = workspace + classes;
    inquiry.sums = workspace + 2 * classes;
    inquiry.prefix = workspace + 3 * classes;
    crd_i_word_parse(text, &inquiry.word);
    memset(inquiry.values, 0, classes * sizeof *inquiry.values);
    double others = words->words;
    if (value != SIZE_MAX) {
        const crd_i_value_counts *counts = &words->counts;
        for (size_t index = counts->begins[value]; index < counts->begins[value + 1]; index++)
            inquiry.values[counts->class_of[index]] = counts->counts[index] / counts->totals[value];
        others--;
    }
    for (size_t c = 0; c < classes; c++) inquiry.prior[c] = fmax(words->base[c] - inquiry.values[c], 0) / (others + 1);
    return inquiry;
}

/* Performs one abstraction step over the other words of a range: p_i from p_(i-1). */
static void unseen_words_abstract(const words_inquiry *inquiry, const crd_i_affix_index *index, crd_i_affix_range range,
                                  size_t depth, double others, double *p) {
    crd_i_affix_index_sum(index, range, depth, inquiry->sums);
    for (size_t c = 0; c < inquiry->words->counts.classes; c++)
        p[c] = (fmax(inquiry->sums[c] - inquiry->values[c], 0) + STRENGTH * p[c]) / (others + STRENGTH);
}

/* Returns the number of words in a range other than the current word. The range contains the current word if it was
 * counted. */
static double others_in(const words_inquiry *inquiry, crd_i_affix_range range) {
    return (double)(range.end - range.begin) - (inquiry->value == SIZE_MAX ? 0 : 1);
}

/* Computes p over the shape and ever longer suffixes, as long as other words share them. */
static void by_suffix(const words_inquiry *inquiry, double *p) {
    const crd_i_affix_index *index = inquiry->words->suffixes;
    const crd_i_word *word = &inquiry->word;
    crd_i_affix_range range = crd_i_affix_index_all(index);
    for (size_t depth = 0; depth <= word->length && depth <= inquiry->words->longest; depth++) {
        uint32_t key = depth == 0 ? word->shape : word->letters[word->length - depth];
        range = crd_i_affix_index_narrow(index, range, depth, key);
        double others = others_in(inquiry, range);
        if (!(others > 0)) return;
        unseen_words_abstract(inquiry, index, range, depth + 1, others, p);
    }
}

/* Computes q over the prefixes. Sets *same to the range of all words with the same letters, which may be empty. */
static void by_prefix(const words_inquiry *inquiry, double *p, crd_i_affix_range *same) {
    const crd_i_affix_index *index = inquiry->words->prefixes;
    crd_i_affix_range range = crd_i_affix_index_all(index);
    for (size_t depth = 0; depth < inquiry->word.length && range.begin < range.end; depth++) {
        range = crd_i_affix_index_narrow(index, range, depth, inquiry->word.letters[depth]);
        double others = others_in(inquiry, range);
        if (others > 0 && depth < (inquiry->words->longest + 1) / 2)
            unseen_words_abstract(inquiry, index, range, depth + 1, others, p);
    }
    *same = crd_i_affix_index_whole(index, range, inquiry->word.length);
}

/* Mixes in the counts of the same letters in another case. */
static void by_other_case(const words_inquiry *inquiry, crd_i_affix_range same, double *p) {
    const crd_i_value_counts *counts = &inquiry->words->counts;
    memset(inquiry->sums, 0, counts->classes * sizeof *inquiry->sums);
    double total = 0;
    for (size_t i = same.begin; i < same.end; i++) {
        size_t value = crd_i_affix_index_value(inquiry->words->prefixes, i);
        if (value == inquiry->value) continue;
        total += counts->totals[value];
        for (size_t index = counts->begins[value]; index < counts->begins[value + 1]; index++)
            inquiry->sums[counts->class_of[index]] += counts->counts[index];
    }
    if (!(total > 0)) return;
    double strength = fmin(total, MOST_OF_OTHER_CASE);
    for (size_t c = 0; c < counts->classes; c++) p[c] = (strength * (inquiry->sums[c] / total) + p[c]) / (strength + 1);
}

/* Computes p(class | word) for each class. */
static void unseen_words_predict(const words_inquiry *inquiry, double *p) {
    size_t classes = inquiry->words->counts.classes;
    crd_i_affix_range same;
    memcpy(p, inquiry->prior, classes * sizeof *p);
    memcpy(inquiry->prefix, inquiry->prior, classes * sizeof *p);
    by_suffix(inquiry, p);
    by_prefix(inquiry, inquiry->prefix, &same);
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        if (inquiry->prior[c] > 0) p[c] *= sqrt(inquiry->prefix[c] / inquiry->prior[c]);
        sum += p[c];
    }
    for (size_t c = 0; c < classes; c++) p[c] /= sum;
    by_other_case(inquiry, same, p);
}

/* Returns the code of a value with counts; SIZE_MAX: it has none. */
static size_t unseen_words_find(const crd_i_unseen_words *words, crd_text text) {
    int32_t code = crd_i_dictionary_find(words->values, text);
    return code >= 0 && words->counts.totals[code] > 0 ? (size_t)code : SIZE_MAX;
}

void crd_i_unseen_words_log(const crd_i_unseen_words *words, crd_text text, double *workspace, double *logs) {
    const crd_i_value_counts *counts = &words->counts;
    size_t value = unseen_words_find(words, text);
    const words_inquiry inquiry = unseen_words_inquire(words, text, value, workspace);
    unseen_words_predict(&inquiry, logs);
    for (size_t c = 0; c < counts->classes; c++) logs[c] *= KAPPA;
    if (value != SIZE_MAX)
        for (size_t index = counts->begins[value]; index < counts->begins[value + 1]; index++)
            logs[counts->class_of[index]] += counts->counts[index];
    for (size_t c = 0; c < counts->classes; c++) logs[c] = crd_log(logs[c]) - words->log_totals[c];
}

/* ---- Construction ---- */

static void *unseen_words_copy(crd_context *context, const void *source, size_t count, size_t size) {
    void *destination = crd_i_alloc(context, count, size);
    if (destination != NULL && count > 0) memcpy(destination, source, count * size);
    return destination;
}

/* Copies the counts. Returns false if out of memory, like the functions below. */
static bool copy_counts(crd_i_unseen_words *words, const crd_i_value_counts *value_counts) {
    crd_i_value_counts *target_counts = &words->counts;
    size_t entries = value_counts->begins[value_counts->values];
    target_counts->values = value_counts->values;
    target_counts->classes = value_counts->classes;
    target_counts->begins =
        unseen_words_copy(words->context, value_counts->begins, value_counts->values + 1, sizeof *value_counts->begins);
    target_counts->class_of =
        unseen_words_copy(words->context, value_counts->class_of, entries, sizeof *value_counts->class_of);
    target_counts->counts =
        unseen_words_copy(words->context, value_counts->counts, entries, sizeof *value_counts->counts);
    target_counts->totals =
        unseen_words_copy(words->context, value_counts->totals, value_counts->values, sizeof *value_counts->totals);
    return target_counts->begins != NULL && target_counts->class_of != NULL && target_counts->counts != NULL &&
           target_counts->totals != NULL;
}

static bool index_words(crd_i_unseen_words *words) {
    size_t values = words->counts.values;
    crd_text *texts = crd_i_alloc(words->context, values, sizeof *texts);
    if (texts == NULL) return false;
    for (size_t v = 0; v < values; v++) texts[v] = crd_i_dictionary_text(words->values, v);
    words->suffixes = crd_i_affix_index_create(words->context, texts, &words->counts, true, words->longest);
    if (words->suffixes != NULL)
        words->prefixes =
            crd_i_affix_index_create(words->context, texts, &words->counts, false, (words->longest + 1) / 2);
    crd_free(words->context, texts);
    return words->prefixes != NULL;
}

/* Computes the class distribution of all words, and the denominators. `base` first holds the counts of the classes. The
 * sum of p(s | v) over all words and one new word is approximated by the sum of the relative frequencies (the
 * prior). */
static bool sum_classes(crd_i_unseen_words *words) {
    const crd_i_value_counts *counts = &words->counts;
    size_t classes = counts->classes;
    words->base = crd_i_alloc_zeroed(words->context, classes, sizeof *words->base);
    words->log_totals = crd_i_alloc(words->context, classes, sizeof *words->log_totals);
    if (words->base == NULL || words->log_totals == NULL) return false;
    double total = 0;
    for (size_t index = 0; index < counts->begins[counts->values]; index++) {
        words->base[counts->class_of[index]] += counts->counts[index];
        total += counts->counts[index];
    }
    crd_i_affix_range all = crd_i_affix_index_all(words->suffixes);
    words->words = (double)(all.end - all.begin);
    double *forms = words->log_totals;
    crd_i_affix_index_sum(words->suffixes, all, 0, forms);
    for (size_t c = 0; c < classes; c++) {
        double own = words->base[c];
        words->base[c] = forms[c] + (own + 1) / (total + (double)classes);
        words->log_totals[c] = crd_log(own + KAPPA * words->base[c]);
    }
    return true;
}

/* ---- Are the values words? ---- */

/* Numbers of values that occur once, of those that consist mostly of letters, and of all values with counts. */
typedef struct single_values {
    size_t count, of_letters, counted;
} single_values;

/* Returns whether a value occurs once. Expected counts sum to 1 except for rounding. */
static bool is_single(const crd_i_value_counts *counts, size_t value) {
    return counts->totals[value] > 0 && counts->totals[value] < 1 + 1e-6;
}

static single_values count_single(const crd_i_dictionary *values, const crd_i_value_counts *counts) {
    single_values single = {0, 0, 0};
    for (size_t v = 0; v < counts->values; v++) {
        if (counts->totals[v] > 0) single.counted++;
        if (!is_single(counts, v)) continue;
        crd_i_word word;
        crd_i_word_parse(crd_i_dictionary_text(values, v), &word);
        single.count++;
        if (word.is_of_letters) single.of_letters++;
    }
    return single;
}

/* Computes by how many nats their form predicts the classes of words that occur once better than the prior does. Uses
 * about MOST_COMPARED words at most, evenly spaced. */
static double gain_of_form(const crd_i_unseen_words *words, size_t single, size_t *compared, double *workspace) {
    size_t classes = words->counts.classes, step = 1 + (single - 1) / MOST_COMPARED, met = 0;
    double *p = workspace + crd_i_unseen_words_room(words), gain = 0;
    *compared = 0;
    for (size_t v = 0; v < words->counts.values; v++) {
        if (!is_single(&words->counts, v) || met++ % step != 0) continue;
        const words_inquiry inquiry =
            unseen_words_inquire(words, crd_i_dictionary_text(words->values, v), v, workspace);
        unseen_words_predict(&inquiry, p);
        for (size_t c = 0; c < classes; c++)
            if (inquiry.values[c] > 0 && inquiry.prior[c] > 0)
                gain += inquiry.values[c] * (crd_log(p[c]) - crd_log(inquiry.prior[c]));
        ++*compared;
    }
    return gain;
}

static crd_status is_predicted(const crd_i_unseen_words *words, size_t single, bool *is_it, crd_error *error) {
    double *workspace =
        crd_i_alloc(words->context, crd_i_unseen_words_room(words) + words->counts.classes, sizeof *workspace);
    if (workspace == NULL) return crd_i_fail_memory(error);
    size_t compared;
    double gain = gain_of_form(words, single, &compared, workspace);
    crd_free(words->context, workspace);
    *is_it = gain > LEAST_GAIN + LEAST_GAIN_OF_EACH * (double)compared;
    return CRD_OK;
}

/* ---- Creation ---- */

crd_status crd_i_unseen_words_of(crd_context *context, const crd_i_dictionary *values, const crd_i_value_counts *counts,
                                 size_t longest, crd_i_unseen_words **out, crd_error *error) {
    *out = NULL;
    const single_values single = count_single(values, counts);
    if (single.count == 0 || 2 * single.of_letters <= single.count) return CRD_OK;
    if (longest == 0 && (single.count < LEAST_SINGLE_VALUES || single.counted / ALL_PER_SINGLE > single.count))
        return CRD_OK;
    crd_i_unseen_words *words = crd_i_alloc_zeroed(context, 1, sizeof *words);
    if (words == NULL) return crd_i_fail_memory(error);
    words->context = context;
    words->values = values;
    words->longest = longest == 0 ? LONGEST_SUFFIX : longest;
    bool are_words = true;
    crd_status status = CRD_OK;
    if (!copy_counts(words, counts) || !index_words(words) || !sum_classes(words)) status = crd_i_fail_memory(error);
    else if (longest == 0) status = is_predicted(words, single.count, &are_words, error);
    if (status == CRD_OK && are_words) *out = words;
    else crd_i_unseen_words_destroy(words);
    return status;
}

/* Converts the counts of a column's statistics, in the order of a view, into arrays that the caller frees. */
static crd_status unseen_words_open_counts(const crd_i_counts_rows *rows, const crd_i_view *view,
                                           crd_i_value_counts *out, double **counts, double **totals,
                                           crd_error *error) {
    crd_context *context = rows->context;
    size_t entries = rows->begins[view->value_count];
    *counts = crd_i_alloc(context, entries, sizeof **counts);
    *totals = crd_i_alloc(context, view->value_count, sizeof **totals);
    if (*counts == NULL || *totals == NULL) return crd_i_fail_memory(error);
    for (size_t index = 0; index < entries; index++)
        (*counts)[index] = crd_i_sums_value(rows->sums, rows->cells[index]);
    for (size_t v = 0; v < view->value_count; v++) (*totals)[v] = crd_i_counts_rows_total(rows, v);
    const crd_i_value_counts all = {
        view->value_count, view->condition_count, rows->begins, rows->conditions, *counts, *totals};
    *out = all;
    return CRD_OK;
}

crd_status crd_i_unseen_words_create(const crd_model *emissions, const crd_classifier *classifier, size_t attribute,
                                     const crd_settings *settings, crd_i_unseen_words **out, crd_error *error) {
    *out = NULL;
    const crd_i_attribute *own_attribute = &classifier->attributes[attribute];
    size_t column = attribute < emissions->schema->target ? attribute : attribute + 1;
    const crd_i_tally *tally = emissions->variables[column].tally;
    if (settings->unseen_words == CRD_I_UNSEEN_NONE || own_attribute->kind != CRD_KIND_CATEGORY ||
        own_attribute->is_joint || own_attribute->intervals.cuts != NULL || tally == NULL)
        return CRD_OK;
    crd_context *context = emissions->context;
    crd_i_counts_rows rows = {.context = context};
    double *counts = NULL, *totals = NULL;
    crd_i_schema_view *schema_view = NULL;
    crd_status status = crd_i_schema_view_create(emissions, &schema_view, error);
    if (status != CRD_OK) return status;
    const crd_i_view *view = &schema_view->views[column];
    crd_i_value_counts all;
    if (!crd_i_counts_rows_init(&rows, tally, view)) status = crd_i_fail_memory(error);
    else status = unseen_words_open_counts(&rows, view, &all, &counts, &totals, error);
    if (status == CRD_OK)
        status = crd_i_unseen_words_of(context, own_attribute->values, &all,
                                       settings->unseen_words == CRD_I_UNSEEN_SUFFIX ? settings->longest_suffix : 0,
                                       out, error);
    crd_i_counts_rows_clear(&rows);
    crd_free(context, counts);
    crd_free(context, totals);
    crd_i_schema_view_destroy(schema_view);
    return status;
}
