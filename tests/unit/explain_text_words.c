/* SPDX-License-Identifier: MIT */
/* Words of texts: what they add up to, where they stand, which tell classes apart, and texts that are drawn. */
#include "model_support.h"

enum { ROWS = 7, CLASSES = 3 };
static const char *const TEXTS[ROWS] = {
    "buy cheap pills now",           "cheap cheap offer now now", "see you at lunch", "lunch offer at noon you see",
    "weekly digest of the list see", "digest of the of list",     "now or at noon"};
static const char *const NAMES[ROWS] = {"spam", "spam", "ham", "ham", "list", "list", "ham"};

static allocations counted;
static crd_context *context;
static crd_error error;
static crd_model *model;

static int set_up(void **state) {
    (void)state;
    crd_text texts[ROWS], classes[ROWS];
    crd_frame *frame;
    context = counted_context(&counted);
    for (size_t i = 0; i < ROWS; i++) {
        texts[i] = crd_text_of(TEXTS[i]);
        classes[i] = crd_text_of(NAMES[i]);
    }
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    assert_done(crd_frame_add_documents(frame, crd_text_of("body"), texts, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), classes, &error), error);
    assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, frame, &error), error);
    crd_frame_destroy(frame);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    crd_model_destroy(model);
    crd_context_destroy(context);
    return counted.live != 0;
}

static const char *const FAMILIES[] = {"multinomial", "bernoulli", "complement", "words-dirichlet"};
enum { FAMILY_COUNT = sizeof FAMILIES / sizeof *FAMILIES };

/* Prior, words and the whole are the log of the product. */
static void words_add_up_to_the_posterior(void **state) {
    (void)state;
    static const char *const texts[] = {"Cheap lunch, now now now", "the digest of unknownword", "", "..."};
    for (size_t f = 0; f < FAMILY_COUNT; f++) {
        crd_classifier *classifier = classifier_with(model, context, WITH("family", FAMILIES[f]));
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            const crd_value value = text_value(texts[i]);
            double logs[CLASSES], sums[CLASSES];
            crd_answer answer;
            crd_text_words *words;
            assert_done(crd_classifier_posterior(classifier, &value, logs, NULL, &answer, &error), error);
            assert_done(crd_text_words_create(classifier, 0, value.text, &words, &error), error);
            for (size_t k = 0; k < CLASSES; k++) {
                crd_term prior = CRD_TERM_INIT;
                assert_done(crd_classifier_prior(classifier, k, &prior, &error), error);
                sums[k] = prior.log_value + words->whole[k];
                for (size_t w = 0; w < words->count; w++) {
                    const crd_text_word word = words->words[w];
                    sums[k] += word.values[k];
                    if (!word.counts) assert_true(word.values[k] == 0);
                }
            }
            for (size_t k = 0; k < CLASSES; k++) assert_near(sums[k], logs[k] + answer.log_evidence, 1e-9);
            crd_text_words_destroy(words);
        }
        crd_classifier_destroy(classifier);
    }
}

static void places_are_those_of_the_words(void **state) {
    (void)state;
    static const char text[] = "NOW, or now: zorblax!";
    static const struct {
        const char *term;
        size_t begin, end;
    } expected[] = {{"now", 0, 3}, {"or", 5, 7}, {"now", 8, 11}, {"zorblax", 13, 20}};
    crd_classifier *classifier = classifier_with(model, context, WITH("family", "multinomial"));
    crd_text_words *words;
    assert_done(crd_text_words_create(classifier, 0, crd_text_of(text), &words, &error), error);
    const crd_text_place *places = words->places;
    assert_int_equal(words->place_count, 4);
    assert_int_equal(words->count, 3);
    for (size_t i = 0; i < 4; i++) {
        const crd_text_word word = words->words[places[i].word];
        assert_true(crd_text_equal(word.term, crd_text_of(expected[i].term)));
        assert_int_equal(places[i].from, expected[i].begin);
        assert_int_equal(places[i].to, expected[i].end);
        assert_int_equal(word.is_known, i != 3);
        if (i == 0) assert_int_equal(word.times, 2);
    }
    crd_text_words_destroy(words);
    assert_int_equal(crd_text_words_create(classifier, 9, crd_text_of(text), &words, &error), CRD_ERROR_ARGUMENT);
    assert_null(words);
    crd_classifier_destroy(classifier);
}

