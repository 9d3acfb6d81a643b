/* explain_network_print.c - see explain_network_print.h. */
#include "verbs/explain/explain_network_print.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/text_table.h"
#include "describe/network_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than these are shown with --all only. */
enum { STATES_SHOWN = 20, SENTENCES_SHOWN = 10 };
/* With more findings than these it would take long to find which of them screen others off. */
enum { SCREENS_LOOKED_FOR = 100 };

/* ---- Numbers ---- */

static void add_weight(table *t, double nats) {
    char room[ROUNDED_ROOM];
    if (isinf(nats)) {
        table_add(t, nats > 0 ? "+∞" : "-∞");
        table_add(t, nats > 0 ? "×∞" : "×0");
        return;
    }
    table_format(t, "%s%s", nats > 0 ? "+" : "", output_round(nats, room));
    table_format(t, "×%s", output_round(crd_exp(nats), room));
}

static void print_posterior(output *out, const explained *e, bool all) {
    char room[ROUNDED_ROOM];
    size_t states = crd_network_state_count(e->network, e->node), shown = states;
    const double *before = crd_evidence_analysis_before(e->reasons), *after = crd_evidence_analysis_after(e->reasons);
    string heading = {0};
    if (!all && shown > STATES_SHOWN) shown = STATES_SHOWN;
    network_add_node(&heading, e->network, e->node);
    output_heading(out, e->level, string_text(&heading), "");
    string_free(&heading);
    table *t = table_create_for(out, e->count == 0 ? 2 : 3);
    table_add(t, "");
    table_add(t, "before");
    if (e->count > 0) table_add(t, "after all");
    for (size_t i = 0; i < shown; i++) {
        table_add_name(t, crd_network_state(e->network, e->node, i));
        table_add(t, output_round(before[i], room));
        if (e->count > 0) table_add(t, output_round(after[i], room));
    }
    table_print(t, out->stream, 2, out->width);
    table_destroy(t);
    if (shown < states) output_remark(out, "and %zu states more (--all)", states - shown);
}

static void print_findings(output *out, const explained *e) {
    char room[ROUNDED_ROOM];
    string text = {0};
    network_add_state(&text, e->network, e->node, e->state);
    output_heading(out, e->level, "What each finding says of ", string_text(&text));
    table *t = table_create_for(out, 6);
    table_add(t, "finding");
    table_add(t, "it alone");
    table_add(t, "without it");
    table_add(t, "with all");
    table_add(t, "nats");
    table_add(t, "odds");
    for (size_t i = 0; i < e->count; i++) {
        string_clear(&text);
        network_add_finding(&text, e->network, &e->findings[i]);
        table_add_name(t, (crd_text){text.bytes, text.length});
        if (explained_is_premise(e, i)) {
            for (size_t column = 1; column < 6; column++) table_add(t, column == 1 ? "decided" : "");
            continue;
        }
        table_add(t, output_round(crd_evidence_analysis_alone(e->reasons, i)[e->state], room));
        table_add(t, output_round(crd_evidence_analysis_without(e->reasons, i)[e->state], room));
        table_add(t, output_round(crd_evidence_analysis_after(e->reasons)[e->state], room));
        add_weight(t, crd_evidence_analysis_weight(e->reasons, i, e->state));
    }
    table_print(t, out->stream, 2, out->width);
    table_destroy(t);
    string_free(&text);
}

/* ---- Sentences ---- */

/* ": without it Burglary=True would be 0.37355, with it 0.0032682" */
static void add_change(string *to, const explained *e, size_t finding, size_t state) {
    char room[ROUNDED_ROOM];
    string_format(to, ": without it ");
    network_add_state(to, e->network, e->node, state);
    string_format(to, " would be %s", output_round(crd_evidence_analysis_without(e->reasons, finding)[state], room));
    string_format(to, ", with it %s", output_round(crd_evidence_analysis_after(e->reasons)[state], room));
}

