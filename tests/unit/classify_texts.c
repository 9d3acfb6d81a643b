/* SPDX-License-Identifier: MIT */
/* Families of texts: posteriors beside scikit-learn's, terms that add up, rows, blocks and threads with the same bits, which
 * terms count, one text left out, and texts beside numbers, categories and other texts. */
#include "evaluate/leave_one_out.h"
#include "model_support.h"

#include "classify/classifier_internal.h"
#include "density/univariate/term_density.h"

#include "counted_fixture.h"

typedef struct texts_labeled {
    const char *class_name, *text;
} texts_labeled;

static const texts_labeled CORPUS[] = {
    {"spam", "buy cheap pills now"},
    {"spam", "cheap cheap offer now now"},
    {"ham", "see you at lunch"},
    {"ham", "lunch offer at noon you see"},
    {"list", "weekly digest of the list see"},
    {"list", "digest of the of list"},
    {"ham", "now or at noon"},
};
enum { CORPUS_SIZE = sizeof CORPUS / sizeof *CORPUS, MOST_ROWS = 64, MAX_CLASSES = 8 };
static const char *const ASKED[] = {"cheap lunch now now now", "the digest offer unknownword", "see see see list"};
enum { ASKED_SIZE = sizeof ASKED / sizeof *ASKED };

static crd_error error;

/* Rows of `skipped` (SIZE_MAX: none) are left out. */
static crd_frame *frame_of(const texts_labeled *rows, size_t count, size_t skipped, crd_text *texts,
                           crd_text *classes) {
    crd_frame *frame;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == skipped) continue;
        texts[kept] = rows[i].text == NULL ? (crd_text){NULL, 0} : crd_text_of(rows[i].text);
        classes[kept++] = crd_text_of(rows[i].class_name);
    }
    assert_done(crd_frame_create(context, kept, &frame, &error), error);
    assert_done(crd_frame_add_documents(frame, crd_text_of("body"), texts, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), classes, &error), error);
    return frame;
}

static crd_model *model_of(const texts_labeled *rows, size_t count, size_t skipped) {
    crd_text texts[MOST_ROWS], classes[MOST_ROWS];
    crd_model *model;
    crd_frame *frame = frame_of(rows, count, skipped, texts, classes);
    assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, frame, &error), error);
    crd_frame_destroy(frame);
    return model;
}

static crd_answer ask(const crd_classifier *classifier, const char *text, double *logs) {
    const crd_value value = text_value(text);
    crd_answer answer;
    assert_done(crd_classifier_posterior(classifier, &value, logs, NULL, &answer, &error), error);
    return answer;
}

/* scikit-learn 1.9.1: predict_log_proba of MultinomialNB, BernoulliNB and ComplementNB, the last with norm=True from
 * its joint log probabilities times the mean of sum over t of -log q_tc over classes. Classes are ham, list, spam. */
