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

enum { ROWS_LAID_OUT = 1000 }; /* a table is laid out by this many rows at a time */

/* What came of one frame, until it is written: threads make several side by side. */
typedef struct answers {
    const crd_lane *lane; /* which has the rows, for as long as it has the frame */
    crd_posteriors *posteriors;
    string lines; /* in CSV or JSON; for tables there are none */
    size_t *ends; /* of each row, in `lines` */
    size_t ends_room;
} answers;

/* One run of predict: where its answers go, and what came with them. */
typedef struct prediction {
    const crd_classifier *classifier;
    output out;
    string *class_cells; /* the classes as fields of CSV; NULL for other formats */
    string lines;        /* the names of the columns, or the answer to what was given */
    table *table;
    bool shows_each_class; /* tables that would be too wide leave the columns P(...) out */
    size_t kept;           /* input columns before the answer; 0 without --keep */
    const crd_reader *reader;
    const given *given;
    answers *slots; /* of the frames that are being answered */
    uint64_t seen;  /* rows of this reading: where it began again, some are answered already */
    uint64_t rows, rows_with_unseen, unseen_cells, undecided;
} prediction;

/* One row's answer, and where its cells are. */
typedef struct answered {
    const crd_lane *lane;
    size_t row;
    const double *probabilities;
    const crd_answer *answer;
} answered;

static crd_text kept_name(const prediction *p, size_t column) {
    return p->reader != NULL ? crd_reader_column_name(p->reader, column)
                             : crd_classifier_attribute(p->classifier, column);
}

