/* SPDX-License-Identifier: MIT */
/* Whatever was made with a context can be used and destroyed after it: one object of every kind outlives it, beside
 * those that this kind needs, and alone where it needs none. */
#include "model_support.h"

#include <pthread.h>
#include <unistd.h>

/* ---- Memory that is overwritten when it is freed, so that nobody can go on using it ---- */

typedef union lifetime_header {
    size_t bytes;
    max_align_t alignment;
} lifetime_header;

static atomic_long live;

static void release(lifetime_header *header) {
    memset(header + 1, 0xDB, header->bytes);
    free(header);
    live--;
}

static void *resize(void *user, void *block, size_t bytes) {
    (void)user;
    lifetime_header *before = block == NULL ? NULL : (lifetime_header *)block - 1;
    lifetime_header *after = NULL;
    if (bytes > 0) {
        after = malloc(sizeof *after + bytes);
        assert_non_null(after);
        after->bytes = bytes;
        live++;
        if (before != NULL) memcpy(after + 1, before + 1, before->bytes < bytes ? before->bytes : bytes);
    }
    if (before != NULL) release(before);
    return after == NULL ? NULL : after + 1;
}

static crd_context *create_context(void) {
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    crd_context *context = NULL;
    options.resize = resize;
    assert_int_equal(crd_context_create(&options, &context), CRD_OK);
    return context;
}

/* ---- What others are made of ---- */

typedef struct basis {
    crd_context *context;
    crd_reader *reader;
    crd_model *model;
    crd_classifier *classifier, *text_classifier;
    crd_network *network, *diagram;
    crd_rule *rule;
    crd_evaluation *evaluation;
    crd_row_source *source;
    crd_sequences *sequences;
    crd_model *sequence_model, *class_model;
    crd_hmm *hmm;
} basis;

static const char TABLE[] = "a,b,y\nu,1,p\nv,2,q\nu,3,p\nv,4,q\nu,2,q\nv,1,p\n";
static const crd_text CLASSES[] = {{"p", 1}, {"q", 1}};
static const char NETWORK[] = "variable r { type discrete[2] { n, y }; }\nprobability (r) { table 0.4, 0.6; }\n"
                              "variable s { type discrete[2] { n, y }; }\nprobability (s | r) { (n) 0.9, 0.1; (y) 0.3, "
                              "0.7; }\n";

static void open_table(crd_context *context, crd_reader **out) {
    crd_error error;
    assert_done(crd_reader_open_memory(context, TABLE, sizeof TABLE - 1, "table", NULL, out, &error), error);
    assert_done(crd_reader_set_target(*out, 2, &error), error);
}

static crd_status read_sequences(crd_context *context, crd_sequences **out, crd_error *error) {
    crd_reader *reader = NULL;
    open_table(context, &reader);
    const crd_status status = crd_sequences_read(reader, NULL, out, error);
    crd_reader_close(reader);
    return status;
}

static void train_classes(crd_context *context, crd_model **out) {
    static const char rows[] = "id,x,k\n1,1,p\n1,2,p\n2,3,q\n2,5,q\n";
    crd_sequence_options where = CRD_SEQUENCE_OPTIONS_INIT;
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_error error;
    where.sequence = crd_text_of("id");
    options.states = options.restarts = 1;
    assert_done(crd_reader_open_memory(context, rows, sizeof rows - 1, "rows", NULL, &reader, &error), error);
    assert_done(crd_reader_set_target(reader, 2, &error), error);
    assert_done(crd_sequences_read(reader, &where, &sequences, &error), error);
    assert_done(crd_sequence_classes_train(sequences, NULL, &options, out, &error), error);
    crd_sequences_destroy(sequences);
    crd_reader_close(reader);
}