static void posteriors_are_those_of_scikit_learn(void **state) {
    (void)state;
    static const struct {
        const char *family, *smoothing, *weights, *prior;
        double logs[ASKED_SIZE][3];
    } cases[] = {{"multinomial",
                  "1",
                  "normalized",
                  "frequency",
                  {{-2.9307542910983173, -5.987470651265298, -0.05748800110509222},
                   {-1.835333886347291, -0.4206400507057033, -1.6938343240735918},
                   {-0.6700856371498247, -0.7718917182830687, -3.6421013840864997}}},
                 {"multinomial",
                  "0.1",
                  "normalized",
                  "frequency",
                  {{-5.0309147400136691, -14.606717602750075, -0.0065547206124332291},
                   {-3.9861915606663931, -0.059784765231903236, -3.2324059293621463},
                   {-1.7454005857902679, -0.19192834975792827, -9.7387653545188186}}},
                 {"bernoulli",
                  "1",
                  "normalized",
                  "frequency",
                  {{-2.7249842975728615, -6.256058318940356, -0.06984969503985994},
                   {-2.9117219040691964, -0.2565873015361966, -1.7606646983124712},
                   {-1.0757012475209304, -0.6177912223241506, -2.1218686191004252}}},
                 {"bernoulli",
                  "0.25",
                  "normalized",
                  "frequency",
                  {{-5.1945937540653313, -12.601126093988167, -0.0055652948729703056},
                   {-4.6050516664588912, -0.069949674673194906, -2.8549609169115318},
                   {-1.2090039215157695, -0.41442461699584854, -3.1994358592341854}}},
                 {"complement",
                  "1",
                  "plain",
                  "frequency",
                  {{-3.07696764126721, -4.444797045510265, -0.05957838589460174},
                   {-2.3130984774881753, -0.2812108852395099, -1.9229390927435812},
                   {-0.8897910338903259, -0.6874032388525642, -2.44902006257737}}},
                 {"complement",
                  "1",
                  "normalized",
                  "uniform",
                  {{-3.236090965070739, -4.659260714851575, -0.05002121030390683},
                   {-2.2857019453681335, -0.3100064328279224, -1.802688284430129},
                   {-0.8704076956324514, -0.7283301038759209, -2.317649794719392}}}};
    crd_model *model = model_of(CORPUS, CORPUS_SIZE, SIZE_MAX);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_classifier *classifier = classifier_with(
            model, context,
            WITH("family", cases[i].family, "term-smoothing", cases[i].smoothing, "complement-weights",
                 cases[i].weights, "prior", cases[i].prior, "tf", "count", "length-normalization", "none"));
        for (size_t j = 0; j < ASKED_SIZE; j++) {
            double logs[3];
            crd_answer answer = ask(classifier, ASKED[j], logs);
            for (size_t k = 0; k < 3; k++) assert_near(logs[k], cases[i].logs[j][k], 1e-12);
            assert_int_equal(answer.unseen, j == 1);
        }
        crd_classifier_destroy(classifier);
    }
    crd_model_destroy(model);
}

/* The likelihood of the texts and the pseudo-texts maximized by scipy 1.17.1 (minimize, Powell), over all parameters. */
static void dirichlet_parameters_are_those_of_the_greatest_likelihood(void **state) {
    (void)state;
    static const texts_labeled rows[] = {
        {"spam", "cheap cheap cheap now"},       {"spam", "pills pills now"},
        {"ham", "see you you at lunch"},         {"ham", "lunch lunch lunch lunch noon"},
        {"spam", "cheap offer offer offer now"}, {"ham", "see see see see at"}};
    static const char *const queries[] = {"cheap lunch now now now", "offer see lunch unknownword", "see see see"};
    static const double wanted[3][3] = {{-5.1122069356581274, -0.006040986436902429, -10.292614250866526},
                                        {-0.02478385169238173, -3.7099293120049115, -8.548899552556273},
                                        {-0.013105738270684064, -4.34125082121794, -3.470328231615829}};
    crd_model *model = model_of(rows, 6, SIZE_MAX);
    crd_classifier *classifier = classifier_with(
        model, context, WITH("family", "words-dirichlet", "term-smoothing", "0.1", "length-normalization", "none"));
    for (size_t i = 0; i < 3; i++) {
        double logs[2];
        crd_answer answer = ask(classifier, queries[i], logs);
        /* as far as a search without derivatives gets */
        assert_near(logs[0], wanted[i][0], 1e-6);
        assert_near(logs[1], wanted[i][1], 1e-6);
        assert_near(answer.log_evidence, wanted[i][2], 1e-6);
    }
    crd_classifier_destroy(classifier);
    /* Texts that repeat no word have a multinomial density. */
    static const texts_labeled plain[] = {{"a", "x y z"}, {"a", "x w"}, {"b", "v w"}, {"b", "z v"}};
    double one[2], other[2];
    crd_model *without = model_of(plain, 4, SIZE_MAX);
    crd_classifier *dirichlet =
        classifier_with(without, context, WITH("family", "words-dirichlet", "term-smoothing", "1"));
    crd_classifier *multinomial =
        classifier_with(without, context, WITH("family", "multinomial", "term-smoothing", "1", "tf", "count"));
    ask(dirichlet, "x z v", one);
    ask(multinomial, "x z v", other);
    assert_near(one[0], other[0], 1e-5);
    crd_classifier_destroy(dirichlet);
    crd_classifier_destroy(multinomial);
    crd_model_destroy(without);
    crd_model_destroy(model);
}

