/* SPDX-License-Identifier: MIT */
/* How soon calls stop that can take long: a flag is set at random moments of each, and the processor time from then to
 * the return is measured, which other load does not change. Each call has to report progress as well.
 *
 *   CREDENCE_STOPS=8 ./unit_model_call_stops    tables eight times as large, more moments, and what was found a line each
 *
 * Without it tables are small, so that the run takes seconds, and only gross faults are found. */
#include "network_support.h"
#include "sanitizer_support.h"

#include <time.h>
#include <unistd.h>

#include "counted_fixture.h"

/* Seconds of processor time that a call may take once it is to stop. */
static const double ALLOWED = IS_SANITIZED ? 1 : 0.1;

static size_t scale = 1;

static double used(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t bits = 7;
static double unit(void) {
    bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(bits >> 11) * 0x1p-53;
}

/* ---- What is learned from ---- */

/* `numbers` and `categories` columns that depend on the class y, and on each other. */
static char *table_text(size_t rows, size_t numbers, size_t categories, size_t values, size_t classes) {
    char *text = malloc((rows + 1) * (numbers + categories + 1) * 16 + 64), *cursor = text;
    assert_non_null(text);
    for (size_t i = 0; i < numbers; i++) cursor += sprintf(cursor, "x%zu,", i);
    for (size_t i = 0; i < categories; i++) cursor += sprintf(cursor, "c%zu,", i);
    cursor += sprintf(cursor, "y\n");
    for (size_t row = 0; row < rows; row++) {
        size_t class = (size_t)(unit() * (double)classes);
        double common = unit();
        for (size_t i = 0; i < numbers; i++)
            cursor += sprintf(cursor, "%.4f,", common + unit() + unit() + (double)(class * (i % 3)) / 2);
        for (size_t i = 0; i < categories; i++)
            cursor += sprintf(cursor, "v%zu,", (size_t)(unit() * unit() * (double)values + (double)class) % values);
        cursor += sprintf(cursor, "k%zu\n", class);
    }
    return text;
}

static crd_model *model_of(size_t rows, size_t numbers, size_t categories, size_t values, const char *kept) {
    char *text = table_text(rows, numbers, categories, values, 3);
    crd_model *model = trained_keeping(context, text, "y", kept);
    free(text);
    return model;
}

/* A square lattice, whose clusters have as many nodes as a side. */
static crd_network *lattice(size_t side, size_t states) {
    crd_network_builder *builder;
    crd_network *network;
    crd_error error;
    crd_text names[8] = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}, {"g", 1}, {"h", 1}};
    assert_done(crd_network_builder_create(context, crd_text_of("lattice"), &builder, &error), error);
    for (size_t i = 0; i < side * side; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%zu", i);
        assert_done(
            crd_network_builder_add_node(builder, crd_text_of(name), CRD_NODE_CHANCE, names, states, NULL, &error),
            error);
        if (i % side > 0) assert_done(crd_network_builder_add_arc(builder, i - 1, i, &error), error);
        if (i >= side) assert_done(crd_network_builder_add_arc(builder, i - side, i, &error), error);
        size_t rows = (i % side > 0 ? states : 1) * (i >= side ? states : 1);
        double *table = malloc(rows * states * sizeof *table);
        for (size_t row = 0; row < rows; row++) {
            double sum = 0;
            for (size_t j = 0; j < states; j++) sum += table[row * states + j] = unit() + .01;
            for (size_t j = 0; j < states; j++) table[row * states + j] /= sum;
        }
        assert_done(crd_network_builder_set_cpt(builder, i, table, rows * states, &error), error);
        free(table);
    }
    assert_done(crd_network_builder_finish(builder, &network, &error), error);
    crd_network_builder_destroy(builder);
    return network;
}

/* ---- Calls ---- */

typedef struct work {
    const char *name, *setting, *value;
    crd_status (*run)(const struct work *work, crd_error *error);
    void (*open)(struct work *work);
    crd_model *model, *other;
    crd_network *network;
    crd_classifier *classifier;
    char *text;
    unsigned char *bytes;
    size_t length;
} work;

static crd_status train(const work *w, crd_error *error) {
    crd_model *model = NULL;
    crd_status status = train_keeping(context, w->text, "y", w->value, &model, error);
    crd_model_destroy(model);
    return status;
}

static void open_rows(work *w) {
    w->text = table_text(60000 * scale, 8, 8, 6, 3);
}