static void classify_texts(crd_context *context, crd_classifier **out) {
    static const crd_text texts[] = {{"buy now", 7}, {"see you", 7}}, classes[] = {{"p", 1}, {"q", 1}};
    crd_frame *frame = NULL;
    crd_model *model = NULL;
    crd_error error;
    assert_done(crd_frame_create(context, 2, &frame, &error), error);
    assert_done(crd_frame_add_documents(frame, crd_text_of("body"), texts, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), classes, &error), error);
    assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, frame, &error), error);
    assert_done(crd_classifier_create(model, NULL, out, &error), error);
    crd_model_destroy(model);
    crd_frame_destroy(frame);
}

static void load_network(crd_context *context, const char *name, crd_network **out) {
    char path[512];
    crd_error error;
    snprintf(path, sizeof path, "%s/%s", CREDENCE_EXAMPLES, name);
    assert_done(crd_network_load(context, path, CRD_NETWORK_FORMAT_ANY, out, &error), error);
}

static basis create_basis(void) {
    basis b = {.context = create_context()};
    crd_error error;
    crd_reader *rows = NULL;
    open_table(b.context, &b.reader);
    open_table(b.context, &rows);
    assert_done(crd_model_train(b.context, rows, NULL, &b.model, NULL, &error), error);
    crd_reader_close(rows);
    assert_done(crd_classifier_create(b.model, NULL, &b.classifier, &error), error);
    assert_done(crd_network_read(b.context, crd_text_of(NETWORK), "net", CRD_NETWORK_FORMAT_ANY, &b.network, &error),
                error);
    load_network(b.context, "umbrella.bif", &b.diagram);
    assert_done(crd_rule_create_threshold(b.context, CLASSES, 2, 0, 0.5, &b.rule, &error), error);
    assert_done(crd_evaluation_create(b.context, CLASSES, 2, &b.evaluation, &error), error);
    static const double EVEN[] = {-0.69314718055994529, -0.69314718055994529};
    for (size_t i = 0; i < 2; i++)
        assert_done(crd_evaluation_add(b.evaluation, EVEN, CLASSES[i], 1, NULL, &error), error);
    assert_done(crd_row_source_create(b.reader, &b.source, &error), error);
    assert_done(read_sequences(b.context, &b.sequences, &error), error);
    assert_done(crd_sequences_train(b.sequences, NULL, &b.sequence_model, NULL, &error), error);
    assert_done(crd_hmm_create(b.sequence_model, NULL, &b.hmm, &error), error);
    train_classes(b.context, &b.class_model);
    classify_texts(b.context, &b.text_classifier);
    return b;
}

static void destroy_basis(basis *b) {
    crd_classifier_destroy(b->text_classifier);
    crd_hmm_destroy(b->hmm);
    crd_model_destroy(b->sequence_model);
    crd_model_destroy(b->class_model);
    crd_sequences_destroy(b->sequences);
    crd_row_source_destroy(b->source);
    crd_evaluation_destroy(b->evaluation);
    crd_rule_destroy(b->rule);
    crd_network_destroy(b->diagram);
    crd_network_destroy(b->network);
    crd_classifier_destroy(b->classifier);
    crd_model_destroy(b->model);
    crd_reader_close(b->reader);
}

/* ---- Every kind of object ---- */

#define KIND(type, create, destroy) KIND_OF(type, type, create, destroy)
#define KIND_OF(name, type, create, destroy)                                                                           \
    static void *make_##name(basis *b) {                                                                               \
        crd_##type *made = NULL;                                                                                       \
        crd_error error;                                                                                               \
        (void)b;                                                                                                       \
        assert_done(create, error);                                                                                    \
        return made;                                                                                                   \
    }                                                                                                                  \
    static void end_##name(void *made) {                                                                               \
        destroy(made);                                                                                                 \
    }

static const size_t NODE = 1;
static const crd_text EVENT = {"a=u", 3};
static const crd_text NAMES[] = {{"a", 1}, {"b", 1}};

static crd_status create_normal(crd_context *context, crd_distribution **out, crd_error *error) {
    static const double numbers[] = {0, 1};
    const crd_parameter_value parameters[] = {{crd_text_of("mean"), &numbers[0], 1},
                                              {crd_text_of("sd"), &numbers[1], 1}};
    return crd_distribution_create(context, crd_text_of("normal"), parameters, 2, out, error);
}

