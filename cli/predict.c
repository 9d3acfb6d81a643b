/* predict.c - a decision with its probabilities for each row, in bounded memory. */
#include "data.h"
#include "given.h"
#include "json.h"
#include "model_or_table.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "table.h"
#include "verb.h"
#include "working.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_LAID_OUT = 1000,     /* a table is laid out by this many rows at a time */
    LINES_WRITTEN = 64 * 1024 /* bytes of lines that are written at once */
};

/* One run of predict: where its answers go, and what came with them. */
typedef struct prediction {
    const crd_classifier *classifier;
    output out;
    string *class_cells; /* the classes as fields of CSV; NULL for other formats */
    string lines;        /* answers in CSV or JSON that are not written yet */
    table *table;
    bool shows_each_class; /* tables that would be too wide leave the columns P(...) out */
    size_t kept;           /* input columns before the answer; 0 without --keep */
    const crd_reader *reader;
    const given *given;
    uint64_t rows, rows_with_unseen, unseen_cells, undecided;
} prediction;

static crd_text kept_name(const prediction *p, size_t column) {
    return p->reader != NULL ? crd_reader_column_name(p->reader, column)
                             : crd_classifier_attribute(p->classifier, column);
}

static crd_text kept_cell(const prediction *p, size_t row, size_t column) {
    return p->reader != NULL ? crd_reader_cell(p->reader, row, column) : p->given->texts[column];
}

static void open_csv(prediction *p) {
    size_t classes = crd_classifier_class_count(p->classifier);
    p->class_cells = memory_resize(NULL, classes, sizeof *p->class_cells);
    for (size_t i = 0; i < p->kept; i++) {
        csv_add_text(&p->lines, kept_name(p, i));
        string_add_char(&p->lines, ',');
    }
    string_add(&p->lines, "prediction,probability", strlen("prediction,probability"));
    for (size_t c = 0; c < classes; c++) {
        crd_text name = crd_classifier_class(p->classifier, c);
        p->class_cells[c] = (string){0};
        csv_add_text(&p->class_cells[c], name);
        string heading = {0};
        string_add(&heading, "P(", 2);
        string_add(&heading, name.bytes, name.length);
        string_add(&heading, ")", 1);
        string_add_char(&p->lines, ',');
        csv_add_text(&p->lines, (crd_text){heading.bytes, heading.length});
        string_free(&heading);
    }
    string_add(&p->lines, ",log_evidence,unseen\n", strlen(",log_evidence,unseen\n"));
}

static void open_table(prediction *p) {
    size_t classes = crd_classifier_class_count(p->classifier), width = 0;
    string name = {0};
    for (size_t c = 0; c < classes; c++) {
        string_add_shown(&name, crd_classifier_class(p->classifier, c));
        string_format(&name, "P()  ");
    }
    width = table_text_width(string_text(&name), name.length);
    string_free(&name);
    p->shows_each_class = p->out.width == 0 || width + strlen("prediction  probability  unseen") < p->out.width;
    if (!p->shows_each_class) {
        report_note(
            "P(...) of each class is left out: that takes %zu columns of the terminal, which has %zu (--format csv "
            "has all of it)",
            width + strlen("prediction  probability  unseen") + 1, p->out.width);
    }
    p->table = table_create_for(&p->out, p->kept + 3 + (p->shows_each_class ? classes : 0));
    for (size_t i = 0; i < p->kept; i++) {
        table_align_left(p->table, i);
        table_add_name(p->table, kept_name(p, i));
    }
    table_align_left(p->table, p->kept);
    table_add(p->table, "prediction");
    table_add(p->table, "probability");
    for (size_t c = 0; p->shows_each_class && c < classes; c++) {
        string heading = {0};
        string_format(&heading, "P(");
        string_add_shown(&heading, crd_classifier_class(p->classifier, c));
        table_format(p->table, "%s)", string_text(&heading));
        string_free(&heading);
    }
    table_add(p->table, "unseen");
}

/* Whoever reads the answer by the names of its columns would find one of them twice. */
static void warn_of_names_kept(const prediction *p) {
    static const char *const ours[] = {"prediction", "probability", "log_evidence", "unseen"};
    for (size_t i = 0; i < p->kept && p->out.format != FORMAT_JSON; i++) {
        for (size_t j = 0; j < sizeof ours / sizeof ours[0]; j++) {
            if (!crd_text_equal(kept_name(p, i), crd_text_of(ours[j]))) continue;
            report_warning("--keep: the input has a column '%s' too, so that the name stands twice; the last is the "
                           "answer",
                           ours[j]);
        }
    }
}

