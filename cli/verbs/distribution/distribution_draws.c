/* distribution_draws.c - rows drawn from a distribution. */
#include "core/json_writer.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/text_table.h"
#include "verbs/distribution/distribution_questions.h"

#include <stdlib.h>

/* Where draws go: a line each. */
typedef struct drawing {
    output out;
    json json;
    table *table;
} drawing;

/* A table is laid out by this many draws at a time. */
enum { DRAWS_LAID_OUT = 1000 };

static void write_names(drawing *w, size_t count) {
    w->json = json_begin(w->out.stream, false);
    if (w->out.format == FORMAT_JSON) return;
    if (w->out.format != FORMAT_CSV) w->table = table_create_for(&w->out, count);
    for (size_t i = 0; i < count; i++) {
        char name[32] = "x";
        if (count > 1) snprintf(name, sizeof name, "x%zu", i + 1);
        if (w->table != NULL) table_add(w->table, name);
        else fprintf(w->out.stream, "%s%s", i == 0 ? "" : ",", name);
    }
    if (w->table == NULL) fputc('\n', w->out.stream);
}

static void write_draw(drawing *w, const double *x, size_t count) {
    char room[ROUNDED_ROOM];
    if (w->out.format == FORMAT_JSON && count > 1) json_array(&w->json);
    for (size_t i = 0; i < count; i++) {
        switch (w->out.format) {
        case FORMAT_JSON: json_number(&w->json, x[i]); break;
        case FORMAT_CSV:
            if (i > 0) fputc(',', w->out.stream);
            output_csv_number(&w->out, x[i]);
            break;
        case FORMAT_TABLE:
        case FORMAT_MARKDOWN: table_add(w->table, output_round(x[i], room)); break;
        }
    }
    if (w->out.format == FORMAT_JSON && count > 1) json_end_array(&w->json);
    if (w->out.format == FORMAT_JSON) json_end_line(&w->json);
    if (w->out.format == FORMAT_CSV) fputc('\n', w->out.stream);
}

int distribution_draw(const invocation *call, const crd_distribution *d) {
    uint64_t count = 0, seed = 1;
    size_t n = crd_distribution_dimension(d);
    drawing w = {0};
    const char *question = distribution_question(call);
    if (question != NULL) return message_usage("--sample and --%s go apart", question);
    int ended = arguments_whole(&call->arguments, "sample", &count);
    if (ended == ENDED_WELL) ended = arguments_whole(&call->arguments, "seed", &seed);
    if (ended == ENDED_WELL) ended = output_open(call, &w.out);
    if (ended != ENDED_WELL) return ended;
    ended = output_choose_format(call, &w.out, FORMATS, w.out.to_terminal ? FORMAT_TABLE : FORMAT_CSV);
    if (ended != ENDED_WELL) return output_close(&w.out, ended);
    double *x = memory_resize(NULL, n, sizeof *x);
    write_names(&w, n);
    for (uint64_t i = 0; i < count && !output_broken(&w.out) && !invocation_interrupted(); i++) {
        crd_distribution_sample(d, seed, i, 1, x);
        write_draw(&w, x, n);
        if (w.table != NULL && i % DRAWS_LAID_OUT == DRAWS_LAID_OUT - 1) table_flush(w.table, w.out.stream);
    }
    if (invocation_interrupted()) {
        message_failed("interrupted");
        ended = invocation_interrupted_exit();
    } else if (w.table != NULL) {
        table_flush(w.table, w.out.stream);
    }
    table_destroy(w.table);
    free(x);
    return output_close(&w.out, ended);
}