static const char *const SETTINGS[][11] = {
    {"family", "multinomial"},
    {"family", "multinomial", "term-smoothing", "1", "tf", "count", "length-normalization", "none"},
    {"family", "multinomial", "term-smoothing", "1", "tf", "log", "length-normalization", "root"},
    {"family", "multinomial", "tf", "binary", "term-smoothing", "0.3", "length-normalization", "unit"},
    {"family", "multinomial", "term-smoothing", "0.5", "min-df", "2", "stop-words", "now,OF"},
    {"family", "multinomial", "max-terms", "6", "length-normalization", "5"},
    {"family", "bernoulli"},
    {"family", "bernoulli", "term-smoothing", "0.1", "min-df", "2"},
    {"family", "complement"},
    {"family", "complement", "complement-weights", "plain", "tf", "log"},
    {"family", "complement", "min-df", "2", "max-df", "2"},
    {"family", "words-dirichlet", "term-smoothing", "0.1"},
    {"family", "words-dirichlet", "stop-words", "auto", "max-df", "0.4"},
};
enum { SETTINGS_SIZE = sizeof SETTINGS / sizeof *SETTINGS };

typedef struct parts {
    size_t count;
    double sums[MAX_CLASSES];
} parts;

static bool take(void *user, const crd_i_term_part *part) {
    parts *target_parts = user;
    target_parts->count++;
    assert_true(part->is_known || !part->counts);
    for (size_t k = 0; k < 3; k++) {
        target_parts->sums[k] += part->values[k];
        if (!part->counts) assert_true(part->values[k] == 0);
    }
    return true;
}

static void values_of_terms_add_up(void **state) {
    (void)state;
    crd_model *model = model_of(CORPUS, CORPUS_SIZE, SIZE_MAX);
    for (size_t i = 0; i < SETTINGS_SIZE; i++) {
        crd_classifier *classifier = classifier_with(model, context, SETTINGS[i]);
        const crd_i_density *density = classifier->attributes[0].density;
        for (size_t j = 0; j < ASKED_SIZE; j++) {
            double logs[3], remainders[3], greatest = 0;
            parts explanation = {0};
            const crd_value value = text_value(ASKED[j]);
            ask(classifier, ASKED[j], logs);
            assert_done(crd_i_term_density_explain(density, crd_text_of(ASKED[j]), false, take, &explanation,
                                                   remainders, &error),
                        error);
            assert_int_equal(explanation.count, j == 0 ? 3 : j == 1 ? 4 : 2);
            for (size_t k = 0; k < 3; k++) {
                crd_term term = CRD_TERM_INIT, prior = CRD_TERM_INIT;
                assert_done(crd_classifier_term(classifier, 0, k, &value, &term, &error), error);
                assert_done(crd_classifier_prior(classifier, k, &prior, &error), error);
                assert_near(explanation.sums[k] + remainders[k], term.log_value, 1e-12 * (1 + fabs(term.log_value)));
                double difference = logs[k] - prior.log_value - term.log_value;
                if (k == 0) greatest = difference;
                assert_near(difference, greatest, 1e-12 * (1 + fabs(greatest))); /* less the log evidence */
            }
        }
        crd_classifier_destroy(classifier);
    }
    crd_model_destroy(model);
}

