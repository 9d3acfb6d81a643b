/* SPDX-License-Identifier: MIT */
/* Classifiers that are more than naive Bayes: the same bits whichever way rows come in, in whatever order they were
 * learned, with what was fitted kept or fitted again; terms that add up; and tables that have little to say. */
#include "evaluate/leave_one_out.h"
#include "model_support.h"

#include "base/byte_codec.h"
#include "classify/classifier_internal.h"
#include "unit/math_random.h"

static allocations counted;
static crd_context *context;

static int set_up(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    context = counted_context(&counted);
    random_state = 5;
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return counted.live != 0;
}

/* ---- Tables and methods ---- */

enum { ROWS = 60, ROW_ROOM = 80, MOST_ATTRIBUTES = 6, MAX_CLASSES = 3 };

typedef struct scorers_method {
    const char *settings[7];
} scorers_method;

static const scorers_method methods[] = {
    {{"attribute-weights", "fitted", NULL}},
    {{"joint", "numbers", NULL}},
    {{"joint", "numbers", "joint-mixture", "2", NULL}},
    {{"joint", "categories", NULL}},
    {{"joint", "n,m", "attribute-weights", "fitted", NULL}},
    {{"joint", "n,m", "joint-mixture", "2", NULL}},
    {{"method", "joint", NULL}},
    {{"method", "aode", NULL}},
    {{"method", "pairwise", NULL}},
    {{"method", "trees", NULL}},
    {{"method", "bagging:3", NULL}},
    {{"method", "boosting:3", NULL}},
    {{"method", "stacking", NULL}},
    {{"calibration", "isotonic", NULL}},
    {{"calibration", "platt", NULL}},
    {{"method", "pairwise", "calibration", "isotonic", NULL}},
    {{"method", "network", "arcs", "class->color->size<-class", NULL}},
    {{"method", "network", "arcs", "color->class->size,empty->color", NULL}},
    {{"method", "network", "calibration", "platt", NULL}},
    {{"method", "tan", NULL}},
    {{"method", "kdb:1", "calibration", "platt", NULL}},
    {{"method", "network", "search", "hill-climb", NULL}},
};
enum { METHODS = sizeof methods / sizeof *methods };

/* Lines of a table with two dependent numbers and two dependent categories, a column without spread and one without
 * cells; of the rows so many. */
static void make_lines(char (*lines)[ROW_ROOM], size_t rows) {
    static const char *const classes[] = {"p", "q", "r"}, *const colors[] = {"red", "green", "blue"};
    for (size_t i = 0; i < rows; i++) {
        size_t k = random_bits() % 3, color = (random_bits() % 4 == 0 ? random_bits() : k) % 3;
        double n = (double)(random_bits() % 1000) / 250 + (double)k, m = n + (double)(random_bits() % 100) / 100;
        char number[24];
        snprintf(number, sizeof number, "%.3f", n);
        snprintf(lines[i], ROW_ROOM, "%s,%.2f,%s,%s,7,?,%s\n", random_bits() % 10 == 0 ? "?" : number, m,
                 random_bits() % 10 == 0 ? "?" : colors[color], color + random_bits() % 2 > 1 ? "big" : "small",
                 classes[k]);
    }
}

static const char heading[] = "n,m,color,size,constant,empty,class\n";

static void join(char *destination, const char (*lines)[ROW_ROOM], size_t rows, bool is_reversed) {
    strcpy(destination, heading);
    for (size_t i = 0; i < rows; i++) strcat(destination, lines[is_reversed ? rows - 1 - i : i]);
}

static crd_settings *settings_of(const scorers_method *method) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (const char *const *pair = method->settings; *pair != NULL; pair += 2)
        assert_done(crd_settings_set(settings, pair[0], crd_text_of(pair[1]), &error), error);
    return settings;
}

static crd_model *model_of(const char *text, const scorers_method *method) {
    crd_settings *settings = settings_of(method);
    crd_reader *reader;
    crd_model *model;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), "class", &reader, &error), error);
    assert_done(crd_model_train(context, reader, settings, &model, NULL, &error), error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return model;
}

static crd_classifier *classifier_of(const crd_model *model) {
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    return classifier;
}