static crd_text kept_cell(const prediction *p, const answered *a, size_t column) {
    return a->lane != NULL ? crd_lane_cell(a->lane, a->row, column) : p->given->texts[column];
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

/* Adds the answer to one row as a line of CSV. Only `lines` changes, here and in what follows. */
static void add_csv(const prediction *p, string *lines, const answered *a) {
    for (size_t i = 0; i < p->kept; i++) {
        csv_add_cell(lines, kept_cell(p, a, i));
        string_add_char(lines, ',');
    }
    size_t classes = crd_classifier_class_count(p->classifier);
    int32_t decision = a->answer->decision;
    if (decision >= 0) {
        /* The probability of the decision stands twice. */
        char probability[CRD_NUMBER_ROOM];
        size_t length = crd_number_format(a->probabilities[decision], probability);
        string_add(lines, p->class_cells[decision].bytes, p->class_cells[decision].length);
        string_add_char(lines, ',');
        string_add(lines, probability, length);
        for (size_t c = 0; c < classes; c++) {
            string_add_char(lines, ',');
            if (c == (size_t)decision) string_add(lines, probability, length);
            else csv_add_number(lines, a->probabilities[c]);
        }
    } else {
        for (size_t c = 0; c < classes + 1; c++) string_add_char(lines, ',');
    }
    string_add_char(lines, ',');
    csv_add_number(lines, a->answer->log_evidence);
    string_add_char(lines, ',');
    csv_add_number(lines, a->answer->unseen);
    string_add_char(lines, '\n');
}

/* The same as a line of JSON. */
static void add_json(const prediction *p, string *lines, const answered *a) {
    json line = json_begin_text(lines, false), *j = &line;
    bool decided = a->answer->decision >= 0;
    json_object(j);
    if (p->kept > 0) {
        json_key(j, "row");
        json_object(j);
        for (size_t i = 0; i < p->kept; i++) {
            json_key_text(j, kept_name(p, i));
            json_text(j, kept_cell(p, a, i));
        }
        json_end_object(j);
    }
    json_key(j, "prediction");
    if (decided) {
        json_text(j, crd_classifier_class(p->classifier, (size_t)a->answer->decision));
    } else {
        json_null(j);
    }
    json_member_number(j, "probability", decided ? a->probabilities[a->answer->decision] : NAN);
    json_key(j, "posterior");
    json_object(j);
    for (size_t c = 0; c < crd_classifier_class_count(p->classifier); c++) {
        json_key_text(j, crd_classifier_class(p->classifier, c));
        json_number(j, decided ? a->probabilities[c] : NAN);
    }
    json_end_object(j);
    json_member_number(j, "log_evidence", a->answer->log_evidence);
    json_member_number(j, "unseen", a->answer->unseen);
    json_end_object(j);
    json_end_line(j);
}

static void add_line(const prediction *p, string *lines, const answered *a) {
    if (p->out.format == FORMAT_CSV) add_csv(p, lines, a);
    else add_json(p, lines, a);
}

static void write_table(prediction *p, const answered *a) {
    char room[ROUNDED_ROOM];
    bool decided = a->answer->decision >= 0;
    for (size_t i = 0; i < p->kept; i++) table_add_name(p->table, kept_cell(p, a, i));
    table_add_name(p->table, decided ? crd_classifier_class(p->classifier, (size_t)a->answer->decision)
                                     : crd_text_of("(all at zero)"));
    table_add(p->table, decided ? output_round(a->probabilities[a->answer->decision], room) : "");
    for (size_t c = 0; p->shows_each_class && c < crd_classifier_class_count(p->classifier); c++) {
        table_add(p->table, decided ? output_round(a->probabilities[c], room) : "");
    }
    table_format(p->table, "%lu", (unsigned long)a->answer->unseen);
    if (p->rows % ROWS_LAID_OUT == 0) table_flush(p->table, p->out.stream);
}

static void write_lines(prediction *p) {
    output_write(&p->out, p->lines.bytes, p->lines.length);
    string_clear(&p->lines);
}

static void count_answer(prediction *p, const crd_answer *answer) {
    p->rows++;
    p->unseen_cells += answer->unseen;
    p->rows_with_unseen += answer->unseen > 0;
    p->undecided += answer->decision < 0;
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
    size_t classes = crd_classifier_class_count(p->classifier);
    double *probabilities = memory_resize(NULL, classes, sizeof *probabilities);
    p->given = &g;
    if (arguments_have(&call->arguments, "keep")) p->kept = crd_classifier_attribute_count(p->classifier);
    given_warn_of_unseen(&g);
    ended = open_answers(p, call);
    if (ended == ENDED_WELL) {
        if (crd_classifier_posterior(p->classifier, g.values, probabilities, &answer, &error) == CRD_OK) {
            for (size_t c = 0; c < classes; c++) probabilities[c] = crd_exp(probabilities[c]);
            answered a = {.probabilities = probabilities, .answer = &answer};
            count_answer(p, &answer);
            if (p->table != NULL) write_table(p, &a);
            else add_line(p, &p->lines, &a);
        } else {
            ended = report_error(&error);
        }
    }
    ended = close_answers(p, ended);
    free(probabilities);
    given_free(&g);
    return ended;
}

static answered answered_row(const answers *from, size_t row) {
    return (answered){.lane = from->lane,
                      .row = row,
                      .probabilities = crd_posteriors_probabilities(from->posteriors, row),
                      .answer = crd_posteriors_answer(from->posteriors, row)};
}

/* Answers a frame; several threads do, each into a slot of its own. */
static crd_status answer_frame(void *user, unsigned slot, const crd_lane *lane, const crd_frame *frame,
                               crd_error *error) {
    const prediction *p = user;
    answers *own = &p->slots[slot];
    own->lane = lane;
    crd_status status = crd_classifier_classify(p->classifier, frame, own->posteriors, error);
    if (status != CRD_OK || p->table != NULL) return status;
    size_t rows = crd_posteriors_rows(own->posteriors);
    if (own->ends_room < rows) {
        own->ends = memory_resize(own->ends, rows, sizeof *own->ends);
        own->ends_room = rows;
    }
    string_clear(&own->lines);
    for (size_t row = 0; row < rows; row++) {
        answered a = answered_row(own, row);
        add_line(p, &own->lines, &a);
        own->ends[row] = own->lines.length;
    }
    return CRD_OK;
}

/* Writes what came of the next frame. Rows that were answered before a reader began again are not answered twice. */
static crd_status write_answers(void *user, unsigned slot, crd_error *error) {
    prediction *p = user;
    const answers *from = &p->slots[slot];
    size_t rows = crd_posteriors_rows(from->posteriors);
    uint64_t due = p->rows - p->seen;
    size_t done = due < rows ? (size_t)due : rows;
    p->seen += rows;
    for (size_t row = done; row < rows; row++) {
        answered a = answered_row(from, row);
        count_answer(p, a.answer);
        if (p->table != NULL) write_table(p, &a);
    }
    write_lines(p);
    if (p->table == NULL && done < rows) {
        size_t begin = done == 0 ? 0 : from->ends[done - 1];
        output_write(&p->out, from->lines.bytes + begin, from->lines.length - begin);
    }
    if (!output_broken(&p->out)) return CRD_OK;
    error->status = CRD_ERROR_CANCELLED;
    return CRD_ERROR_CANCELLED;
}

static void answer_again(void *user) {
    ((prediction *)user)->seen = 0;
}

static int predict_rows(const invocation *call, prediction *p, crd_reader *reader) {
    crd_process process = CRD_PROCESS_INIT;
    process.user = p;
    process.work = answer_frame;
    process.take = write_answers;
    process.restart = answer_again;
    process.threads = p->table != NULL ? 1 : 0; /* a table shows cells of the frame when its turn has come */
    unsigned slots = crd_process_slots(&process, reader);
    crd_error error;
    crd_status status = CRD_OK;
    p->slots = memory_resize(NULL, slots, sizeof *p->slots);
    for (unsigned i = 0; i < slots; i++) p->slots[i] = (answers){0};
    for (unsigned i = 0; i < slots && status == CRD_OK; i++) {
        status = crd_posteriors_create(call->context, &p->slots[i].posteriors, &error);
    }
    if (status == CRD_OK) status = crd_reader_process(reader, &process, &error);
    for (unsigned i = 0; i < slots; i++) {
        crd_posteriors_destroy(p->slots[i].posteriors);
        string_free(&p->slots[i].lines);
        free(p->slots[i].ends);
    }
    free(p->slots);
    /* Closing the answers tells why they cannot be written. */
    return status == CRD_OK || output_broken(&p->out) ? ENDED_WELL : report_error(&error);
}

static int predict_files(const invocation *call, const crd_model *model, prediction *p) {
    const arguments *words = &call->arguments;
    bool keep = arguments_have(words, "keep");
    crd_error error;
    data d;
    int ended = data_open(call, words->operands + 1, words->operand_count - 1, keep, &d);
    if (ended != ENDED_WELL) return ended;
    p->reader = d.reader;
    if (keep) p->kept = crd_reader_column_count(d.reader);
    if (crd_model_bind(model, d.reader, &error) != CRD_OK) {
        ended = report_error(&error);
    } else {
        ended = open_answers(p, call);
        if (ended == ENDED_WELL) ended = predict_rows(call, p, d.reader);
        ended = close_answers(p, ended);
    }
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