/* P(term | class) of a multinomial and of a Dirichlet density add up to 1 over the terms that count. */
static void probabilities_of_terms_add_up(void **state) {
    (void)state;
    static const char *const words[] = {"buy",  "cheap", "pills",  "now",    "offer", "see", "you",  "at",
                                        "noon", "lunch", "weekly", "digest", "of",    "the", "list", "or"};
    static const char *const families[] = {"multinomial", "words-dirichlet"};
    crd_model *model = model_of(CORPUS, CORPUS_SIZE, SIZE_MAX);
    for (size_t f = 0; f < 2; f++) {
        crd_classifier *classifier = classifier_with(model, context, WITH("family", families[f]));
        double sums[3] = {0}, each[3], values[3];
        bool is_known, counts;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            assert_done(crd_i_term_density_value(classifier->attributes[0].density, crd_text_of(words[i]), values, each,
                                                 &is_known, &counts, &error),
                        error);
            assert_true(is_known && counts);
            for (size_t k = 0; k < 3; k++) sums[k] += each[k];
        }
        /* Precisions end at 1e7, where parameters no longer add up to the last digits. */
        for (size_t k = 0; k < 3; k++) assert_near(sums[k], 1, 1e-6);
        assert_done(crd_i_term_density_value(classifier->attributes[0].density, crd_text_of("absent"), values, each,
                                             &is_known, &counts, &error),
                    error);
        assert_false(is_known);
        crd_classifier_destroy(classifier);
    }
    crd_model_destroy(model);
}

/* Under a selection, a model answers as one of texts that have the selected terms alone. */
static void terms_that_are_left_out_count_nothing(void **state) {
    (void)state;
    /* Information about the class of presence, scikit-learn 1.9.1 mutual_info_score in nats: cheap 0.598, at 0.683, digest,
     * list, of, the 0.598, noon, you, lunch 0.329, now 0.340, see 0.197, others less. */
    static const struct {
        const char *setting, *value;
        const char *texts[CORPUS_SIZE];
    } cases[] = {
        {"max-terms", "1", {NULL, NULL, "at", "at", NULL, NULL, "at"}},
        {"max-terms", "3", {"cheap", "cheap cheap", "at", "at", "digest", "digest", "at"}},
        {"min-df", "3", {"now", "now now", "see at", "at see", "see", NULL, "now at"}},
        {"min-df", "0.4", {"now", "now now", "see at", "at see", "see", NULL, "now at"}},
        {"max-df", "1", {"buy pills", NULL, NULL, NULL, "weekly", NULL, "or"}},
        {"stop-words",
         "Buy,pills now,the",
         {"cheap", "cheap cheap offer", "see you at lunch", "lunch offer at noon you see", "weekly digest of list see",
          "digest of of list", "or at noon"}},
    };
    crd_model *model = model_of(CORPUS, CORPUS_SIZE, SIZE_MAX);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        texts_labeled rows[CORPUS_SIZE];
        for (size_t j = 0; j < CORPUS_SIZE; j++)
            rows[j] = (texts_labeled){CORPUS[j].class_name, cases[i].texts[j] == NULL ? " " : cases[i].texts[j]};
        crd_model *other = model_of(rows, CORPUS_SIZE, SIZE_MAX);
        static const char *const families[] = {"multinomial", "bernoulli", "complement"};
        for (size_t f = 0; f < 3; f++) {
            crd_classifier *selected = classifier_with(
                model, context, WITH("family", families[f], cases[i].setting, cases[i].value, "prior", "uniform"));
            crd_classifier *reduced = classifier_with(other, context, WITH("family", families[f], "prior", "uniform"));
            for (size_t j = 0; j < ASKED_SIZE; j++) {
                double got[3], wanted[3];
                ask(selected, ASKED[j], got);
                ask(reduced, ASKED[j], wanted);
                for (size_t k = 0; k < 3; k++) assert_near(got[k], wanted[k], 1e-12);
            }
            crd_classifier_destroy(selected);
            crd_classifier_destroy(reduced);
        }
        crd_model_destroy(other);
    }
    crd_model_destroy(model);
}