static crd_status take_lock(crd_context *context, crd_model_lock **out, crd_error *error) {
    char path[] = "/tmp/credence-lifetime-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    crd_status status = crd_model_lock_take(context, path, out, error);
    unlink(path);
    return status;
}

static crd_status combine(basis *b, crd_hypotheses **out, crd_error *error) {
    crd_status status = crd_hypotheses_create(b->context, out, error);
    return status == CRD_OK ? crd_hypotheses_add(*out, crd_text_of("m"), b->model, 1, error) : status;
}

static crd_status create_profile(crd_context *context, crd_profile **out, crd_error *error) {
    crd_reader *reader = NULL;
    open_table(context, &reader);
    const crd_status status = crd_profile_create(context, reader, 0, out, error);
    crd_reader_close(reader);
    return status;
}

static crd_status count_rows(crd_context *context, crd_table **out, crd_error *error) {
    crd_reader *reader = NULL;
    open_table(context, &reader);
    const crd_status status = crd_table_read(context, reader, &(size_t){0}, 1, out, error);
    crd_reader_close(reader);
    return status;
}

static crd_status find_states(const crd_sequences *sequences, crd_fit **out, crd_error *error) {
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    options.states = 2;
    options.restarts = 1;
    options.ignore_labels = 1;
    return crd_hmm_find(sequences, crd_text_of("hidden"), NULL, &options, out, error);
}

static crd_status find_classes(crd_context *context, crd_fit **out, crd_error *error) {
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    assert_done(crd_reader_open_memory(context, TABLE, sizeof TABLE - 1, "table", NULL, &reader, error), *error);
    const crd_status status = crd_latent_train(reader, crd_text_of("k"), NULL, NULL, &model, out, error);
    crd_model_destroy(model);
    crd_reader_close(reader);
    return status;
}

static crd_status find_mixture(crd_context *context, crd_normal_mixture **out, crd_error *error) {
    static const double standard[] = {0, 1};
    crd_network_builder *builder = NULL;
    crd_network *network = NULL;
    size_t node = 0;
    assert_done(crd_network_builder_create(context, NAMES[0], &builder, error), *error);
    assert_done(crd_network_builder_add_node(builder, NAMES[0], CRD_NODE_GAUSSIAN, NULL, 0, &node, error), *error);
    assert_done(crd_network_builder_set_cpt(builder, node, standard, 2, error), *error);
    assert_done(crd_network_builder_finish(builder, &network, error), *error);
    const crd_status status = crd_network_mixtures(network, NETWORK_QUERY(NULL, 0, &node, 1, NULL), out, NULL, error);
    crd_network_builder_destroy(builder);
    crd_network_destroy(network);
    return status;
}

static crd_status score_structure(const basis *b, crd_structure_score **out, crd_error *error) {
    crd_network_builder *builder = NULL;
    crd_network *network = NULL;
    crd_reader *reader = NULL;
    const crd_text states[] = {{"p", 1}, {"q", 1}};
    const double table[] = {0.5, 0.5};
    assert_done(crd_network_builder_create(b->context, NAMES[0], &builder, error), *error);
    assert_done(crd_network_builder_add_node(builder, crd_text_of("y"), CRD_NODE_CHANCE, states, 2, NULL, error),
                *error);
    assert_done(crd_network_builder_set_cpt(builder, 0, table, 2, error), *error);
    assert_done(crd_network_builder_finish(builder, &network, error), *error);
    assert_done(crd_reader_open_memory(b->context, TABLE, sizeof TABLE - 1, "table", NULL, &reader, error), *error);
    const crd_status status = crd_structure_score_create(network, reader, crd_text_of("bic"), out, error);
    crd_reader_close(reader);
    crd_network_destroy(network);
    crd_network_builder_destroy(builder);
    return status;
}