static void open_few_rows(work *w) {
    w->text = table_text(4000 * scale, 20, 8, 6, 3);
}

static crd_status derive(const work *w, crd_error *error) {
    crd_settings *settings = NULL;
    crd_classifier *classifier = NULL;
    crd_status status = crd_settings_create(context, &settings, error);
    if (status == CRD_OK && w->setting[0] == 'n') /* the kind of normal density */
        status = crd_settings_set(settings, "joint", crd_text_of("numbers"), error);
    if (status == CRD_OK) status = crd_settings_set(settings, w->setting, crd_text_of(w->value), error);
    if (status == CRD_OK) status = crd_classifier_create(w->model, settings, &classifier, error);
    crd_classifier_destroy(classifier);
    crd_settings_destroy(settings);
    return status;
}

static void open_kept(work *w) {
    w->model = model_of(400 * scale, 8, 4, 5, "all,cross-products,pair-counts,rows,joint-counts");
}

static void open_wide(work *w) {
    w->model = model_of(300, 20 + 20 * scale, 0, 2, "cross-products,rows");
}

static void open_values(work *w) {
    w->model = model_of(2000, 0, 20 + 10 * scale, 20, "pair-counts");
}

static crd_status infer(const work *w, crd_error *error) {
    crd_inference_options options = CRD_INFERENCE_OPTIONS_INIT;
    size_t nodes = crd_network_node_count(w->network), node = nodes - 1, two[] = {0, nodes - 1};
    double *workspace = malloc(64 * nodes * sizeof *workspace), most;
    size_t *states = malloc(nodes * sizeof *states);
    const crd_finding finding = {nodes / 2, 1, NULL, 0};
    crd_status status;
    options.draws = 50000 * scale;
    options.memory = 8e9;
    options.is_always_approximate = strcmp(w->value, "exact") != 0 && strcmp(w->value, "mpe") != 0;
    if (strcmp(w->value, "gibbs") == 0) options.approximation = CRD_APPROXIMATION_GIBBS;
    if (strcmp(w->value, "weighting") == 0) options.approximation = CRD_APPROXIMATION_WEIGHTING;
    if (strcmp(w->value, "loopy") == 0) options.approximation = CRD_APPROXIMATION_LOOPY;
    if (strcmp(w->value, "mpe") == 0)
        status = crd_network_mpe(w->network, NETWORK_QUERY(&finding, 1, NULL, 0, &options), states, &most, NULL, error);
    else if (strcmp(w->value, "exact") == 0)
        status = crd_network_joint_posterior(w->network, NETWORK_QUERY(&finding, 1, two, 2, &options), workspace, NULL,
                                             NULL, error);
    else
        status = crd_network_posteriors(w->network, NETWORK_QUERY(&finding, 1, &node, 1, &options), workspace, NULL,
                                        NULL, error);
    free(states);
    free(workspace);
    return status;
}

static void open_lattice(work *w) {
    w->network = lattice(8 + scale / 4, 4);
}

static void open_sparse(work *w) {
    w->network = lattice(8, 3);
}

static void open_large(work *w) {
    w->network = lattice(60 + 20 * scale, 2);
}

static crd_status separate(const work *w, crd_error *error) {
    crd_text text = {NULL, 0};
    crd_network *again = NULL;
    crd_status status = crd_network_write(w->network, CRD_NETWORK_FORMAT_BIF, &text, error);
    if (status == CRD_OK) status = crd_network_read(context, text, "text", CRD_NETWORK_FORMAT_BIF, &again, error);
    crd_free(context, (void *)text.bytes);
    crd_network_destroy(again);
    return status;
}

static crd_status explain(const work *w, crd_error *error) {
    size_t attributes = crd_classifier_attribute_count(w->classifier), count;
    crd_value *values = malloc(attributes * sizeof *values);
    crd_what_if *what_if = NULL;
    crd_counterfactual *changes = malloc(attributes * sizeof *changes);
    crd_information_gain *gains = malloc(attributes * sizeof *gains);
    crd_counterfactual_search search = CRD_COUNTERFACTUAL_SEARCH_INIT;
    crd_information_gain_search inquiry = CRD_INFORMATION_GAIN_SEARCH_INIT;
    bool changes_cells = strcmp(w->value, "changes") == 0;
    changes[0].size = sizeof *changes;
    gains[0].size = sizeof *gains;
    search.is_thorough = inquiry.is_thorough = 1;
    for (size_t i = 0; i < attributes; i++) {
        if (!changes_cells && i > 0) values[i] = missing_value();
        else if (crd_classifier_attribute_type(w->classifier, i) == CRD_TYPE_NUMERIC)
            values[i] = number_value(1 + (double)(i % 3));
        else values[i] = text_value("v0");
    }
    crd_status status = crd_what_if_create(w->model, w->classifier, &what_if, error);
    if (status == CRD_OK && changes_cells)
        status = crd_what_if_counterfactuals(what_if, values, &search, changes, &count, error);
    if (status == CRD_OK && !changes_cells)
        status = crd_what_if_information_gain(what_if, values, &inquiry, gains, &count, error);
    crd_what_if_destroy(what_if);
    free(values);
    free(changes);
    free(gains);
    return status;
}