static int open_answers(prediction *p, const invocation *call) {
    int ended = output_open(call, &p->out);
    if (ended != ENDED_WELL) return ended;
    if (p->out.to_terminal) progress_forbid();
    ended = output_choose_format(call, &p->out, FORMATS_OF_ROWS, p->out.to_terminal ? FORMAT_TABLE : FORMAT_CSV);
    if (ended != ENDED_WELL) return ended;
    warn_of_names_kept(p);
    switch (p->out.format) {
    case FORMAT_TABLE:
    case FORMAT_MARKDOWN: open_table(p); break;
    case FORMAT_CSV: open_csv(p); break;
    case FORMAT_JSON: break;
    }
    return ENDED_WELL;
}

/* Adds the answer to one row of the reader's frame as a line of CSV. Only `lines` changes. */
static void add_csv(const prediction *p, string *lines, size_t row, const double *log_posterior,
                    const crd_answer *answer) {
    for (size_t i = 0; i < p->kept; i++) {
        csv_add_cell(lines, kept_cell(p, row, i));
        string_add_char(lines, ',');
    }
    bool decided = answer->decision >= 0;
    if (decided) string_add(lines, p->class_cells[answer->decision].bytes, p->class_cells[answer->decision].length);
    string_add_char(lines, ',');
    if (decided) csv_add_number(lines, crd_exp(log_posterior[answer->decision]));
    for (size_t c = 0; c < crd_classifier_class_count(p->classifier); c++) {
        string_add_char(lines, ',');
        if (decided) csv_add_number(lines, crd_exp(log_posterior[c]));
    }
    string_add_char(lines, ',');
    csv_add_number(lines, answer->log_evidence);
    string_add_char(lines, ',');
    csv_add_number(lines, answer->unseen);
    string_add_char(lines, '\n');
}

/* The same as a line of JSON. */
static void add_json(const prediction *p, string *lines, size_t row, const double *log_posterior,
                     const crd_answer *answer) {
    json line = json_begin_text(lines, false), *j = &line;
    bool decided = answer->decision >= 0;
    json_object(j);
    if (p->kept > 0) {
        json_key(j, "row");
        json_object(j);
        for (size_t i = 0; i < p->kept; i++) {
            json_key_text(j, kept_name(p, i));
            json_text(j, kept_cell(p, row, i));
        }
        json_end_object(j);
    }
    json_key(j, "prediction");
    if (decided) {
        json_text(j, crd_classifier_class(p->classifier, (size_t)answer->decision));
    } else {
        json_null(j);
    }
    json_member_number(j, "probability", decided ? crd_exp(log_posterior[answer->decision]) : NAN);
    json_key(j, "posterior");
    json_object(j);
    for (size_t c = 0; c < crd_classifier_class_count(p->classifier); c++) {
        json_key_text(j, crd_classifier_class(p->classifier, c));
        json_number(j, decided ? crd_exp(log_posterior[c]) : NAN);
    }
    json_end_object(j);
    json_member_number(j, "log_evidence", answer->log_evidence);
    json_member_number(j, "unseen", answer->unseen);
    json_end_object(j);
    json_end_line(j);
}

static void write_table(prediction *p, size_t row, const double *log_posterior, const crd_answer *answer) {
    char room[ROUNDED_ROOM];
    bool decided = answer->decision >= 0;
    for (size_t i = 0; i < p->kept; i++) table_add_name(p->table, kept_cell(p, row, i));
    table_add_name(p->table, decided ? crd_classifier_class(p->classifier, (size_t)answer->decision)
                                     : crd_text_of("(all at zero)"));
    table_add(p->table, decided ? output_round(crd_exp(log_posterior[answer->decision]), room) : "");
    for (size_t c = 0; p->shows_each_class && c < crd_classifier_class_count(p->classifier); c++) {
        table_add(p->table, decided ? output_round(crd_exp(log_posterior[c]), room) : "");
    }
    table_format(p->table, "%lu", (unsigned long)answer->unseen);
    if (p->rows % ROWS_LAID_OUT == 0) table_flush(p->table, p->out.stream);
}

static void write_lines(prediction *p) {
    if (p->lines.length > 0) fwrite(p->lines.bytes, 1, p->lines.length, p->out.stream);
    string_clear(&p->lines);
}

static void write_answer(prediction *p, size_t row, const double *log_posterior, const crd_answer *answer) {
    p->rows++;
    p->unseen_cells += answer->unseen;
    p->rows_with_unseen += answer->unseen > 0;
    p->undecided += answer->decision < 0;
    switch (p->out.format) {
    case FORMAT_TABLE:
    case FORMAT_MARKDOWN: write_table(p, row, log_posterior, answer); break;
    case FORMAT_CSV: add_csv(p, &p->lines, row, log_posterior, answer); break;
    case FORMAT_JSON: add_json(p, &p->lines, row, log_posterior, answer); break;
    }
    if (p->lines.length >= LINES_WRITTEN) write_lines(p);
}