static crd_status create_structure(crd_context *context, crd_structure **out, crd_error *error) {
    crd_reader *reader = NULL;
    crd_row_source *source = NULL;
    crd_settings *settings = NULL;
    open_table(context, &reader);
    crd_status status = crd_settings_create(context, &settings, error);
    if (status == CRD_OK) status = crd_settings_set(settings, "method", crd_text_of("network"), error);
    if (status == CRD_OK) status = crd_settings_set(settings, "search", crd_text_of("chow-liu"), error);
    if (status == CRD_OK) status = crd_row_source_create_unlabeled(reader, &source, error);
    if (status == CRD_OK) status = crd_structure_learn(source, settings, NULL, out, error);
    crd_row_source_destroy(source);
    crd_settings_destroy(settings);
    crd_reader_close(reader);
    return status;
}

static crd_status fit_tables(crd_context *context, crd_fit **out, crd_error *error) {
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    assert_done(crd_settings_create(context, &settings, error), *error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("network"), error), *error);
    assert_done(crd_settings_set(settings, "arcs", crd_text_of("h->a,h->y"), error), *error);
    assert_done(crd_settings_set(settings, "latent-nodes", crd_text_of("h:2"), error), *error);
    assert_done(crd_reader_open_memory(context, TABLE, sizeof TABLE - 1, "table", NULL, &reader, error), *error);
    assert_done(crd_model_train(context, reader, settings, &model, NULL, error), *error);
    const crd_status status = crd_fit_from_model(model, NULL, out, error);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    crd_reader_close(reader);
    return status;
}

KIND(bayes, crd_bayes_create(b->context, &made, &error), crd_bayes_destroy)
KIND(settings, crd_settings_create(b->context, &made, &error), crd_settings_destroy)
KIND(distribution, create_normal(b->context, &made, &error), crd_distribution_destroy)
KIND(result, crd_result_create(b->context, CRD_FOR_ALL, &made, &error), crd_result_destroy)
KIND(frame, crd_frame_create(b->context, 3, &made, &error), crd_frame_destroy)
KIND(input, crd_input_from_memory(b->context, TABLE, 5, "input", &made, &error), crd_input_close)
KIND(reader, crd_reader_open_memory(b->context, TABLE, sizeof TABLE - 1, "rows", NULL, &made, &error), crd_reader_close)
KIND(sequences, read_sequences(b->context, &made, &error), crd_sequences_destroy)
KIND(sequence_reader, crd_sequence_reader_create(b->reader, NULL, &made, &error), crd_sequence_reader_destroy)
KIND(sequence_cursor, crd_sequence_cursor_create(b->sequences, &made, &error), crd_sequence_cursor_destroy)
KIND(schema, crd_schema_create(b->context, &made, &error), crd_schema_destroy)
KIND(model, crd_model_create_for_rows(b->context, NAMES, 1, NAMES[1], NULL, &made, &error), crd_model_destroy)
KIND(model_lock, take_lock(b->context, &made, &error), crd_model_lock_release)
KIND(output_file, crd_output_file_open(b->context, "/dev/null", &made, &error), crd_output_file_destroy)
KIND(mail, crd_mail_parse(b->context, "A: b\n\nc", 8, NULL, &made, &error), crd_mail_destroy)
KIND(mail_pass, crd_mail_pass_create(b->context, crd_text_of("A: b\n"), NULL, NULL, &made, &error),
     crd_mail_pass_destroy)