static void open_explained(work *w) {
    w->model = model_of(500, 60 + 40 * scale, 20 + 20 * scale, 20, "all");
    w->classifier = classifier_with(w->model, context, (const char *const[]){NULL});
}

static crd_status depend(const work *w, crd_error *error) {
    crd_dependence *dependence = NULL;
    crd_reader *reader = NULL;
    size_t count;
    crd_status status = crd_dependence_create(w->model, &dependence, error);
    if (status == CRD_OK) status = open_text(context, w->text, strlen(w->text), "y", &reader, error);
    if (status == CRD_OK) status = crd_dependence_read(dependence, reader, error);
    if (status == CRD_OK) status = crd_dependence_pairs(dependence, NULL, 0, &count, error);
    crd_reader_close(reader);
    crd_dependence_destroy(dependence);
    return status;
}

static void open_depend(work *w) {
    w->text = table_text(3000 * scale, 30, 30, 20, 3);
    w->model = trained(context, w->text, "y");
}

static crd_status typical(const work *w, crd_error *error) {
    crd_typicality *fit = NULL;
    crd_status status = crd_typicality_create(w->model, NULL, &fit, error);
    crd_typicality_destroy(fit);
    return status;
}

static void open_typical(work *w) {
    w->model = model_of(1000, 300 * scale, 100, 10, NULL);
}

/* Many values, so that the model is large. */
static void open_bytes(work *w) {
    crd_error error;
    w->model = model_of(20000 * scale, 4, 30, 3000, "pair-counts");
    w->other = model_of(20000 * scale, 4, 30, 3000, "pair-counts");
    assert_done(crd_model_encode(w->model, &w->bytes, &w->length, &error), error);
}

static crd_status encode(const work *w, crd_error *error) {
    unsigned char *bytes = NULL;
    size_t length;
    crd_status status = crd_model_encode(w->model, &bytes, &length, error);
    crd_free(context, bytes);
    return status;
}

static crd_status decode(const work *w, crd_error *error) {
    crd_model *model = NULL;
    crd_status status = crd_model_decode(context, w->bytes, w->length, &model, error);
    crd_model_destroy(model);
    return status;
}

static crd_status merge(const work *w, crd_error *error) {
    crd_model *model = NULL;
    crd_status status = crd_model_decode(context, w->bytes, w->length, &model, error);
    if (status == CRD_OK) status = crd_model_merge(model, w->other, error);
    crd_model_destroy(model);
    return status;
}

static crd_status report(const work *w, crd_error *error) {
    crd_reader *reader = NULL;
    char *html = NULL;
    crd_report_options options = CRD_REPORT_OPTIONS_INIT;
    options.folds = 2;
    crd_status status = open_text(context, w->text, strlen(w->text), "y", &reader, error);
    if (status == CRD_OK) status = crd_report_rows(context, reader, &options, &html, error);
    crd_free(context, html);
    crd_reader_close(reader);
    return status;
}

static void open_report(work *w) {
    w->text = table_text(40 * scale, 2, 2, 3, 3);
}

#define CASE(title, name_, value_, call, begin)                                                                        \
    { .name = title, .setting = name_, .value = value_, .run = call, .open = begin }