static int close_answers(prediction *p, int ended) {
    char room[ROWS_ROOM];
    if (p->table != NULL) {
        if (ended == ENDED_WELL) table_flush(p->table, p->out.stream);
        table_destroy(p->table);
    }
    /* Answers from before a failure are answers too. */
    if (p->out.stream != NULL) write_lines(p);
    string_free(&p->lines);
    for (size_t c = 0; p->class_cells != NULL && c < crd_classifier_class_count(p->classifier); c++) {
        string_free(&p->class_cells[c]);
    }
    free(p->class_cells);
    ended = output_close(&p->out, ended);
    if (ended != ENDED_WELL) return ended;
    if (p->unseen_cells > 0) {
        report_note("left out %llu cell%s never seen in training, in %s", (unsigned long long)p->unseen_cells,
                    p->unseen_cells == 1 ? "" : "s", output_rows(p->rows_with_unseen, room));
    }
    if (p->undecided > 0) {
        report_note("%s without an answer: every class is at zero (%s)", output_rows(p->undecided, room),
                    working_zero_reason(crd_classifier_settings(p->classifier)));
    }
    return ENDED_WELL;
}

static int predict_given(const invocation *call, const crd_model *model, prediction *p) {
    crd_error error;
    crd_answer answer;
    given g;
    int ended = given_read_attributes(call, model, &g);
    if (ended != ENDED_WELL) return ended;
    double *log_posterior = memory_resize(NULL, crd_classifier_class_count(p->classifier), sizeof *log_posterior);
    p->given = &g;
    if (arguments_have(&call->arguments, "keep")) p->kept = crd_classifier_attribute_count(p->classifier);
    given_warn_of_unseen(&g);
    ended = open_answers(p, call);
    if (ended == ENDED_WELL) {
        if (crd_classifier_posterior(p->classifier, g.values, log_posterior, &answer, &error) == CRD_OK) {
            write_answer(p, 0, log_posterior, &answer);
        } else {
            ended = report_error(&error);
        }
    }
    ended = close_answers(p, ended);
    free(log_posterior);
    given_free(&g);
    return ended;
}

/* Rows that were answered before a reader began again are not answered twice. */
static int predict_frames(prediction *p, crd_reader *reader, crd_posteriors *posteriors) {
    crd_error error;
    uint64_t seen = 0;
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, &error);
        if (status == CRD_RESTART) {
            seen = 0;
            continue;
        }
        if (status != CRD_OK) return report_error(&error);
        if (frame == NULL || output_broken(&p->out)) return ENDED_WELL;
        if (crd_classifier_classify(p->classifier, frame, posteriors, &error) != CRD_OK) return report_error(&error);
        for (size_t row = 0; row < crd_posteriors_rows(posteriors); row++) {
            if (seen++ < p->rows) continue;
            write_answer(p, row, crd_posteriors_log(posteriors, row), crd_posteriors_answer(posteriors, row));
        }
        write_lines(p); /* who waits for the rows of a pipe gets those that came */
    }
}

static int predict_files(const invocation *call, const crd_model *model, prediction *p) {
    const arguments *words = &call->arguments;
    bool keep = arguments_have(words, "keep");
    crd_posteriors *posteriors = NULL;
    crd_error error;
    data d;
    int ended = data_open(call, words->operands + 1, words->operand_count - 1, keep, &d);
    if (ended != ENDED_WELL) return ended;
    p->reader = d.reader;
    if (keep) p->kept = crd_reader_column_count(d.reader);
    if (crd_model_bind(model, d.reader, &error) != CRD_OK ||
        crd_posteriors_create(call->context, &posteriors, &error) != CRD_OK) {
        ended = report_error(&error);
    } else {
        ended = open_answers(p, call);
        if (ended == ENDED_WELL) ended = predict_frames(p, d.reader, posteriors);
        ended = close_answers(p, ended);
    }
    crd_posteriors_destroy(posteriors);
    data_close(&d);
    return ended;
}

static int predict(const invocation *call, const crd_model *model, const crd_classifier *classifier, bool from_given) {
    prediction p = {.classifier = classifier};
    return from_given ? predict_given(call, model, &p) : predict_files(call, model, &p);
}

static int run(invocation *call) {
    return model_or_table_answer(call, "predict", predict);
}

static const option options[] = {
    OPTION_GIVEN,     OPTION_FORMAT,      OPTION_OUTPUT, {"keep", 0, NULL, "put the input's columns first"},
    OPTIONS_OF_TABLE, OPTIONS_OF_READING, OPTIONS_END};

const verb verb_predict = {
    .name = "predict",
    .usage = "predict MODEL DATA... | predict MODEL --given COL=VALUE,...",
    .summary = "Decides on each row, with probabilities",
    .about =
        "A line a row: the class, its probability, the probability of each class, the logarithm of the evidence, and\n"
        "how many cells were never seen in training and left out. A table on a terminal, csv elsewhere; json is an\n"
        "object a line, with the input under \"row\" where --keep asks for it. Of classes that tie, the first is\n"
        "named. Where every class is at zero there is no answer: the fields are empty.\n",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o days.model\n"
               "  credence predict days.model days.csv --keep\n",
    .options = options,
    .takes_settings = true,
    .run = run};
