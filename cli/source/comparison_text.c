/* SPDX-License-Identifier: MIT */
/* comparison_text.c - see comparison_text.h. */
#include "source/comparison_text.h"

#include "core/output.h"

static crd_comparison_result result_of(const crd_comparison *comparison, size_t candidate) {
    crd_comparison_result result = CRD_COMPARISON_RESULT_INIT;
    crd_comparison_result_at(comparison, candidate, &result);
    return result;
}

void comparison_add_not_tried(const crd_comparison *comparison, string *out) {
    const char *between = " Not tried: ";
    size_t count = crd_comparison_count(comparison), left_out = 0;
    for (size_t i = 0; i < count; i++) {
        crd_comparison_result one = result_of(comparison, i);
        if (one.status == CRD_CANDIDATE_SCORED) continue;
        string_format(out, "%s%s", between, one.name);
        between = "; ";
        left_out++;
    }
    if (left_out > 0) string_add_char(out, '.');
}

/* A gain of less than so many standard errors may be none. */
static const double CERTAIN = 2;

static void add_gain(const crd_recommendation *r, string *out) {
    char gain[ROUNDED_ROOM], error[ROUNDED_ROOM];
    if (!(r->gain < CERTAIN * r->gain_error)) return;
    string_format(out, " Its gain over the class prior may be chance: log loss %s ± %s by row.",
                  output_round(-r->gain, gain), output_round(r->gain_error, error));
}

void comparison_add_reason(const crd_comparison *comparison, string *out) {
    crd_recommendation r = CRD_RECOMMENDATION_INIT;
    char difference[ROUNDED_ROOM], error[ROUNDED_ROOM];
    crd_comparison_recommendation(comparison, &r);
    const char *plural = r.tried == 1 ? "" : "s";
    switch (r.reason) {
    case CRD_RECOMMENDED_FIRST: string_format(out, "No row is in a log loss: this is the simplest."); return;
    case CRD_RECOMMENDED_NONE:
        string_format(out, "None of the %zu candidate%s tried does better than the class prior.", r.tried, plural);
        comparison_add_not_tried(comparison, out);
        return;
    case CRD_RECOMMENDED_BEST:
        string_format(out, "Its log loss is the least of %zu candidate%s tried.", r.tried, plural);
        break;
    case CRD_RECOMMENDED_SIMPLER:
        string_format(out,
                      "It is simpler than %s, the best of %zu candidate%s tried, and no worse but by chance: log loss "
                      "%s%s ± %s by row.",
                      result_of(comparison, r.best).name, r.tried, plural, r.difference >= 0 ? "+" : "",
                      output_round(r.difference, difference), output_round(r.difference_error, error));
        break;
    }
    add_gain(&r, out);
}

void comparison_add_why_left_out(const invocation *call, const crd_comparison_result *one, string *out) {
    const char *patience = arguments_value(&call->arguments, "patience");
    switch (one->status) {
    case CRD_CANDIDATE_PENDING: string_format(out, "interrupted before it was done"); break;
    case CRD_CANDIDATE_TOO_SLOW:
    case CRD_CANDIDATE_TIMED_OUT:
        string_format(out, "it takes longer than --patience %s", patience == NULL ? "120" : patience);
        break;
    case CRD_CANDIDATE_SCORED:
    case CRD_CANDIDATE_TOO_LARGE:
    case CRD_CANDIDATE_FAILED: string_format(out, "%s", one->message); break;
    }
}