KIND(summary, crd_summary_create(b->model, &made, &error), crd_summary_destroy)
KIND(classifier, crd_classifier_create(b->model, NULL, &made, &error), crd_classifier_destroy)
KIND(posteriors, crd_posteriors_create(b->context, &made, &error), crd_posteriors_destroy)
KIND(hypotheses, combine(b, &made, &error), crd_hypotheses_destroy)
KIND(rule, crd_rule_create_threshold(b->context, CLASSES, 2, 1, 0.5, &made, &error), crd_rule_destroy)
KIND(typicality, crd_typicality_create(b->model, NULL, &made, &error), crd_typicality_destroy)
KIND(evaluation, crd_evaluation_create(b->context, CLASSES, 2, &made, &error), crd_evaluation_destroy)
KIND(scores, crd_scores_create(b->evaluation, &made, &error), crd_scores_destroy)
KIND(curve, crd_curve_create(b->evaluation, 1, &made, &error), crd_curve_destroy)
KIND(fold_scores, crd_fold_scores_create(b->evaluation, &made, &error), crd_fold_scores_destroy)
KIND(profile, create_profile(b->context, &made, &error), crd_profile_destroy)
KIND_OF(latent_fit, fit, find_classes(b->context, &made, &error), crd_fit_destroy)
KIND(structure_score, score_structure(b, &made, &error), crd_structure_score_destroy)
KIND_OF(network_fit, fit, fit_tables(b->context, &made, &error), crd_fit_destroy)
KIND(hmm, crd_hmm_create(b->sequence_model, NULL, &made, &error), crd_hmm_destroy)
KIND(hmm_filter, crd_hmm_filter_create(b->hmm, 2, &made, &error), crd_hmm_filter_destroy)
KIND_OF(hmm_fit, fit, find_states(b->sequences, &made, &error), crd_fit_destroy)
KIND(sequence_evaluation, crd_sequence_evaluation_create(b->context, CLASSES, 2, NULL, &made, &error),
     crd_sequence_evaluation_destroy)
KIND(sequence_query, crd_sequence_query_create(b->hmm, b->sequences, &made, &error), crd_sequence_query_destroy)
KIND(sequence_sampler, crd_sequence_sampler_create(b->sequence_model, NULL, 1, &made, &error),
     crd_sequence_sampler_destroy)
KIND(sequence_classifier, crd_sequence_classifier_create(b->class_model, NULL, &made, &error),
     crd_sequence_classifier_destroy)
KIND(labeling, crd_labeling_create(b->context, &made, &error), crd_labeling_destroy)
KIND(row_source, crd_row_source_create(b->reader, &made, &error), crd_row_source_destroy)
KIND(assessment, crd_assessment_of_folds(b->source, NULL, NULL, NULL, &made, &error), crd_assessment_destroy)
KIND(comparison, crd_comparison_create(b->source, NULL, &made, &error), crd_comparison_destroy)
KIND(text_words, crd_text_words_create(b->text_classifier, 0, crd_text_of("buy"), &made, &error),
     crd_text_words_destroy)
KIND(informative_words, crd_informative_words_create(b->text_classifier, 0, 3, &made, &error),
     crd_informative_words_destroy)
KIND(what_if, crd_what_if_create(b->model, b->classifier, &made, &error), crd_what_if_destroy)
KIND(density_curves, crd_density_curves_create(b->classifier, 1, 9, &made, &error), crd_density_curves_destroy)
KIND(nomogram, crd_nomogram_create(b->classifier, 0, 1, 9, &made, &error), crd_nomogram_destroy)
KIND(dependence, crd_dependence_create(b->model, &made, &error), crd_dependence_destroy)
KIND(structure, create_structure(b->context, &made, &error), crd_structure_destroy)
KIND(event, crd_event_parse(b->context, EVENT, NAMES, 2, &made, &error), crd_event_destroy)
KIND(table, count_rows(b->context, &made, &error), crd_table_destroy)
KIND(query, crd_query_create(b->model, NULL, &made, &error), crd_query_destroy)
KIND(plot_layout, crd_plot_layout_create(b->context, &(crd_plot_extent){1, 1}, 1, NULL, 0, NULL, &made, &error),
     crd_plot_layout_destroy)
KIND(sampler, crd_sampler_create(b->model, NULL, NULL, 1, &made, &error), crd_sampler_destroy)
KIND(network, crd_network_read(b->context, crd_text_of(NETWORK), "net", CRD_NETWORK_FORMAT_ANY, &made, &error),
     crd_network_destroy)