/* Rows, blocks and threads, fitted numbers from a file and computed anew. */
static void bits_are_the_same_however_asked(void **state) {
    (void)state;
    enum { ROWS = 5000 };
    crd_text *texts = calloc(ROWS, sizeof *texts);
    double *one = calloc(ROWS * 3, sizeof *one), *many = calloc(ROWS * 3, sizeof *many);
    assert_true(texts != NULL && one != NULL && many != NULL);
    for (size_t i = 0; i < ROWS; i++)
        texts[i] = i % 11 == 3 ? (crd_text){NULL, 0}
                               : crd_text_of(i % 2 == 0 ? CORPUS[i % CORPUS_SIZE].text : ASKED[i % ASKED_SIZE]);
    crd_frame *frame;
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    assert_done(crd_frame_add_documents(frame, crd_text_of("body"), texts, &error), error);
    crd_model *model = model_of(CORPUS, CORPUS_SIZE, SIZE_MAX);
    for (size_t i = 0; i < SETTINGS_SIZE; i++) {
        crd_classifier *classifier = classifier_with(model, context, SETTINGS[i]);
        for (size_t row = 0; row < ROWS; row++) {
            const crd_value value = {texts[row].bytes == NULL ? CRD_TYPE_NONE : CRD_TYPE_TEXT, 0, texts[row]};
            crd_answer answer;
            assert_done(crd_classifier_posterior(classifier, &value, one + row * 3, NULL, &answer, &error), error);
        }
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            crd_results results = CRD_RESULTS_INIT;
            results.rows = ROWS;
            results.log_posteriors = many;
            results.threads = threads;
            assert_done(crd_classifier_classify_frame(classifier, frame, &results, &error), error);
            assert_memory_equal(one, many, ROWS * 3 * sizeof *one);
        }
        crd_classifier_destroy(classifier);
    }
    crd_frame_destroy(frame);
    crd_model_destroy(model);
    free(texts);
    free(one);
    free(many);
}

static void fits_of_a_file_change_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < SETTINGS_SIZE; i++) {
        crd_settings *settings;
        crd_model *model, *read;
        crd_classifier *classifiers[2];
        assert_done(crd_settings_create(context, &settings, &error), error);
        for (const char *const *pair = SETTINGS[i]; *pair != NULL; pair += 2)
            assert_done(crd_settings_set(settings, pair[0], crd_text_of(pair[1]), &error), error);
        crd_text texts[MOST_ROWS], classes[MOST_ROWS];
        crd_frame *frame = frame_of(CORPUS, CORPUS_SIZE, SIZE_MAX, texts, classes);
        assert_done(crd_model_create(context, frame, crd_text_of("class"), settings, &model, &error), error);
        assert_done(crd_model_update(model, frame, &error), error);
        assert_done(crd_classifier_create(model, NULL, &classifiers[0], &error), error);
        assert_done(crd_model_fit(model, &error), error);
        model_bytes bytes = bytes_of(model, context);
        assert_done(crd_model_decode(context, bytes.bytes, bytes.length, &read, &error), error);
        assert_done(crd_classifier_create(read, NULL, &classifiers[1], &error), error);
        assert_int_equal(classifiers[1]->fitted.count, 0); /* nothing was left to be fitted */
        for (size_t j = 0; j < ASKED_SIZE; j++) {
            double logs[2][3];
            for (size_t c = 0; c < 2; c++) ask(classifiers[c], ASKED[j], logs[c]);
            assert_memory_equal(logs[0], logs[1], sizeof *logs);
        }
        crd_classifier_destroy(classifiers[0]);
        crd_classifier_destroy(classifiers[1]);
        free_bytes(bytes);
        crd_model_destroy(read);
        crd_model_destroy(model);
        crd_frame_destroy(frame);
        crd_settings_destroy(settings);
    }
}