static work works[] = {
    CASE("train", "", NULL, train, open_rows),
    CASE("train, keeping", "", "all,cross-products,pair-counts,rows,joint-counts", train, open_few_rows),
    CASE("pairwise", "method", "pairwise", derive, open_kept),
    CASE("trees", "method", "trees", derive, open_kept),
    CASE("stacking", "method", "stacking", derive, open_kept),
    CASE("bagging", "method", "bagging:20", derive, open_kept),
    CASE("boosting", "method", "boosting:20", derive, open_kept),
    CASE("attribute weights", "attribute-weights", "fitted", derive, open_kept),
    CASE("calibration", "calibration", "isotonic", derive, open_kept),
    CASE("families", "family", "auto", derive, open_kept),
    CASE("joint table", "joint", "categories", derive, open_kept),
    CASE("joint normal", "joint", "numbers", derive, open_wide),
    CASE("mixture", "joint-mixture", "auto", derive, open_wide),
    CASE("AODE", "method", "aode", derive, open_values),
    CASE("junction tree", "", "exact", infer, open_lattice),
    CASE("MPE", "", "mpe", infer, open_lattice),
    CASE("Gibbs sampling", "", "gibbs", infer, open_sparse),
    CASE("likelihood weighting", "", "weighting", infer, open_sparse),
    CASE("loopy propagation", "", "loopy", infer, open_large),
    CASE("network file", "", NULL, separate, open_large),
    CASE("counterfactuals", "", "changes", explain, open_explained),
    CASE("information gain", "", "gain", explain, open_explained),
    CASE("dependence", "", NULL, depend, open_depend),
    CASE("typicality", "", NULL, typical, open_typical),
    CASE("encode", "", NULL, encode, open_bytes),
    CASE("decode", "", NULL, decode, open_bytes),
    CASE("merge", "", NULL, merge, open_bytes),
    CASE("report", "", NULL, report, open_report),
};

/* ---- Stopping them ---- */

typedef struct stops_stopper {
    double point; /* processor time */
    int flag;     /* set then */
    double set;   /* when it was */
    atomic_bool is_over;
    unsigned reports;
} stops_stopper;

static void *ring(void *argument) {
    stops_stopper *stopper = argument;
    const struct timespec pause = {0, 200000};
    while (used() < stopper->point && !stopper->is_over) nanosleep(&pause, NULL);
    stopper->set = used();
    __atomic_store_n(&stopper->flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void count_report(void *user, const char *stage, double done, double total) {
    stops_stopper *stopper = user;
    assert_true(stage[0] != '\0' && done >= 0 && (total == 0 || done <= total));
    stopper->reports++;
}

static crd_status run_until(const work *w, double position, double *late, double *took, unsigned *reports) {
    stops_stopper stopper = {.point = position};
    pthread_t thread;
    crd_error error;
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    options.threads = 1;
    options.cancel = &stopper.flag;
    options.progress = count_report;
    options.user = &stopper;
    double begun = used();
    stopper.point += begun;
    assert_int_equal(pthread_create(&thread, NULL, ring, &stopper), 0);
    assert_int_equal(crd_call_begin(context, &options), CRD_OK);
    crd_status status = w->run(w, &error);
    double ended = used();
    crd_call_end(context);
    stopper.is_over = true;
    pthread_join(thread, NULL);
    *late = ended > stopper.set ? ended - stopper.set : 0;
    *took = ended - begun;
    *reports = stopper.reports;
    if (status != CRD_OK && status != CRD_ERROR_CANCELLED) fail_msg("%s: %s", w->name, error.message);
    return status;
}

static void test_stops(void **state) {
    (void)state;
    const char *requested = getenv("CREDENCE_STOPS");
    scale = requested == NULL ? 1 : (size_t)atoi(requested);
    const char *only = getenv("CREDENCE_STOPS_ONLY");
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        work *w = &works[i];
        double late, took, worst = 0, worst_at = 0, whole;
        unsigned reports;
        if (only != NULL && strstr(w->name, only) == NULL) continue;
        w->open(w);
        assert_int_equal(run_until(w, 1e9, &late, &whole, &reports), CRD_OK);
        for (int trial = 0; trial < (requested == NULL ? 3 : 8); trial++) {
            double position = unit() * whole;
            unsigned some;
            run_until(w, position, &late, &took, &some);
            if (late > worst) worst = late, worst_at = position;
        }
        if (requested != NULL)
            print_message("%-22s takes %6.2f s, stops within %.3f s (at %.2f), %u reports\n", w->name, whole, worst,
                          worst_at, reports);
        else if (worst > ALLOWED) fail_msg("%s stops after %.3f s", w->name, worst);
        crd_classifier_destroy(w->classifier);
        crd_model_destroy(w->model);
        crd_model_destroy(w->other);
        crd_network_destroy(w->network);
        crd_free(context, w->bytes);
        free(w->text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stops)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