KIND(network_comparison, crd_network_compare(b->network, b->diagram, &made, &error), crd_network_comparison_destroy)
KIND(network_builder, crd_network_builder_create(b->context, NAMES[0], &made, &error), crd_network_builder_destroy)
KIND(network_engine,
     crd_network_engine_create(b->network, NETWORK_QUERY(NULL, 0, &NODE, 1, NULL), NULL, 0, &made, &error),
     crd_network_engine_destroy)
KIND(network_sampler, crd_network_sampler_create(b->network, NULL, 0, NULL, &made, &error), crd_network_sampler_destroy)
KIND(normal_mixture, find_mixture(b->context, &made, &error), crd_normal_mixture_destroy)
KIND(evidence_analysis, crd_evidence_analysis_create(b->network, NULL, 0, NODE, NULL, &made, &error),
     crd_evidence_analysis_destroy)
KIND(policy, crd_policy_create(b->diagram, NULL, 0, NULL, 0, NULL, &made, &error), crd_policy_destroy)

typedef struct kind {
    const char *name;
    void *(*make)(basis *b);
    void (*end)(void *object);
} kind;

#define ENTRY(type) ENTRY_OF(type, type)
#define ENTRY_OF(name, type)                                                                                           \
    { #type, make_##name, end_##name }
static const kind KINDS[] = {ENTRY(bayes),
                             ENTRY(settings),
                             ENTRY(distribution),
                             ENTRY(result),
                             ENTRY(frame),
                             ENTRY(input),
                             ENTRY(reader),
                             ENTRY(sequences),
                             ENTRY(sequence_reader),
                             ENTRY(sequence_cursor),
                             ENTRY(schema),
                             ENTRY(model),
                             ENTRY(model_lock),
                             ENTRY(output_file),
                             ENTRY(mail),
                             ENTRY(mail_pass),
                             ENTRY(summary),
                             ENTRY(classifier),
                             ENTRY(posteriors),
                             ENTRY(hypotheses),
                             ENTRY(rule),
                             ENTRY(typicality),
                             ENTRY(evaluation),
                             ENTRY(scores),
                             ENTRY(curve),
                             ENTRY(fold_scores),
                             ENTRY(profile),
                             ENTRY_OF(latent_fit, fit),
                             ENTRY(structure_score),
                             ENTRY_OF(network_fit, fit),
                             ENTRY(hmm),
                             ENTRY(hmm_filter),
                             ENTRY_OF(hmm_fit, fit),
                             ENTRY(sequence_evaluation),
                             ENTRY(sequence_query),
                             ENTRY(sequence_sampler),
                             ENTRY(sequence_classifier),
                             ENTRY(labeling),
                             ENTRY(row_source),
                             ENTRY(assessment),
                             ENTRY(comparison),
                             ENTRY(text_words),
                             ENTRY(informative_words),
                             ENTRY(what_if),
                             ENTRY(density_curves),
                             ENTRY(nomogram),
                             ENTRY(dependence),
                             ENTRY(event),
                             ENTRY(table),
                             ENTRY(query),
                             ENTRY(plot_layout),
                             ENTRY(sampler),
                             ENTRY(network),
                             ENTRY(network_comparison),
                             ENTRY(network_builder),
                             ENTRY(structure),
                             ENTRY(network_engine),
                             ENTRY(network_sampler),
                             ENTRY(normal_mixture),
                             ENTRY(evidence_analysis),
                             ENTRY(policy)};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

/* ---- Tests ---- */

static void every_kind_outlives_its_context(void **state) {
    (void)state;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        basis b = create_basis();
        print_message("%s\n", KINDS[i].name);
        void *object = KINDS[i].make(&b);
        crd_context_destroy(b.context);
        KINDS[i].end(object);
        destroy_basis(&b);
        assert_int_equal(live, 0);
    }
}