/* By hand: "cheap" is in 2 of 2 texts of spam and in none of the other 5, so p = 2.5 / 3, q = 0.5 / 6. */
static void informative_words_are_ranked_by_divergence(void **state) {
    (void)state;
    crd_classifier *classifier = classifier_with(model, context, WITH("family", "complement"));
    crd_informative_words *words;
    crd_informative_word word;
    assert_done(crd_informative_words_create(classifier, 0, 2, &words, &error), error);
    enum { SPAM = 2 };
    assert_int_equal(words->classes[SPAM].count, 2);
    word = words->classes[SPAM].words[0];
    double p = 2.5 / 3, q = 0.5 / 6;
    assert_true(crd_text_equal(word.term, crd_text_of("cheap")));
    assert_near(word.weight, log(p / q), 1e-14);
    assert_near(word.divergence, p * log(p / q) + (1 - p) * log((1 - p) / (1 - q)), 1e-14);
    assert_true(word.documents == 2 && word.others == 0 && word.occurrences == 3);
    word = words->classes[SPAM].words[1];
    assert_true(crd_text_equal(word.term, crd_text_of("now")));
    assert_true(word.others == 1);
    assert_true(words->classes[SPAM].documents == 2 && words->classes[SPAM].occurrences == 9);
    assert_int_equal(words->classes[SPAM].distinct, 5);
    assert_int_equal(words->terms, words->counted);
    crd_informative_words_destroy(words);
    crd_classifier_destroy(classifier);
}

/* P(word | class) sums to 1 over the words of a multinomial, and is (d + A) / (n + 2 A) of a Bernoulli. */
static void probabilities_of_words_are_the_families(void **state) {
    (void)state;
    static const char *const all[] = {"at", "buy",   "cheap", "digest", "list", "lunch", "noon",   "now",
                                      "of", "offer", "or",    "pills",  "see",  "the",   "weekly", "you"};
    double sums[CLASSES] = {0}, probabilities[CLASSES];
    crd_term_facts facts = CRD_TERM_FACTS_INIT;
    crd_classifier *classifier =
        classifier_with(model, context, WITH("family", "multinomial", "tf", "count", "term-smoothing", "0.5"));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_done(crd_classifier_word(classifier, 0, crd_text_of(all[i]), NULL, probabilities, &facts, &error),
                    error);
        assert_true(facts.is_known && facts.counts);
        for (size_t k = 0; k < CLASSES; k++) sums[k] += probabilities[k];
    }
    for (size_t k = 0; k < CLASSES; k++) assert_near(sums[k], 1, 1e-12);
    assert_done(crd_classifier_word(classifier, 0, crd_text_of("zorblax"), NULL, probabilities, &facts, &error), error);
    assert_true(!facts.is_known && !facts.counts && isnan(probabilities[0]));
    crd_classifier_destroy(classifier);
    classifier = classifier_with(model, context, WITH("family", "bernoulli", "term-smoothing", "0.5"));
    assert_done(crd_classifier_word(classifier, 0, crd_text_of("now"), NULL, probabilities, &facts, &error), error);
    assert_near(probabilities[0], 1.5 / 4, 1e-14); /* one of three texts of ham */
    assert_near(probabilities[2], 2.5 / 3, 1e-14);
    crd_classifier_destroy(classifier);
}

/* Texts have lengths that texts of the class had; without smoothing, words that they had. */
static void drawn_texts_are_like_those_of_the_class(void **state) {
    (void)state;
    crd_settings *settings;
    crd_sampler *sampler;
    assert_done(crd_settings_clone(crd_model_settings(model), &settings, &error), error);
    assert_done(crd_settings_set(settings, "term-smoothing", crd_text_of("1e-9"), &error), error);
    const crd_value given[] = {missing_value(), text_value("list")};
    assert_done(crd_sampler_create(model, settings, given, 3, &sampler, &error), error);
    for (uint64_t row = 0; row < 20; row++) {
        crd_value values[2];
        char *text, *again;
        size_t length, words = 1;
        crd_sampler_draw(sampler, row, values);
        assert_int_equal(values[0].type, CRD_TYPE_TEXT);
        assert_done(crd_sampler_text(sampler, row, 0, &text, &length, &error), error);
        assert_done(crd_sampler_text(sampler, row, 0, &again, &length, &error), error);
        assert_string_equal(text, again);
        for (const char *cursor = text; *cursor != 0; cursor++) words += *cursor == ' ';
        assert_true(words == 5 || words == 6);
        char *remainder = text, *word;
        while ((word = strtok_r(remainder, " ", &remainder)) != NULL)
            assert_non_null(strstr("weekly digest of the list see", word));
        crd_free(context, text);
        crd_free(context, again);
    }
    crd_sampler_destroy(sampler);
    crd_settings_destroy(settings);
}