/* A row of the table, with a cell or two that training may not have seen. */
static void draw_row(crd_value *values) {
    static const char *const colors[] = {"red", "green", "blue", "mauve"}, *const sizes[] = {"big", "small"};
    double n = (double)(random_bits() % 1000) / 250;
    values[0] = random_bits() % 4 == 0 ? missing_value() : number_value(n);
    values[1] = random_bits() % 4 == 0 ? missing_value() : number_value(n + 0.5);
    values[2] = random_bits() % 4 == 0 ? missing_value() : text_value(colors[random_bits() % 4]);
    values[3] = random_bits() % 4 == 0 ? missing_value() : text_value(sizes[random_bits() % 2]);
    values[4] = number_value((double)(random_bits() % 2) + 7);
    values[5] = missing_value();
}

typedef struct scorers_statement {
    double logs[MAX_CLASSES], probabilities[MAX_CLASSES];
    crd_answer answer;
} scorers_statement;

static scorers_statement ask(const crd_classifier *classifier, const crd_value *values) {
    scorers_statement one;
    crd_error error;
    memset(&one, 0, sizeof one);
    assert_done(crd_classifier_posterior(classifier, values, one.logs, one.probabilities, &one.answer, &error), error);
    return one;
}

static void assert_same(const scorers_statement *a, const double *logs, const double *probabilities,
                        const crd_answer *answer, size_t classes) {
    assert_memory_equal(a->logs, logs, classes * sizeof *logs);
    assert_memory_equal(a->probabilities, probabilities, classes * sizeof *probabilities);
    assert_int_equal(a->answer.decision, answer->decision);
    assert_int_equal(a->answer.tied, answer->tied);
    assert_int_equal(a->answer.unseen, answer->unseen);
    assert_memory_equal(&a->answer.log_evidence, &answer->log_evidence, sizeof(double));
}

static void assert_answers_alike(const crd_classifier *a, const crd_classifier *b) {
    for (int i = 0; i < 40; i++) {
        crd_value values[MOST_ATTRIBUTES];
        draw_row(values);
        scorers_statement one = ask(a, values), other = ask(b, values);
        assert_same(&one, other.logs, other.probabilities, &other.answer, crd_classifier_class_count(a));
    }
}

/* ---- Ways in ---- */