static void a_text_left_out_is_a_model_of_the_others(void **state) {
    (void)state;
    crd_text texts[MOST_ROWS], classes[MOST_ROWS];
    /* A class, and words, that only one text has; a text twice. */
    texts_labeled rows[CORPUS_SIZE + 2];
    memcpy(rows, CORPUS, sizeof CORPUS);
    rows[CORPUS_SIZE] = (texts_labeled){"alone", "lunch of nothing"};
    rows[CORPUS_SIZE + 1] = CORPUS[0];
    enum { COUNT = CORPUS_SIZE + 2 };
    crd_model *model = model_of(rows, COUNT, SIZE_MAX);
    crd_frame *frame = frame_of(rows, COUNT, SIZE_MAX, texts, classes);
    for (size_t i = 1; i < SETTINGS_SIZE; i++) {
        crd_settings *settings;
        crd_i_leave_one_out *leaving;
        crd_posteriors *posteriors;
        assert_done(crd_settings_create(context, &settings, &error), error);
        for (const char *const *pair = SETTINGS[i]; *pair != NULL; pair += 2)
            assert_done(crd_settings_set(settings, pair[0], crd_text_of(pair[1]), &error), error);
        bool is_refused = strcmp(SETTINGS[i][1], "words-dirichlet") == 0 ||
                          strcmp(crd_settings_get(settings, "max-terms"), "all") != 0;
        crd_status status = crd_i_leave_one_out_create(model, settings, &leaving, &error);
        if (is_refused) {
            assert_int_equal(status, CRD_ERROR_SETTING);
            crd_settings_destroy(settings);
            continue;
        }
        assert_done(status, error);
        assert_done(crd_posteriors_create(context, &posteriors, &error), error);
        assert_done(crd_i_leave_one_out_classify(leaving, frame, posteriors, &error), error);
        const crd_classifier *all = crd_i_leave_one_out_classifier(leaving);
        for (size_t row = 0; row < COUNT; row++) {
            double wanted[4];
            crd_model *others = model_of(rows, COUNT, row);
            crd_classifier *classifier = classifier_with(others, context, SETTINGS[i]);
            crd_answer answer = ask(classifier, rows[row].text, wanted);
            assert_int_equal(crd_posteriors_answer(posteriors, row)->unseen, answer.unseen);
            for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) {
                size_t class_index = 0;
                while (!crd_text_equal(crd_classifier_class(all, class_index), crd_classifier_class(classifier, k)))
                    class_index++;
                assert_near(crd_posteriors_log(posteriors, row)[class_index], wanted[k], 1e-11);
            }
            crd_classifier_destroy(classifier);
            crd_model_destroy(others);
        }
        crd_posteriors_destroy(posteriors);
        crd_i_leave_one_out_destroy(leaving);
        crd_settings_destroy(settings);
    }
    crd_frame_destroy(frame);
    crd_model_destroy(model);
}

