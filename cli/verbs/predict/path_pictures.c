/* SPDX-License-Identifier: MIT */
/* path_pictures.c - see path_pictures.h. */
#include "verbs/predict/path_pictures.h"

#include "core/messages.h"
#include "core/pictures.h"
#include "core/report_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool path_pictures_has(const path_pictures *p, uint64_t sequence) {
    return sequence < SEQUENCES_DRAWN && pictures_path(p->call) != NULL;
}

static void path_pictures_grow(drawn_sequence *s, size_t steps, size_t state_count) {
    if (s->steps + steps <= s->capacity) return;
    s->capacity = 2 * (s->steps + steps);
    s->states = memory_resize(s->states, s->capacity, sizeof *s->states);
    s->posteriors = memory_resize(s->posteriors, s->capacity * state_count, sizeof *s->posteriors);
}

void path_pictures_add(path_pictures *p, uint64_t sequence, crd_text name, const crd_decoded *piece,
                       size_t state_count) {
    if (!path_pictures_has(p, sequence)) return;
    drawn_sequence *s = &p->items[sequence];
    if (p->count <= sequence) p->count = (size_t)sequence + 1;
    if (s->name.length == 0) string_add_shown(&s->name, name);
    size_t steps = piece->steps;
    if (steps > STEPS_DRAWN - s->steps) steps = STEPS_DRAWN - s->steps;
    path_pictures_grow(s, steps, state_count);
    for (size_t t = 0; t < steps; t++) {
        s->states[s->steps] = piece->states[t];
        for (size_t k = 0; k < state_count; k++)
            s->posteriors[s->steps * state_count + k] =
                piece->is_impossible ? (double)NAN : piece->posteriors[t * state_count + k];
        s->steps++;
    }
}

void path_pictures_clear(path_pictures *p) {
    for (size_t i = 0; i < p->count; i++) {
        string_free(&p->items[i].name);
        free(p->items[i].states);
        free(p->items[i].posteriors);
        p->items[i] = (drawn_sequence){.steps = 0};
    }
    p->count = 0;
}

/* Draws the states of one sequence. */
static int path_pictures_draw(crd_result *r, const drawn_sequence *s, const crd_text *states, size_t state_count) {
    crd_plot_path plot = CRD_PLOT_PATH_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    plot.states = states;
    plot.state_count = state_count;
    plot.step_count = s->steps;
    plot.path = s->states;
    plot.posteriors = s->posteriors;
    plot.time_name = crd_text_of("step");
    options.title = crd_text_of(
        crd_result_format(r, "Sequence %s%s", string_text(&s->name), s->steps == STEPS_DRAWN ? ", first steps" : ""));
    options.width = 980;
    crd_status status = crd_plot_draw_path(crd_result_context(r), &plot, &options, &svg, &error);
    return report_add_picture(r, status, &svg, &error);
}

int path_pictures_write(const path_pictures *p, const crd_text *states, size_t state_count) {
    if (pictures_path(p->call) == NULL) return ENDED_WELL;
    crd_result *r = report_create_drawn(p->call);
    crd_result_line(r, CRD_LINE, "Lines show the most probable state at each step, shades show the posteriors.");
    int ended = ENDED_WELL;
    for (size_t i = 0; i < p->count && ended == ENDED_WELL; i++)
        if (p->items[i].steps > 0) ended = path_pictures_draw(r, &p->items[i], states, state_count);
    if (ended == ENDED_WELL) ended = pictures_check_report(r, p->call);
    if (ended == ENDED_WELL) ended = report_write_pictures(r, p->call);
    crd_result_destroy(r);
    return ended;
}