static void check_frames(const crd_classifier *classifier, const char *text) {
    crd_reader *reader;
    const crd_frame *frame;
    crd_posteriors *posteriors;
    crd_error error;
    size_t seen = 0;
    assert_done(open_text(context, text, strlen(text), "class", &reader, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    for (;;) {
        assert_done(crd_reader_next(reader, &frame, &error), error);
        if (frame == NULL) break;
        assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
        for (size_t row = 0; row < crd_frame_rows(frame); row++, seen++) {
            crd_value values[MOST_ATTRIBUTES];
            for (size_t i = 0; i < MOST_ATTRIBUTES; i++) values[i] = crd_frame_value(frame, row, i);
            scorers_statement alone = ask(classifier, values);
            assert_same(&alone, crd_posteriors_log(posteriors, row), crd_posteriors_probabilities(posteriors, row),
                        crd_posteriors_answer(posteriors, row), crd_classifier_class_count(classifier));
        }
    }
    assert_true(seen > 0);
    crd_posteriors_destroy(posteriors);
    crd_reader_close(reader);
}

/* As many rows in memory, by as many threads. */
static void check_rows(const crd_classifier *classifier, size_t rows, unsigned threads) {
    enum { MOST = 700 };
    static double cells[MOST * MOST_ATTRIBUTES], logs[MOST * MAX_CLASSES], probabilities[MOST * MAX_CLASSES];
    static crd_answer answers[MOST];
    size_t classes = crd_classifier_class_count(classifier);
    crd_error error;
    for (size_t row = 0; row < rows; row++) {
        crd_value values[MOST_ATTRIBUTES];
        draw_row(values);
        for (size_t i = 0; i < MOST_ATTRIBUTES; i++)
            cells[row * MOST_ATTRIBUTES + i] = values[i].type == CRD_TYPE_NUMERIC ? values[i].number : NAN;
    }
    crd_rows input = CRD_ROWS_INIT;
    input.values = cells;
    input.rows = rows;
    input.columns = MOST_ATTRIBUTES;
    crd_results results = CRD_RESULTS_INIT;
    results.rows = rows;
    results.log_posteriors = logs;
    results.probabilities = probabilities;
    results.answers = answers;
    results.threads = threads;
    assert_done(crd_classifier_classify_rows(classifier, &input, &results, &error), error);
    for (size_t row = 0; row < rows; row++) {
        crd_value values[MOST_ATTRIBUTES];
        for (size_t i = 0; i < MOST_ATTRIBUTES; i++) values[i] = number_value(cells[row * MOST_ATTRIBUTES + i]);
        scorers_statement alone = ask(classifier, values);
        assert_same(&alone, logs + row * classes, probabilities + row * classes, &answers[row], classes);
    }
}

static void every_way_gives_the_same_bits(void **state) {
    (void)state;
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    for (size_t i = 0; i < METHODS; i++) {
        crd_model *model = model_of(text, &methods[i]);
        crd_classifier *classifier = classifier_of(model);
        check_frames(classifier, text);
        check_rows(classifier, 1, 1);
        check_rows(classifier, 7, 3);
        check_rows(classifier, 700, 1);
        check_rows(classifier, 700, 4);
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
    }
}

static void order_of_rows_changes_nothing(void **state) {
    (void)state;
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM], reversed[ROWS * ROW_ROOM];
    crd_error error;
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    join(reversed, (const char(*)[ROW_ROOM])lines, ROWS, true);
    for (size_t i = 0; i < METHODS; i++) {
        crd_model *one = model_of(text, &methods[i]), *other = model_of(reversed, &methods[i]);
        assert_done(crd_model_fit(one, &error), error);
        assert_done(crd_model_fit(other, &error), error);
        model_bytes a = bytes_of(one, context), b = bytes_of(other, context);
        assert_same_bytes(a, b);
        free_bytes(a);
        free_bytes(b);
        crd_classifier *by_one = classifier_of(one), *by_other = classifier_of(other);
        assert_answers_alike(by_one, by_other);
        crd_classifier_destroy(by_one);
        crd_classifier_destroy(by_other);
        crd_model_destroy(one);
        crd_model_destroy(other);
    }
}

/* ---- Terms ---- */

/* The sum of all terms of a class. */
static double log_joint(const crd_classifier *classifier, const crd_value *values, size_t class_index) {
    crd_term term = CRD_TERM_INIT;
    crd_error error;
    size_t classes = crd_classifier_class_count(classifier), pairs = crd_classifier_pair_count(classifier);
    double terms[MAX_CLASSES], *of_pairs = calloc(pairs * classes + 1, sizeof *of_pairs);
    assert_done(crd_classifier_prior(classifier, class_index, &term, &error), error);
    double sum = term.log_value;
    for (size_t i = 0; i < crd_classifier_attribute_count(classifier); i++) {
        assert_done(crd_classifier_term(classifier, i, class_index, &values[i], &term, &error), error);
        sum += term.log_value;
    }
    for (size_t i = 0; i < crd_classifier_joint_count(classifier); i++) {
        assert_done(crd_classifier_joint_terms(classifier, i, values, terms, &error), error);
        sum += terms[class_index];
    }
    assert_done(crd_classifier_pair_terms(classifier, values, of_pairs, &error), error);
    for (size_t i = 0; i < pairs; i++) sum += of_pairs[i * classes + class_index];
    free(of_pairs);
    return sum;
}

static void terms_add_up(void **state) {
    (void)state;
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    for (size_t i = 0; i < METHODS; i++) {
        crd_model *model = model_of(text, &methods[i]);
        crd_classifier *classifier = classifier_of(model);
        bool is_pooled = crd_classifier_ensemble_rule(classifier) != NULL;
        for (int row = 0; row < 40 && !is_pooled; row++) {
            crd_value values[MOST_ATTRIBUTES];
            scorers_statement statement;
            crd_error error;
            draw_row(values);
            assert_done(crd_classifier_uncalibrated(classifier, values, statement.logs, statement.probabilities,
                                                    &statement.answer, &error),
                        error);
            double scale = fabs(statement.answer.log_evidence) + 1;
            for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
                assert_near(log_joint(classifier, values, k) - statement.answer.log_evidence, statement.logs[k],
                            1e-12 * scale);
        }
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
    }
}

/* Pairs are numbered as their terms are: each once, the first attribute of the byte order first. */
static void pairs_have_their_attributes(void **state) {
    (void)state;
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    const scorers_method pairs = {{"method", "pairwise", NULL}};
    crd_model *model = model_of(text, &pairs);
    crd_classifier *classifier = classifier_of(model);
    size_t count = crd_classifier_pair_count(classifier), met[MOST_ATTRIBUTES][MOST_ATTRIBUTES] = {{0}};
    assert_int_equal(count, MOST_ATTRIBUTES * (MOST_ATTRIBUTES + 1) / 2);
    for (size_t i = 0; i < count; i++) {
        crd_pair pair = CRD_PAIR_INIT;
        crd_error error;
        assert_done(crd_classifier_pair(classifier, i, &pair, &error), error);
        assert_true(pair.exponent >= 0);
        assert_int_equal(pair.attributes[0] == pair.attributes[1], i < MOST_ATTRIBUTES);
        assert_int_equal(met[pair.attributes[0]][pair.attributes[1]]++, 0);
        /* A pair says something only where both cells are present. */
        crd_value values[MOST_ATTRIBUTES];
        double terms[MOST_ATTRIBUTES * (MOST_ATTRIBUTES + 1) / 2 * MAX_CLASSES];
        for (size_t a = 0; a < MOST_ATTRIBUTES; a++) values[a] = missing_value();
        values[0] = number_value(1.5);
        values[2] = text_value("red");
        assert_done(crd_classifier_pair_terms(classifier, values, terms, &error), error);
        for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) {
            bool can_speak = (pair.attributes[0] == 0 || pair.attributes[0] == 2) &&
                             (pair.attributes[1] == 0 || pair.attributes[1] == 2);
            if (!can_speak) assert_true(terms[i * crd_classifier_class_count(classifier) + k] == 0);
        }
    }
    crd_pair none = CRD_PAIR_INIT;
    assert_int_equal(crd_classifier_pair(classifier, count, &none, NULL), CRD_ERROR_ARGUMENT);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* ---- Little to say ---- */

static void tables_with_little_to_say(void **state) {
    (void)state;
    static const char *const rows[] = {
        "1,2,red,big,7,?,p\n",                                            /* a single row */
        "1,2,red,big,7,?,p\n2,4,blue,small,7,?,p\n5,3,red,small,7,?,p\n", /* a single class */
        "1,2,red,big,7,?,p\n2,4,blue,small,7,?,q\n5,3,red,small,7,?,r\n", /* a row for each class */
        "?,?,?,?,?,?,p\n1,2,?,?,?,?,q\n?,?,red,big,?,?,r\n",              /* rows that have next to nothing */
        "1,1,red,big,7,?,p\n1,1,red,big,7,?,q\n1,1,red,big,7,?,p\n1,1,red,big,7,?,q\n" /* nothing differs */
    };
    for (size_t i = 0; i < METHODS; i++)
        for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
            char text[1024];
            snprintf(text, sizeof text, "%s%s", heading, rows[t]);
            crd_model *model = model_of(text, &methods[i]);
            crd_classifier *classifier = classifier_of(model);
            for (int row = 0; row < 10; row++) {
                crd_value values[MOST_ATTRIBUTES];
                draw_row(values);
                for (size_t a = 0; row == 0 && a < MOST_ATTRIBUTES; a++) values[a] = missing_value();
                scorers_statement one = ask(classifier, values);
                double sum = 0;
                for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) sum += one.probabilities[k];
                assert_true(one.answer.decision >= 0);
                assert_near(sum, 1, 1e-12);
                assert_true(!isnan(one.answer.log_evidence));
            }
            crd_classifier_destroy(classifier);
            crd_model_destroy(model);
        }
}