/* The kinds that a public header has a function to destroy for. */
static void count_types(const char *text, size_t *result) {
    static const char *const ENDINGS[] = {"_destroy(", "_close(", "_release("};
    static const char BEGINNING[] = "CRD_API void crd_";
    for (const char *cursor = text; (cursor = strstr(cursor, BEGINNING)) != NULL;) {
        cursor += sizeof BEGINNING - 1;
        for (size_t e = 0; e < sizeof ENDINGS / sizeof ENDINGS[0]; e++) {
            const char *parenthesis = strchr(cursor, '(');
            size_t length = (size_t)(parenthesis - cursor) + 1, ending = strlen(ENDINGS[e]);
            if (length <= ending || memcmp(cursor + length - ending, ENDINGS[e], ending) != 0) continue;
            char name[64] = "";
            assert_true(length - ending < sizeof name);
            memcpy(name, cursor, length - ending);
            if (strcmp(name, "context") == 0) continue;
            size_t count = 0;
            for (size_t i = 0; i < KIND_COUNT; i++) count += strcmp(KINDS[i].name, name) == 0;
            if (count == 0) fail_msg("crd_%s is not tested", name);
            *result += count;
        }
    }
}

static void every_kind_is_tested(void **state) {
    (void)state;
    FILE *all = popen("cat " CREDENCE_EXAMPLES "/../include/credence/*.h", "r");
    static char text[1 << 20];
    assert_non_null(all);
    size_t length = fread(text, 1, sizeof text - 1, all), kind_count = 0;
    assert_int_equal(pclose(all), 0);
    assert_true(length < sizeof text - 1);
    count_types(text, &kind_count);
    assert_int_equal(kind_count, KIND_COUNT);
}

/* Not only destroyed: a model learns, answers and is written. */
static void what_is_left_still_works(void **state) {
    (void)state;
    basis b = create_basis();
    crd_error error;
    unsigned char *before = NULL, *after = NULL;
    size_t length = 0, length_after = 0;
    const crd_frame *frame = NULL;
    crd_posteriors *posteriors = NULL;
    assert_done(crd_posteriors_create(b.context, &posteriors, &error), error);
    assert_done(crd_model_encode(b.model, &before, &length, &error), error);
    crd_context *context = b.context;
    crd_context_destroy(context);
    assert_done(crd_reader_next(b.reader, &frame, &error), error);
    assert_done(crd_model_update(b.model, frame, &error), error);
    assert_done(crd_classifier_classify(b.classifier, frame, posteriors, &error), error);
    assert_int_equal(crd_posteriors_rows(posteriors), 6);
    assert_done(crd_model_forget(b.model, frame, &error), error);
    assert_done(crd_model_encode(b.model, &after, &length_after, &error), error);
    assert_int_equal(length, length_after);
    assert_memory_equal(before, after, length);
    crd_posteriors_destroy(posteriors);
    destroy_basis(&b);
    crd_free(context, before);
    assert_true(live > 0);
    crd_free(context, after);
    assert_int_equal(live, 0);
}

static void *destroy_model(void *model) {
    crd_model_destroy(model);
    return NULL;
}

/* Threads that destroy the last objects of a context at the same time, while its creator lets go of it. */
static void the_last_of_several_threads_ends_it(void **state) {
    enum { THREADS = 4, ROUNDS = 50 };
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        crd_context *context = create_context();
        for (int i = 0; i < THREADS; i++) {
            crd_model *model = NULL;
            crd_error error;
            assert_done(crd_model_create_for_rows(context, NAMES, 1, NAMES[1], NULL, &model, &error), error);
            assert_int_equal(pthread_create(&threads[i], NULL, destroy_model, model), 0);
        }
        crd_context_destroy(context);
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_outlives_its_context),
        cmocka_unit_test(every_kind_is_tested),
        cmocka_unit_test(what_is_left_still_works),
        cmocka_unit_test(the_last_of_several_threads_ends_it),
    };
    return cmocka_run_group_tests_name("context_lifetime", tests, NULL, NULL);
}
