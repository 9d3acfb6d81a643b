/* SPDX-License-Identifier: MIT */
/* compare_text.c - the results of a comparison in sentences, the same for every front end: why a candidate was
 * chosen, which candidates were not tried, and whether a model is worse than the class prior. A setting that helps
 * is written as name=value. */
#include "evaluate/compare_internal.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A gain of fewer standard errors than this may be chance. */
static const double CERTAIN = 2;
/* A log loss is worse than the class prior's if it is larger by more than this many standard errors and by more than
 * this amount. */
static const double WORSE_ERRORS = 2, WORSE = 0.01;

/* ---- Writing ---- */

typedef struct text_sentence {
    crd_i_buffer buffer;
    bool failed;
} text_sentence;

/* Appends formatted text. Text is cut at the length of an error message. */
__attribute__((format(printf, 2, 3))) static void add(text_sentence *sentence, const char *format, ...) {
    char text[sizeof((crd_error *)NULL)->message];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const size_t shown = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    sentence->failed = sentence->failed || !crd_i_buffer_append(&sentence->buffer, text, shown);
}

enum { NUMBER_ROOM = 32 };

/* Writes a number with five significant digits, with a decimal point in any locale. Returns `buffer`. */
static const char *compare_text_rounded(double value, char buffer[NUMBER_ROOM]) {
    if (isnan(value)) return strcpy(buffer, "-");
    const bool is_large = fabs(value) >= 1e5 && fabs(value) < 1e15;
    snprintf(buffer, NUMBER_ROOM, is_large ? "%.0f" : "%.5g", value);
    for (char *cursor = buffer; *cursor != '\0'; cursor++)
        if (*cursor == ',') *cursor = '.';
    return buffer;
}

/* Sets *out to the text, which the caller frees with crd_free. */
static crd_status compare_text_take(text_sentence *sentence, char **out, crd_error *error) {
    sentence->failed = sentence->failed || !crd_i_buffer_append(&sentence->buffer, "", 1);
    *out = sentence->failed ? NULL : (char *)sentence->buffer.bytes;
    if (!sentence->failed) return CRD_OK;
    crd_i_buffer_clear(&sentence->buffer);
    return crd_i_fail_memory(error);
}

static const char *compare_text_plural(size_t count) {
    return count == 1 ? "" : "s";
}

/* ---- Choices ---- */

/* Appends a sentence if the gain over the class prior may be chance. */
static void compare_text_add_gain(const crd_recommendation *r, text_sentence *sentence) {
    char gain[NUMBER_ROOM], error[NUMBER_ROOM];
    if (!(r->gain < CERTAIN * r->gain_error)) return;
    add(sentence, " The gain over the class prior (%s ± %s per row) may be chance.",
        compare_text_rounded(r->gain, gain), compare_text_rounded(r->gain_error, error));
}

crd_status crd_selection_reason(const crd_selection *selection, char **out, crd_error *error) {
    const crd_recommendation *r = &selection->recommendation;
    text_sentence sentence = {.buffer = {.context = selection->context}};
    char difference[NUMBER_ROOM], deviation[NUMBER_ROOM];
    switch (r->reason) {
    case CRD_RECOMMENDED_FIRST: add(&sentence, "No row has a log loss, so the simplest candidate was chosen."); break;
    case CRD_RECOMMENDED_NONE:
        if (r->tried == 1) add(&sentence, "The only candidate tried is not better than the class prior.");
        else add(&sentence, "None of the %zu candidates tried is better than the class prior.", r->tried);
        break;
    case CRD_RECOMMENDED_BEST:
        add(&sentence, "Lowest log loss of %zu candidate%s tried.", r->tried, compare_text_plural(r->tried));
        compare_text_add_gain(r, &sentence);
        break;
    case CRD_RECOMMENDED_SIMPLER:
        add(&sentence,
            "Simpler than %s, the best of %zu candidate%s tried; the difference (%s%s ± %s per row) may be chance.",
            selection->candidates[r->best].result.name, r->tried, compare_text_plural(r->tried),
            r->difference >= 0 ? "+" : "", compare_text_rounded(r->difference, difference),
            compare_text_rounded(r->difference_error, deviation));
        compare_text_add_gain(r, &sentence);
        break;
    }
    return compare_text_take(&sentence, out, error);
}

/* Returns whether the candidate is a calibrated form of another candidate with the same status. */
static bool is_listed_as_base(const crd_selection *selection, size_t candidate) {
    const crd_comparison_result *one = &selection->candidates[candidate].result;
    const char *comma = strrchr(one->name, ',');
    if (comma == NULL || (strcmp(comma, ", scaled") != 0 && strcmp(comma, ", isotonic") != 0)) return false;
    const size_t length = (size_t)(comma - one->name);
    for (size_t i = 0; i < candidate; i++) {
        const crd_comparison_result *base = &selection->candidates[i].result;
        if (strlen(base->name) == length && memcmp(base->name, one->name, length) == 0)
            return base->status == one->status;
    }
    return false;
}

/* Returns how many have the status. */
static size_t compare_text_list(const crd_selection *selection, bool is_over_budget, const char *opening,
                                text_sentence *sentence) {
    size_t listed = 0, count = 0;
    for (size_t i = 0; i < selection->count; i++) {
        const crd_comparison_result *one = &selection->candidates[i].result;
        if (one->status == CRD_CANDIDATE_SCORED || (one->status == CRD_CANDIDATE_OVER_BUDGET) != is_over_budget)
            continue;
        count++;
        if (!is_listed_as_base(selection, i)) add(sentence, "%s%s", listed++ == 0 ? opening : "; ", one->name);
    }
    if (count > listed) add(sentence, " (%zu with their calibrated forms)", count);
    if (count > 0) add(sentence, ".");
    return count;
}

static void add_budgets(const crd_recommendation *r, size_t count, text_sentence *sentence) {
    char larger[NUMBER_ROOM];
    if (count == 0 || r->sufficient_budget == 0) return;
    const bool is_step = r->more > 0 && r->larger_budget < r->sufficient_budget;
    if (is_step)
        add(sentence, " Use budget=%s to try %zu of them, ", compare_text_rounded(r->larger_budget, larger), r->more);
    add(sentence, "%sbudget=%.0f to try %s.", is_step ? "" : " Use ", r->sufficient_budget, count == 1 ? "it" : "all");
}

crd_status crd_selection_not_tried(const crd_selection *selection, char **out, crd_error *error) {
    text_sentence sentence = {.buffer = {.context = selection->context}};
    const size_t over_budget = compare_text_list(selection, true, "Not tried, to stay within the budget: ", &sentence);
    add_budgets(&selection->recommendation, over_budget, &sentence);
    compare_text_list(selection, false, over_budget == 0 ? "Could not be tried: " : " Could not be tried: ", &sentence);
    return compare_text_take(&sentence, out, error);
}

/* ---- The class prior ---- */

crd_status crd_method_check_warning(crd_context *context, const crd_method_check *check, char **out, crd_error *error) {
    char loss[NUMBER_ROOM], baseline[NUMBER_ROOM];
    text_sentence sentence = {.buffer = {.context = context}};
    *out = NULL;
    if (check->rows == 0 || !(check->excess > WORSE_ERRORS * check->excess_error && check->excess > WORSE))
        return CRD_OK;
    add(&sentence, "the model is worse than the class prior alone: log loss %s against %s on %llu held-out rows",
        compare_text_rounded(check->log_loss, loss), compare_text_rounded(check->baseline_log_loss, baseline),
        (unsigned long long)check->rows);
    return compare_text_take(&sentence, out, error);
}