/* ---- What was fitted ---- */

static void what_was_fitted_changes_no_answer(void **state) {
    (void)state;
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    for (size_t i = 0; i < METHODS; i++) {
        crd_error error;
        crd_model *bare = model_of(text, &methods[i]), *fitted = model_of(text, &methods[i]), *again;
        assert_done(crd_model_fit(fitted, &error), error);
        model_bytes bytes = bytes_of(fitted, context);
        assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &again, &error), error);
        assert_int_equal(again->fitted.count, fitted->fitted.count);
        crd_classifier *by_bare = classifier_of(bare), *by_again = classifier_of(again);
        assert_answers_alike(by_bare, by_again);
        /* Fitting once more finds what is there. */
        assert_done(crd_model_fit(again, &error), error);
        model_bytes more = bytes_of(again, context);
        assert_same_bytes(bytes, more);
        free_bytes(bytes);
        free_bytes(more);
        crd_classifier_destroy(by_bare);
        crd_classifier_destroy(by_again);
        crd_model_destroy(bare);
        crd_model_destroy(fitted);
        crd_model_destroy(again);
    }
}

static void learning_drops_what_was_fitted(void **state) {
    (void)state;
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM], few[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    join(few, (const char(*)[ROW_ROOM])lines, 5, false);
    for (int way = 0; way < 3; way++) {
        const scorers_method exponents = {{"attribute-weights", "fitted", NULL}};
        crd_model *model = model_of(text, &exponents), *other = model_of(few, &exponents);
        crd_reader *reader;
        crd_error error;
        assert_done(crd_model_fit(model, &error), error);
        assert_int_equal(model->fitted.count, 1);
        assert_done(open_text(context, few, strlen(few), "class", &reader, &error), error);
        if (way == 0) assert_done(crd_model_update_all(model, reader, NULL, &error), error);
        if (way == 1) assert_done(crd_model_forget_all(model, reader, NULL, &error), error);
        if (way == 2) assert_done(crd_model_merge(model, other, &error), error);
        assert_int_equal(model->fitted.count, 0);
        crd_reader_close(reader);
        crd_model_destroy(model);
        crd_model_destroy(other);
    }
}