static void print_greatest(output *out, const explained *e) {
    size_t most = explained_most(e);
    string text = {0};
    if (most == SIZE_MAX) {
        bool is_exact = crd_evidence_analysis_approximation(e->reasons) == CRD_APPROXIMATION_NEVER;
        output_paragraph(out, "No finding %s.",
                         is_exact ? "changes the answer" : "is seen to change the answer: what differs may be chance");
        return;
    }
    char without[ROUNDED_ROOM], with[ROUNDED_ROOM];
    output_round(crd_evidence_analysis_without(e->reasons, most)[e->state], without);
    output_round(crd_evidence_analysis_after(e->reasons)[e->state], with);
    if (strcmp(without, with) == 0) {
        output_paragraph(out, "No finding changes the answer in the digits shown.");
        return;
    }
    network_add_finding(&text, e->network, &e->findings[most]);
    string_format(&text, " moved the answer most");
    add_change(&text, e, most, e->state);
    output_paragraph(out, "%s.", string_text(&text));
    string_free(&text);
}

/* What finding k does to finding i; false where there is nothing to say. */
static bool add_interplay(string *to, const explained *e, size_t i, size_t k) {
    size_t length, state;
    switch (explained_interplay(e, i, k, &state)) {
    case CRD_INTERACTION_EXPLAINS_AWAY:
        network_add_finding(to, e->network, &e->findings[k]);
        string_format(to, " explains ");
        network_add_finding(to, e->network, &e->findings[i]);
        string_format(to, " away");
        add_change(to, e, k, state);
        return true;
    case CRD_INTERACTION_SCREENS_OFF:
        /* What is separated is told with its reason. */
        if (crd_evidence_analysis_path(e->reasons, i, &length) == NULL) return false;
        network_add_finding(to, e->network, &e->findings[i]);
        string_format(to, " says hardly anything now that ");
        network_add_finding(to, e->network, &e->findings[k]);
        string_format(to, " is known");
        return true;
    case CRD_INTERACTION_OPENS:
        network_add_finding(to, e->network, &e->findings[i]);
        string_format(to, " says something only since ");
        network_add_finding(to, e->network, &e->findings[k]);
        string_format(to, " is known");
        return true;
    case CRD_INTERACTION_NONE: break;
    }
    return false;
}

static void print_interplay(output *out, const explained *e, bool all) {
    string text = {0};
    size_t found = 0;
    for (size_t i = 0; i < e->count; i++)
        for (size_t k = 0; k < e->count; k++) {
            string_clear(&text);
            if (i == k || !add_interplay(&text, e, i, k)) continue;
            if (all || found < SENTENCES_SHOWN) output_paragraph(out, "%s.", string_text(&text));
            found++;
        }
    if (!all && found > SENTENCES_SHOWN) {
        output_paragraph(out, "There are %zu pairs more of which one changes what the other says (--all).",
                         found - SENTENCES_SHOWN);
    }
    if (e->count > CRD_EVIDENCE_ANALYSIS_PAIRS)
        output_paragraph(out, "Which of them explain others away is told of up to %d findings.",
                         CRD_EVIDENCE_ANALYSIS_PAIRS);
    string_free(&text);
}

/* ---- Paths ---- */

static int is_separated(const explained *e, size_t finding, const size_t *given, size_t count, bool *is) {
    size_t *path = NULL, length = 0;
    int separated = 0;
    crd_error error;
    if (crd_network_separation(e->network, e->node, e->findings[finding].node, given, count, &separated, &path, &length,
                               &error) != CRD_OK) {
        return message_error(&error);
    }
    crd_free(e->context, path);
    *is = separated != 0;
    return ENDED_WELL;
}

/* The nodes of other findings that are enough to separate one from the node: none of them can be spared. */
static int find_screens(const explained *e, size_t finding, size_t *screens, size_t *count) {
    int ended = ENDED_WELL;
    *count = 0;
    for (size_t k = 0; k < e->count; k++)
        if (k != finding && e->findings[k].likelihoods == NULL) screens[(*count)++] = e->findings[k].node;
    for (size_t k = *count; k-- > 0 && ended == ENDED_WELL;) {
        size_t spared = screens[k];
        bool is = false;
        screens[k] = screens[*count - 1];
        ended = is_separated(e, finding, screens, *count - 1, &is);
        if (is) {
            (*count)--;
        } else {
            screens[k] = spared;
        }
    }
    return ended;
}