/* The smoothing that is estimated stays that of all texts, which differs little where there are many like it. */
static void estimated_smoothing_stays_where_a_text_is_left_out(void **state) {
    (void)state;
    enum { COPIES = 9, COUNT = COPIES * CORPUS_SIZE };
    texts_labeled rows[COUNT];
    crd_text texts[COUNT], classes[COUNT];
    crd_i_leave_one_out *leaving;
    crd_posteriors *posteriors;
    for (size_t i = 0; i < COUNT; i++) rows[i] = CORPUS[i % CORPUS_SIZE];
    crd_model *model = model_of(rows, COUNT, SIZE_MAX);
    crd_frame *frame = frame_of(rows, COUNT, SIZE_MAX, texts, classes);
    assert_done(crd_i_leave_one_out_create(model, NULL, &leaving, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_i_leave_one_out_classify(leaving, frame, posteriors, &error), error);
    for (size_t row = 0; row < CORPUS_SIZE; row++) {
        double wanted[3];
        crd_model *others = model_of(rows, COUNT, row);
        crd_classifier *classifier = classifier_with(others, context, WITH("family", "multinomial"));
        ask(classifier, rows[row].text, wanted);
        for (size_t k = 0; k < 3; k++)
            assert_near(crd_posteriors_log(posteriors, row)[k], wanted[k], 0.02 * (1 + fabs(wanted[k])));
        crd_classifier_destroy(classifier);
        crd_model_destroy(others);
    }
    crd_posteriors_destroy(posteriors);
    crd_i_leave_one_out_destroy(leaving);
    crd_frame_destroy(frame);
    crd_model_destroy(model);
}

/* Two texts, a number and a category in one model: the terms of each, and a text without a known term has none. */
static void columns_of_all_kinds_add_up(void **state) {
    (void)state;
    const double numbers[] = {1, 2, 5, 6};
    const crd_text colors[] = {{"red", 3}, {"red", 3}, {"blue", 4}, {"red", 3}};
    const crd_text subjects[] = {{"win now", 7}, {"win", 3}, {"lunch", 5}, {NULL, 0}};
    const crd_text bodies[] = {{"cheap pills", 11}, {"pills", 5}, {"see you", 7}, {"at noon", 7}};
    const crd_text classes[] = {{"spam", 4}, {"spam", 4}, {"ham", 3}, {"ham", 3}};
    crd_frame *frame;
    crd_model *model;
    assert_done(crd_frame_create(context, 4, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("n"), numbers, NULL, &error), error);
    assert_done(crd_frame_add_documents(frame, crd_text_of("subject"), subjects, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("color"), colors, &error), error);
    assert_done(crd_frame_add_documents(frame, crd_text_of("body"), bodies, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), classes, &error), error);
    assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, frame, &error), error);
    crd_classifier *classifier = classifier_with(model, context, WITH("family", "body=bernoulli,*=multinomial"));
    const crd_value values[] = {number_value(2), text_value("unknown"), text_value("red"), text_value("pills at noon")};
    double logs[2], sums[2] = {0};
    crd_answer answer;
    assert_done(crd_classifier_posterior(classifier, values, logs, NULL, &answer, &error), error);
    assert_int_equal(answer.unseen, 1);
    for (size_t k = 0; k < 2; k++) {
        crd_term term = CRD_TERM_INIT;
        assert_done(crd_classifier_prior(classifier, k, &term, &error), error);
        sums[k] = term.log_value;
        for (size_t i = 0; i < 4; i++) {
            assert_done(crd_classifier_term(classifier, i, k, &values[i], &term, &error), error);
            if (i == 1) assert_true(term.log_value == 0);
            sums[k] += term.log_value;
        }
    }
    assert_near(logs[0] - logs[1], sums[0] - sums[1], 1e-12);
    crd_classifier_destroy(classifier);
    const crd_value wrong[] = {number_value(2), number_value(3), text_value("red"), missing_value()};
    classifier = classifier_with(model, context, WITH("family", "gaussian"));
    assert_int_equal(crd_classifier_posterior(classifier, wrong, logs, NULL, &answer, &error), CRD_ERROR_COLUMN);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_frame_destroy(frame);
}

/* One class; a class without a text; texts without a term. */
static void degenerate_corpora_are_answered(void **state) {
    (void)state;
    static const texts_labeled one[] = {{"a", "x y"}, {"a", "y"}};
    static const texts_labeled empty[] = {{"a", "x x"}, {"b", NULL}, {"b", NULL}, {"c", "..."}};
    static const texts_labeled none[] = {{"a", "..."}, {"b", "!"}};
    const struct {
        const texts_labeled *rows;
        size_t count, classes;
    } cases[] = {{one, 2, 1}, {empty, 4, 3}, {none, 2, 2}};
    for (size_t c = 0; c < 3; c++) {
        crd_model *model = model_of(cases[c].rows, cases[c].count, SIZE_MAX);
        for (size_t i = 0; i < SETTINGS_SIZE; i++) {
            crd_classifier *classifier = classifier_with(model, context, SETTINGS[i]);
            double logs[3], sum = 0;
            ask(classifier, "x y y z", logs);
            for (size_t k = 0; k < cases[c].classes; k++) sum += crd_exp(logs[k]);
            assert_near(sum, 1, 1e-12);
            crd_classifier_destroy(classifier);
        }
        crd_model_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_are_those_of_scikit_learn),
        cmocka_unit_test(dirichlet_parameters_are_those_of_the_greatest_likelihood),
        cmocka_unit_test(values_of_terms_add_up),
        cmocka_unit_test(probabilities_of_terms_add_up),
        cmocka_unit_test(terms_that_are_left_out_count_nothing),
        cmocka_unit_test(bits_are_the_same_however_asked),
        cmocka_unit_test(fits_of_a_file_change_nothing),
        cmocka_unit_test(a_text_left_out_is_a_model_of_the_others),
        cmocka_unit_test(estimated_smoothing_stays_where_a_text_is_left_out),
        cmocka_unit_test(columns_of_all_kinds_add_up),
        cmocka_unit_test(degenerate_corpora_are_answered),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