/* Numbers of a file may be anything: those that cannot have been fitted are fitted again. */
static void what_cannot_have_been_fitted_is_not_believed(void **state) {
    (void)state;
    static const struct {
        const char *key;
        scorers_method method;
    } cases[] = {
        {"attribute-weights", {{"attribute-weights", "fitted", NULL}}},
        {"pairwise", {{"method", "pairwise", NULL}}},
        {"trees", {{"method", "trees", NULL}}},
        {"stacking", {{"method", "stacking", NULL}}},
        {"calibration", {{"calibration", "isotonic", NULL}}},
        {"calibration", {{"calibration", "platt", NULL}}},
    };
    static const double wrong[] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                   -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    static const size_t counts[] = {0, 1, 5, 6, 8, 21};
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            crd_model *honest = model_of(text, &cases[i].method), *forged = model_of(text, &cases[i].method);
            assert_true(crd_i_fit_cache_put(&forged->fitted, cases[i].key, forged->settings, wrong, counts[c]));
            crd_classifier *by_honest = classifier_of(honest), *by_forged = classifier_of(forged);
            assert_answers_alike(by_honest, by_forged);
            crd_classifier_destroy(by_honest);
            crd_classifier_destroy(by_forged);
            crd_model_destroy(honest);
            crd_model_destroy(forged);
        }
}

static void damaged_fits_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *keys[2];
        uint64_t count;
        double number;
        crd_status status;
    } cases[] = {{{"a", "b"}, 1, 0.5, CRD_OK},
                 {{"b", "a"}, 1, 0.5, CRD_ERROR_DAMAGED},
                 {{"a", "a"}, 1, 0.5, CRD_ERROR_DAMAGED},
                 {{"a", "b"}, 1, NAN, CRD_ERROR_DAMAGED},
                 {{"a", "b"}, 1, INFINITY, CRD_ERROR_DAMAGED},
                 {{"a", "b"}, UINT64_MAX, 0.5, CRD_ERROR_DAMAGED},
                 {{"a", "b"}, UINT64_MAX / 8 + 2, 0.5, CRD_ERROR_DAMAGED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_i_encoder encoder = {.buffer = {.context = context}};
        crd_i_fit_cache fitted = {.context = context};
        crd_error error;
        crd_i_encode_u32(&encoder, 2);
        for (size_t k = 0; k < 2; k++) {
            uint64_t bits;
            memcpy(&bits, &cases[i].number, sizeof bits);
            crd_i_encode_text(&encoder, crd_text_of(cases[i].keys[k]));
            crd_i_encode_u64(&encoder, cases[i].count);
            crd_i_encode_u64(&encoder, bits);
        }
        crd_i_cursor cursor = {.at = encoder.buffer.bytes, .end = encoder.buffer.bytes + encoder.buffer.length};
        assert_int_equal(crd_i_fit_cache_read(&fitted, &cursor, &error), cases[i].status);
        crd_i_fit_cache_clear(&fitted);
        crd_i_buffer_clear(&encoder.buffer);
    }
}