/* Why a finding is separated. */
static int add_reason(string *to, const explained *e, size_t finding) {
    bool is = false;
    size_t count = 0;
    size_t *screens = memory_resize(NULL, e->count, sizeof *screens);
    int ended = is_separated(e, finding, NULL, 0, &is);
    if (ended == ENDED_WELL && !is && e->count <= SCREENS_LOOKED_FOR) ended = find_screens(e, finding, screens, &count);
    string_format(to, is ? "independent of it, and the other findings do not change that" : "says nothing more");
    for (size_t i = 0; i < count; i++) {
        string_format(to, i == 0 ? " once " : i + 1 < count ? ", " : " and ");
        network_add_node(to, e->network, screens[i]);
    }
    if (!is) string_format(to, count == 0 ? ", the others being known" : count == 1 ? " is known" : " are known");
    free(screens);
    return ended;
}

static bool is_same_path(const size_t *a, size_t a_length, const size_t *b, size_t b_length) {
    bool is = a_length == b_length;
    for (size_t i = 0; is && i < a_length; i++) is = a[i] == b[i];
    return is;
}

/* The paths by which a finding explains others away, where the shortest is another. */
static void add_meetings(table *t, const explained *e, size_t finding) {
    size_t shown_length, length, state;
    const size_t *shown = crd_evidence_analysis_path(e->reasons, finding, &shown_length);
    string text = {0};
    for (size_t i = 0; i < e->count; i++) {
        if (i == finding || explained_interplay(e, i, finding, &state) != CRD_INTERACTION_EXPLAINS_AWAY) continue;
        const size_t *path = crd_evidence_analysis_meeting(e->reasons, i, finding, &length);
        if (is_same_path(path, length, shown, shown_length)) continue;
        string_clear(&text);
        network_add_path(&text, e->network, path, length);
        table_add(t, "");
        table_add(t, string_text(&text));
        shown = path;
        shown_length = length;
    }
    string_free(&text);
}

static int print_paths(output *out, const explained *e) {
    string text = {0};
    int ended = ENDED_WELL;
    network_add_node(&text, e->network, e->node);
    output_heading(out, e->level, "How they are joined with ", string_text(&text));
    table *t = table_create_for(out, 2);
    table_omit_heading(t);
    table_align_left(t, 1);
    for (size_t i = 0; i < e->count && ended == ENDED_WELL; i++) {
        size_t length;
        const size_t *path = crd_evidence_analysis_path(e->reasons, i, &length);
        if (explained_is_premise(e, i)) continue;
        table_add_name(t, crd_network_node_name(e->network, e->findings[i].node));
        string_clear(&text);
        if (path == NULL) ended = add_reason(&text, e, i);
        else network_add_path(&text, e->network, path, length);
        table_add(t, string_text(&text));
        add_meetings(t, e, i);
    }
    if (ended == ENDED_WELL) table_print(t, out->stream, 2, 0);
    table_destroy(t);
    string_free(&text);
    return ended;
}

static void print_error(output *out, const explained *e) {
    char room[ROUNDED_ROOM];
    double error = crd_evidence_analysis_error(e->reasons);
    if (crd_evidence_analysis_approximation(e->reasons) == CRD_APPROXIMATION_NEVER) return;
    if (isnan(error)) output_paragraph(out, "The answers are estimates, of which the error is not known.");
    else
        output_paragraph(
            out, "The answers are estimates, with standard errors up to %s: differences of that size may be chance.",
            output_round(error, room));
}

int explained_print(output *out, const explained *e, bool all) {
    print_posterior(out, e, all);
    if (e->count == 0) return ENDED_WELL;
    print_findings(out, e);
    print_greatest(out, e);
    print_interplay(out, e, all);
    int ended = print_paths(out, e);
    print_error(out, e);
    return ended;
}