static void scores_are_told_from_logarithms_of_probabilities(void **state) {
    (void)state;
    static const struct {
        const char *family, *tf, *length;
        int is_score;
    } cases[] = {{"multinomial", "count", "none", 0},
                 {"multinomial", "log", "none", 1},
                 {"multinomial", "count", "20", 1},
                 {"bernoulli", "log", "none", 0},
                 {"complement", "count", "none", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_classifier *classifier = classifier_with(
            model, context,
            WITH("family", cases[i].family, "tf", cases[i].tf, "length-normalization", cases[i].length));
        assert_int_equal(crd_classifier_text_is_score(classifier, 0), cases[i].is_score);
        crd_classifier_destroy(classifier);
    }
}

/* What was typed is one term where the longest covers all others. */
static void a_text_is_one_term_or_none(void **state) {
    (void)state;
    static const struct {
        const char *ngrams, *text, *term;
    } cases[] = {{"1", "Cheap!", "cheap"}, {"1", "cheap lunch", NULL}, {"1", "...", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_classifier *classifier = classifier_with(model, context, WITH("ngrams", cases[i].ngrams));
        crd_text_words *words;
        assert_done(crd_text_words_create(classifier, 0, crd_text_of(cases[i].text), &words, &error), error);
        assert_int_equal(words->single != CRD_NONE, cases[i].term != NULL);
        if (cases[i].term != NULL) {
            const crd_text_word word = words->words[words->single];
            assert_true(crd_text_equal(word.term, crd_text_of(cases[i].term)));
        }
        crd_text_words_destroy(words);
        crd_classifier_destroy(classifier);
    }
}

/* Calibration by known words: with one word in u unseen, log odds against the prior are multiplied by 1 - u / (1 - u). */
static void unseen_words_cancel_known_ones(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double factor;
    } cases[] = {{"cheap cheap pills now", 1},
                 {"cheap pills now or zzz", 1 - 0.2 / 0.8},
                 {"cheap pills zzz zzz zzz", 1 - (1.0 / 3) / (2.0 / 3)},
                 {"cheap pills zzz yyy", 0},
                 {"cheap zzz yyy xxx", 0},
                 {"zzz", 0},
                 {"", 1}};
    static const char *const priors[] = {"uniform", "frequency", "ham=0.7,list=0.1,spam=0.2"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j < sizeof priors / sizeof *priors; j++) {
            crd_classifier *plain = classifier_with(model, context, WITH("prior", priors[j])),
                           *wary =
                               classifier_with(model, context, WITH("calibration", "known-words", "prior", priors[j]));
            const crd_value value = text_value(cases[i].text);
            double logs[CLASSES], posteriors[CLASSES], probabilities[CLASSES], expected[CLASSES], sum = 0;
            crd_answer answer, plain_answer;
            assert_done(crd_classifier_posterior(plain, &value, posteriors, NULL, &plain_answer, &error), error);
            assert_done(crd_classifier_posterior(wary, &value, logs, probabilities, &answer, &error), error);
            for (size_t k = 0; k < CLASSES; k++) {
                crd_term prior = CRD_TERM_INIT;
                assert_done(crd_classifier_prior(plain, k, &prior, &error), error);
                expected[k] = exp(prior.log_value + cases[i].factor * (posteriors[k] - prior.log_value));
                sum += expected[k];
            }
            for (size_t k = 0; k < CLASSES; k++) assert_true(fabs(probabilities[k] - expected[k] / sum) < 1e-14);
            assert_int_equal(answer.unseen, plain_answer.unseen);
            assert_true(answer.log_evidence == plain_answer.log_evidence);
            crd_calibration calibration = CRD_CALIBRATION_INIT;
            assert_true(crd_classifier_calibration(wary, &calibration));
            assert_string_equal(calibration.rule, "known-words");
            double input, output;
            assert_false(crd_classifier_calibration_point(wary, 0, 0, &input, &output));
            crd_classifier_destroy(plain);
            crd_classifier_destroy(wary);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unseen_words_cancel_known_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_add_up_to_the_posterior, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places_are_those_of_the_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(informative_words_are_ranked_by_divergence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(probabilities_of_words_are_the_families, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drawn_texts_are_like_those_of_the_class, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scores_are_told_from_logarithms_of_probabilities, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_text_is_one_term_or_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