/* An attribute to the power of 0 is none: the model answers as one that never had it. */
static void power_of_zero_leaves_out(void **state) {
    (void)state;
    static const double exponents[] = {0, 1, 1, 1, 1, 1};
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    const scorers_method fitted = {{"attribute-weights", "fitted", NULL}}, naive = {{NULL}};
    crd_model *model = model_of(text, &fitted), *plain = model_of(text, &naive);
    assert_true(crd_i_fit_cache_put(&model->fitted, "attribute-weights", model->settings, exponents, 6));
    crd_classifier *weighted_classifier = classifier_of(model), *without = classifier_of(plain);
    assert_true(crd_classifier_attribute_weight(weighted_classifier, 0) == 0 &&
                crd_classifier_attribute_weight(weighted_classifier, 1) == 1);
    for (int i = 0; i < 40; i++) {
        crd_value values[MOST_ATTRIBUTES];
        draw_row(values);
        scorers_statement one = ask(weighted_classifier, values);
        values[0] = missing_value();
        scorers_statement other = ask(without, values);
        assert_same(&one, other.logs, other.probabilities, &other.answer, 3);
    }
    crd_classifier_destroy(weighted_classifier);
    crd_classifier_destroy(without);
    crd_model_destroy(model);
    crd_model_destroy(plain);
}

/* ---- What naive Bayes alone can do ---- */

static void what_is_refused(void **state) {
    (void)state;
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    for (size_t i = 0; i < METHODS; i++) {
        crd_model *model = model_of(text, &methods[i]);
        crd_query *query;
        crd_sampler *sampler;
        crd_i_leave_one_out *leaving;
        crd_typicality *fit;
        crd_error error;
        assert_int_equal(crd_query_create(model, NULL, &query, &error), CRD_ERROR_SETTING);
        assert_non_null(strstr(error.message, methods[i].settings[0]));
        assert_int_equal(crd_sampler_create(model, NULL, NULL, 1, &sampler, &error), CRD_ERROR_SETTING);
        assert_int_equal(crd_i_leave_one_out_create(model, NULL, &leaving, &error), CRD_ERROR_ARGUMENT);
        /* Calibration corrects the classes' probabilities, and leaves those of the cells as they are. */
        bool only_calibrates = strcmp(methods[i].settings[0], "calibration") == 0;
        assert_int_equal(crd_typicality_create(model, NULL, &fit, &error),
                         only_calibrates ? CRD_OK : CRD_ERROR_SETTING);
        crd_typicality_destroy(fit);
        crd_model_destroy(model);
    }
}

/* ---- Bagging and boosting ---- */

static void stated_priors_reach_members(void **state) {
    (void)state;
    static const char *const ways[] = {"bagging:3", "boosting:3"};
    char lines[ROWS][ROW_ROOM], text[ROWS * ROW_ROOM];
    make_lines(lines, ROWS);
    join(text, (const char(*)[ROW_ROOM])lines, ROWS, false);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        /* Under a prior that leaves nothing else, every row is of the last class, whatever its cells. */
        const scorers_method method = {{"method", ways[way], "prior", "p=0,q=0,r=1", NULL}};
        crd_model *model = model_of(text, &method);
        crd_classifier *classifier = classifier_of(model);
        for (int i = 0; i < 40; i++) {
            crd_value values[MOST_ATTRIBUTES];
            draw_row(values);
            scorers_statement one = ask(classifier, values);
            assert_int_equal(one.answer.decision, 2);
            assert_true(one.probabilities[2] > 0.999);
        }
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
    }
}

static void a_drawing_without_rows_is_none(void **state) {
    (void)state;
    /* The chance that each of a few drawings has none of one row is considerable. */
    static const char *const ways[] = {"bagging:1", "bagging:2", "bagging:3"};
    char text[2 * ROW_ROOM];
    for (int row = 0; row < 20; row++) {
        snprintf(text, sizeof text, "%s%d,1,red,big,7,?,p\n", heading, row);
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            const scorers_method method = {{"method", ways[way], NULL}};
            crd_model *model = model_of(text, &method);
            crd_classifier *classifier = classifier_of(model);
            crd_value values[MOST_ATTRIBUTES];
            draw_row(values);
            assert_int_equal(ask(classifier, values).answer.decision, 0);
            crd_classifier_destroy(classifier);
            crd_model_destroy(model);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_way_gives_the_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(order_of_rows_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(terms_add_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pairs_have_their_attributes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_with_little_to_say, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_fitted_changes_no_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(learning_drops_what_was_fitted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_have_been_fitted_is_not_believed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_fits_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(power_of_zero_leaves_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stated_priors_reach_members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_drawing_without_rows_is_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
