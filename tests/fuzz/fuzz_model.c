/* SPDX-License-Identifier: MIT */
/* model.c - hostile bytes as a model file: refused, or a model that is whole.
 *
 * Whole means that it is written as the same bytes again, answers with probabilities, can be looked into, and can be
 * merged with itself. Checksums would turn away nearly every mutation, so the first byte may ask for them to be made
 * right; the second says which allocation fails. */
#include "model/model_parts.h"
#include "training.h"

#include "io/section.h"
#include "stats/joint_tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHOICES = 2,
    HEAD = CRD_I_MAGIC_LENGTH + 8, /* without its checksum */
    SECTION_HEAD = 20,
    CHECKSUM = 4
};

static void put(unsigned char *cursor, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) cursor[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *cursor, int bytes) {
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | cursor[i];
    return value;
}

static void reseal(unsigned char *bytes, size_t length, bool count);

/* The models in a section of members, as far as its lengths lead to some. */
static void reseal_members(unsigned char *bytes, size_t length, bool count) {
    size_t index = 16;
    while (length > index && length - index >= 20) {
        uint64_t name = get(bytes + index, 4);
        if (name > length - index - 20) return;
        index += 4 + (size_t)name + 8;
        uint64_t model = get(bytes + index, 8);
        index += 8;
        if (model > length - index) return;
        reseal(bytes + index, (size_t)model, count);
        index += (size_t)model;
    }
}

/* Where the model in a section of sequences begins; its length where there is none. */
static size_t find_emissions(const unsigned char *bytes, size_t length) {
    size_t index = 0;
    while (length - index >= CRD_I_MAGIC_LENGTH && memcmp(bytes + index, crd_i_section_magic, CRD_I_MAGIC_LENGTH) != 0)
        index++;
    return length - index >= CRD_I_MAGIC_LENGTH ? index : length;
}

/* The next model in a section of classes of sequences, behind the one that ends at *at; false: there is none. */
static bool next_class(const unsigned char *bytes, size_t length, size_t *cursor, size_t *size) {
    const size_t begin = *cursor + find_emissions(bytes + *cursor, length - *cursor);
    if (begin >= length || begin < 8) return false;
    const uint64_t stated = get(bytes + begin - 8, 8);
    *size = stated > length - begin ? length - begin : (size_t)stated;
    *cursor = begin + *size;
    return *size > 0;
}

/* Makes the checksums, and a section length that points outside, right; counts sections where `count` says so. */
static void reseal(unsigned char *bytes, size_t length, bool count) {
    if (length < HEAD + CHECKSUM) return;
    memcpy(bytes, crd_i_section_magic, CRD_I_MAGIC_LENGTH);
    size_t index = HEAD + CHECKSUM;
    uint32_t sections = 0;
    while (length - index >= SECTION_HEAD + CHECKSUM) {
        size_t most = length - index - SECTION_HEAD - CHECKSUM;
        uint64_t stated = get(bytes + index + 12, 8);
        size_t content = stated > most ? most : (size_t)stated;
        put(bytes + index + 12, content, 8);
        if ((bytes[index + 8] & 2) != 0) { /* paged: as one page */
            size_t begin = index + SECTION_HEAD + CHECKSUM;
            put(bytes + index + 12, most, 8);
            put(bytes + index + SECTION_HEAD, crd_i_checksum(bytes + index, SECTION_HEAD), CHECKSUM);
            if (most >= CHECKSUM)
                put(bytes + length - CHECKSUM, crd_i_checksum(bytes + begin, most - CHECKSUM), CHECKSUM);
            index = length;
            sections++;
            break;
        }
        if (memcmp(bytes + index, "MEMB", 4) == 0) reseal_members(bytes + index + SECTION_HEAD, content, count);
        if (memcmp(bytes + index, "SEQU", 4) == 0) {
            size_t emissions = find_emissions(bytes + index + SECTION_HEAD, content);
            reseal(bytes + index + SECTION_HEAD + emissions, content - emissions, count);
        }
        if (memcmp(bytes + index, "SEQC", 4) == 0) {
            size_t end = 0, size;
            while (next_class(bytes + index + SECTION_HEAD, content, &end, &size))
                reseal(bytes + index + SECTION_HEAD + end - size, size, count);
        }
        put(bytes + index + SECTION_HEAD + content, crd_i_checksum(bytes + index, SECTION_HEAD + content), CHECKSUM);
        index += SECTION_HEAD + content + CHECKSUM;
        sections++;
    }
    if (count) put(bytes + CRD_I_MAGIC_LENGTH + 4, sections, 4);
    put(bytes + HEAD, crd_i_checksum(bytes, HEAD), CHECKSUM);
}

/* Sections that a reader may skip are not written again. */
static bool all_critical(const unsigned char *bytes, size_t length) {
    crd_i_section_file file;
    crd_i_section section;
    bool more = true;
    if (crd_i_section_file_open(bytes, length, &file, NULL) != CRD_OK) return false;
    while (crd_i_section_next(&file, &section, &more, NULL) == CRD_OK && more)
        if (!section.critical) return false;
    return !more;
}

/* The same of the model's members, if it is made of any. */
static bool members_all_critical(crd_i_cursor members) {
    crd_i_decode_u32(&members);
    crd_i_decode_u64(&members);
    for (uint32_t left = crd_i_decode_u32(&members); left > 0; left--) {
        (void)crd_i_decode_text(&members);
        crd_i_decode_u64(&members);
        size_t length = (size_t)crd_i_decode_u64(&members);
        if (!all_critical(members.at, length)) return false;
        members.at += length;
    }
    return true;
}

/* Whether the file, which holds a model, is written again as it is. */
static bool is_canonical(const unsigned char *bytes, size_t length) {
    crd_i_section_file file;
    crd_i_section section;
    bool more = true;
    if (!all_critical(bytes, length) || crd_i_section_file_open(bytes, length, &file, NULL) != CRD_OK) return false;
    while (crd_i_section_next(&file, &section, &more, NULL) == CRD_OK && more) {
        if (memcmp(section.tag, "MEMB", 4) == 0 && !members_all_critical(section.content)) return false;
        if (memcmp(section.tag, "SEQU", 4) == 0) {
            size_t size = crd_i_cursor_left(&section.content), index = find_emissions(section.content.at, size);
            if (!all_critical(section.content.at + index, size - index)) return false;
        }
        if (memcmp(section.tag, "SEQC", 4) == 0) {
            size_t end = 0, size;
            while (next_class(section.content.at, crd_i_cursor_left(&section.content), &end, &size))
                if (!is_canonical(section.content.at + end - size, size)) return false;
        }
    }
    return true;
}

static void check_answers(const crd_model *model, const crd_settings *settings) {
    crd_classifier *classifier = NULL;
    crd_error error = {0};
    crd_status status = crd_classifier_create(model, settings, &classifier, &error);
    if (status != CRD_OK) {
        FUZZ_CHECK(classifier == NULL && error.message[0] != '\0');
        return;
    }
    size_t classes = crd_classifier_class_count(classifier), attributes = crd_classifier_attribute_count(classifier);
    double *log_posterior = calloc(classes + 1, sizeof *log_posterior);
    crd_value *row = calloc(attributes + 1, sizeof *row);
    if (log_posterior != NULL && row != NULL && classes > 0) {
        for (int round = 0; round < 3; round++) { /* all missing, then values that may be known */
            for (size_t i = 0; i < attributes && round > 0; i++) {
                row[i].type = crd_classifier_attribute_type(classifier, i);
                row[i].number = round == 1 ? 2.5 : -1e300;
                row[i].text = crd_text_of(round == 1 ? "Sunny" : "x");
            }
            crd_answer answer = {0};
            FUZZ_CHECK(crd_classifier_posterior(classifier, row, log_posterior, NULL, &answer, &error) == CRD_OK);
            fuzz_check_posterior(log_posterior, classes, &answer);
        }
        for (size_t i = 0; i < attributes; i++) {
            crd_cut_point cuts[4];
            size_t cut_count = 0;
            if (crd_classifier_attribute_type(classifier, i) == CRD_TYPE_NUMERIC)
                (void)!crd_classifier_cut_points(classifier, i, cuts, 4, &cut_count, &error);
        }
    }
    free(log_posterior);
    free(row);
    crd_classifier_destroy(classifier);
}

static void check_setting(crd_context *context, const crd_model *model, const char *name, const char *value) {
    crd_settings *settings = NULL;
    FUZZ_CHECK(crd_settings_create(context, &settings, NULL) == CRD_OK);
    FUZZ_CHECK(crd_settings_set(settings, name, crd_text_of(value), NULL) == CRD_OK);
    check_answers(model, settings);
    crd_settings_destroy(settings);
}

/* By what the model keeps of attributes together, whatever that is; and by one method and one family of all, which
 * `choice` picks. */
static void check_methods(crd_context *context, const crd_model *model, uint32_t choice) {
    static const char *const always[] = {"joint", "aode", "network"};
    static const char *const others[] = {"naive", "pairwise", "trees", "bagging:2", "boosting:2", "stacking"};
    crd_family family = CRD_FAMILY_INIT;
    size_t families = 0;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) check_setting(context, model, "method", always[i]);
    check_setting(context, model, "method", others[choice % (sizeof others / sizeof *others)]);
    while (crd_family_at(families, &family)) families++;
    FUZZ_CHECK(crd_family_at(choice % families, &family));
    check_setting(context, model, "family", choice % 16 == 0 ? "auto" : family.name);
}

/* Whatever it says, a model that is a network has tables of probabilities, or says why not. */
static void check_network(const crd_model *model) {
    crd_network *network = NULL;
    crd_error error = {0};
    crd_status status = crd_network_from_model(model, NULL, &network, &error);
    FUZZ_CHECK((status == CRD_OK) == (network != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    for (size_t i = 0; status == CRD_OK && i < crd_network_node_count(network); i++) {
        size_t rows = 0, states = crd_network_state_count(network, i);
        const double *table = crd_network_cpt(network, i, &rows);
        bool is_chance = crd_network_node_kind(network, i) == CRD_NODE_CHANCE;
        for (size_t cell = 0; is_chance && cell < rows * states; cell++)
            FUZZ_CHECK(table[cell] >= 0 && table[cell] <= 1.02);
    }
    crd_network_destroy(network);
}

/* Under settings of any kind, what follows a state has probabilities. */
static void check_sequences(const crd_model *model, uint32_t choice) {
    static const char *const estimates[] = {"auto", "none", "laplace:1", "interpolated"};
    crd_settings *settings = NULL;
    crd_hmm *hmm = NULL;
    crd_error error = {0};
    double end = 0, sum;
    FUZZ_CHECK(crd_settings_clone(crd_model_settings(model), &settings, NULL) == CRD_OK);
    FUZZ_CHECK(crd_settings_set(settings, "transitions", crd_text_of(estimates[choice % 4]), NULL) == CRD_OK);
    FUZZ_CHECK(crd_settings_set(settings, "end-probabilities", crd_text_of(choice & 4 ? "yes" : "no"), NULL) == CRD_OK);
    crd_status status = crd_hmm_create(model, settings, &hmm, &error);
    FUZZ_CHECK((status == CRD_OK) == (hmm != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    size_t states = hmm == NULL ? 0 : crd_hmm_state_count(hmm);
    double *row = calloc(states + 1, sizeof *row);
    for (size_t state = 0; row != NULL && state < states && state < 16; state++) {
        FUZZ_CHECK(crd_hmm_next(hmm, &state, 1, row, &end, &error) == CRD_OK);
        sum = end;
        for (size_t k = 0; k < states; k++) sum += row[k];
        FUZZ_CHECK(fabs(sum - 1) < 1e-9);
    }
    free(row);
    crd_hmm_destroy(hmm);
    crd_settings_destroy(settings);
}

static void look_inside(crd_context *context, const crd_model *model) {
    crd_summary *summary = NULL;
    crd_error error = {0};
    FUZZ_CHECK(crd_summary_create(model, &summary, &error) == CRD_OK);
    size_t classes = summary->class_count;
    double rows = 0;
    for (size_t c = 0; c < classes; c++) rows += summary->classes[c].rows;
    /* Integers, except expected counts and weights: the sum over the classes is rounded once per class. */
    bool is_rounded = crd_model_is_sequence(model) || summary->weight.length > 0;
    FUZZ_CHECK(rows == summary->rows || rows >= 9007199254740992.0 ||
               (is_rounded && fabs(rows - summary->rows) <= 1e-12 * rows));
    for (size_t i = 0; i < summary->attribute_count; i++)
        for (size_t c = 0; c < classes; c++) {
            double present = crd_summary_present(summary, i, c);
            FUZZ_CHECK(present >= 0 && present <= summary->classes[c].rows);
            if (summary->attributes[i].type != CRD_TYPE_NUMERIC) continue;
            crd_moments moments = crd_summary_moments(summary, i, c);
            FUZZ_CHECK(!(moments.variance < 0) && (moments.rows == 0 || !isnan(moments.mean)));
            char *exact = NULL;
            FUZZ_CHECK(crd_i_summary_exact(summary, i, c, 2, &exact, &error) == CRD_OK);
            crd_free(context, exact);
        }
    crd_summary_destroy(summary);
}

static void check_written(crd_context *context, crd_model *model, const unsigned char *bytes, size_t length) {
    unsigned char *again = NULL, *merged = NULL;
    size_t again_length = 0, merged_length = 0;
    crd_model *copy = NULL;
    crd_error error = {0};
    FUZZ_CHECK(crd_model_encode(model, &again, &again_length, &error) == CRD_OK);
    if (is_canonical(bytes, length)) FUZZ_CHECK(again_length == length && memcmp(again, bytes, length) == 0);
    FUZZ_CHECK(crd_model_decode(context, again, again_length, &copy, &error) == CRD_OK);
    /* Counts may be too large to add up twice; that is an error, not a crash. */
    if (crd_model_merge(model, copy, &error) == CRD_OK)
        FUZZ_CHECK(crd_model_encode(model, &merged, &merged_length, &error) == CRD_OK);
    crd_model_destroy(copy);
    crd_free(context, again);
    crd_free(context, merged);
}

static void try_file(const unsigned char *bytes, size_t length, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_model *model = NULL;
    crd_error error = {0};
    crd_status status = crd_model_decode(context, bytes, length, &model, &error);
    FUZZ_CHECK((status == CRD_OK) == (model != NULL));
    /* A file cannot make the library allocate much more than its own size. */
    FUZZ_CHECK(accounts.largest <= (1u << 20) + 256 * length);
    if (status != CRD_OK) FUZZ_CHECK(error.status == status && error.message[0] != '\0');
    else if (refuse == 0) {
        check_answers(model, NULL);
        look_inside(context, model);
        FUZZ_CHECK(accounts.largest <= (1u << 20) + 256 * length);
        check_methods(context, model, crd_i_checksum(bytes, length));
        check_network(model);
        if (crd_model_is_sequence(model)) check_sequences(model, crd_i_checksum(bytes, length));
        check_written(context, model, bytes, length);
    }
    crd_model_destroy(model);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < CHOICES) return 0;
    size_t size = length - CHOICES;
    unsigned char *file = malloc(size + (size == 0));
    if (file == NULL) return 0;
    if (size > 0) memcpy(file, bytes + CHOICES, size);
    if (bytes[0] & 1) reseal(file, size, bytes[0] & 2);
    try_file(file, size, 0);
    if (bytes[1] != 0) try_file(file, size, bytes[1]);
    free(file);
    return 0;
}

/* Models that are made of those of two tables, or of the same one twice. */
static void emit_members(crd_context *context, fuzz_emit emit, void *user) {
    static const size_t tables[][2] = {{0, 0}, {1, 2}, {2, 4}, {3, 3}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        crd_hypotheses *hypotheses = NULL;
        crd_model *whole = NULL;
        unsigned char *bytes = NULL, *input;
        size_t length = 0;
        FUZZ_CHECK(crd_hypotheses_create(context, &hypotheses, NULL) == CRD_OK);
        for (size_t j = 0; j < 2; j++) {
            crd_model *model = fuzz_train(context, fuzz_tables[tables[i][j]], NULL, NULL);
            (void)!crd_hypotheses_add(hypotheses, crd_text_of("m"), model, 1, NULL); /* some do not fit together */
            crd_model_destroy(model);
        }
        FUZZ_CHECK(crd_hypotheses_combine(hypotheses, (crd_combine_rule)i, 1, &whole, NULL) == CRD_OK);
        FUZZ_CHECK(crd_model_encode(whole, &bytes, &length, NULL) == CRD_OK);
        input = malloc(CHOICES + length);
        FUZZ_CHECK(input != NULL);
        input[0] = 3;
        input[1] = (unsigned char)(i * 20);
        memcpy(input + CHOICES, bytes, length);
        emit(user, input, CHOICES + length);
        free(input);
        crd_free(context, bytes);
        crd_model_destroy(whole);
        crd_hypotheses_destroy(hypotheses);
    }
}

static void emit_model(crd_context *context, const crd_model *model, unsigned char choice, fuzz_emit emit, void *user) {
    unsigned char *bytes = NULL, *input;
    size_t length = 0;
    FUZZ_CHECK(crd_model_encode(model, &bytes, &length, NULL) == CRD_OK);
    input = malloc(CHOICES + length);
    FUZZ_CHECK(input != NULL);
    input[0] = 3;
    input[1] = choice;
    memcpy(input + CHOICES, bytes, length);
    emit(user, input, CHOICES + length);
    free(input);
    crd_free(context, bytes);
}

/* A network that is counted without a target. */
static void emit_without_target(crd_context *context, const crd_settings *settings, fuzz_emit emit, void *user) {
    static const char *const cells[4][3] = {{"x", "y", "x"}, {"u", NULL, "u"}, {"p", "q", NULL}, {"1", "0", "1"}};
    static const char *const names[4] = {"a", "b", "c", "t"};
    const crd_text none = {NULL, 0};
    crd_frame *frame = NULL;
    crd_model *model = NULL;
    FUZZ_CHECK(crd_frame_create(context, 3, &frame, NULL) == CRD_OK);
    for (size_t i = 0; i < 4; i++) {
        crd_text texts[3];
        for (size_t row = 0; row < 3; row++) texts[row] = cells[i][row] == NULL ? none : crd_text_of(cells[i][row]);
        FUZZ_CHECK(crd_frame_add_texts(frame, crd_text_of(names[i]), texts, NULL) == CRD_OK);
    }
    FUZZ_CHECK(crd_model_create(context, frame, none, settings, &model, NULL) == CRD_OK);
    FUZZ_CHECK(crd_model_update(model, frame, NULL) == CRD_OK);
    emit_model(context, model, 0, emit, user);
    crd_model_destroy(model);
    crd_frame_destroy(frame);
}

/* Counts that are mostly zero, and so many that they are written one by one. */
static void emit_sparse(crd_context *context, fuzz_emit emit, void *user) {
    enum { ROWS = 1460, ROOM = 8 * ROWS };
    char table[ROOM], *destination = table + sprintf(table, "a,y\n");
    for (int row = 0; row < ROWS; row++) {
        char first = (char)('A' + row % 40), second = (char)('A' + row / 40);
        destination += sprintf(destination, "%c%c,%c%c\n", first, second, second, first);
    }
    crd_model *model = fuzz_train(context, table, NULL, NULL);
    emit_model(context, model, 40, emit, user);
    crd_model_destroy(model);
}

/* Networks with continuous nodes: learned, and stated. */
static void emit_mixed(crd_context *context, crd_settings *settings, fuzz_emit emit, void *user) {
    static const char table[] = "a,x,y,t\nu,1.5,2,p\nv,?,3,q\nu,2.5,4.25,p\n?,1,0.5,q\nv,3,1,q\nv,4,2.5,p\n";
    static const char file[] = "node t{states=(p q);}potential(t){data=(.5 .5);}continuous node x{}continuous node y{}"
                               "potential(x|t){data=(normal(0,1)normal(1,0));}potential(y|x){data=normal(1-2*x,3);}";
    crd_network *network = NULL;
    crd_model *model = NULL;
    FUZZ_CHECK(crd_settings_set(settings, "arcs", crd_text_of("t->x->y<-a,t"), NULL) == CRD_OK);
    model = fuzz_train(context, table, settings, NULL);
    emit_model(context, model, 0, emit, user);
    crd_model_destroy(model);
    FUZZ_CHECK(crd_network_read(context, crd_text_of(file), "n", CRD_NETWORK_FORMAT_NET, &network, NULL) == CRD_OK);
    FUZZ_CHECK(crd_model_from_network(network, crd_text_of("t"), &model, NULL) == CRD_OK);
    emit_model(context, model, 30, emit, user);
    crd_model_destroy(model);
    crd_network_destroy(network);
}

/* Networks that are counted, and one that is stated. */
static void emit_networks(crd_context *context, fuzz_emit emit, void *user) {
    static const char table[] = "a,b,c,t\nx,u,p,1\nx,v,?,0\ny,u,q,1\ny,v,p,0\n";
    static const char file[] = "network n { }\n"
                               "variable a { type discrete [ 2 ] { x, y }; }\n"
                               "variable t { type discrete [ 2 ] { p, q }; }\n"
                               "probability ( a ) { table 0.25, 0.75; }\n"
                               "probability ( t | a ) { (x) 0.5, 0.5; (y) 0, 1; }\n";
    crd_settings *settings = NULL;
    crd_network *network = NULL;
    crd_model *model = NULL;
    FUZZ_CHECK(crd_settings_create(context, &settings, NULL) == CRD_OK);
    FUZZ_CHECK(crd_settings_set(settings, "method", crd_text_of("network"), NULL) == CRD_OK);
    FUZZ_CHECK(crd_settings_set(settings, "arcs", crd_text_of("t->a->c<-b,t->b"), NULL) == CRD_OK);
    model = fuzz_train(context, table, settings, NULL);
    emit_model(context, model, 0, emit, user);
    crd_model_destroy(model);
    emit_without_target(context, settings, emit, user);
    emit_mixed(context, settings, emit, user);
    crd_settings_destroy(settings);
    FUZZ_CHECK(crd_network_read(context, crd_text_of(file), "n", CRD_NETWORK_FORMAT_BIF, &network, NULL) == CRD_OK);
    FUZZ_CHECK(crd_model_from_network(network, crd_text_of("t"), &model, NULL) == CRD_OK);
    emit_model(context, model, 30, emit, user);
    crd_model_destroy(model);
    crd_network_destroy(network);
}

/* Labeled sequences. */
static void emit_sequences(crd_context *context, fuzz_emit emit, void *user) {
    static const char table[] = "id,x,w,s\n1,1.5,red,A\n1,2,?,B\n1,9,red,\n1,3,blue,B\n2,8,?,B\n2,?,red,A\n";
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("id");
    for (unsigned char order = 1; order <= 3; order++) {
        const char text[] = {(char)('0' + order), '\0'};
        crd_settings *settings = NULL;
        crd_reader *reader = NULL;
        crd_model *model = NULL;
        FUZZ_CHECK(crd_settings_create(context, &settings, NULL) == CRD_OK);
        FUZZ_CHECK(crd_settings_set(settings, "order", crd_text_of(text), NULL) == CRD_OK);
        FUZZ_CHECK(crd_reader_open_memory(context, table, sizeof table - 1, "t", NULL, &reader, NULL) == CRD_OK);
        FUZZ_CHECK(crd_reader_select_target(reader, crd_text_of("s"), NULL) == CRD_OK);
        FUZZ_CHECK(crd_sequence_train(context, reader, &options, settings, &model, NULL, NULL) == CRD_OK);
        emit_model(context, model, (unsigned char)(order * 25), emit, user);
        crd_model_destroy(model);
        crd_reader_close(reader);
        crd_settings_destroy(settings);
    }
}

/* Classes of whole sequences. */
static void emit_classes(crd_context *context, fuzz_emit emit, void *user) {
    static const char table[] = "id,x,k\n1,1.5,a\n1,2,a\n1,9,\n2,8,b\n2,,b\n3,8,b\n";
    crd_sequence_options where = CRD_SEQUENCE_OPTIONS_INIT;
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_model *model = NULL;
    where.sequence = crd_text_of("id");
    options.states = options.restarts = 1;
    options.source = &where;
    FUZZ_CHECK(crd_reader_open_memory(context, table, sizeof table - 1, "t", NULL, &reader, NULL) == CRD_OK);
    FUZZ_CHECK(crd_reader_select_target(reader, crd_text_of("k"), NULL) == CRD_OK);
    FUZZ_CHECK(crd_sequences_read(reader, &where, &sequences, NULL) == CRD_OK);
    FUZZ_CHECK(crd_sequence_classes_train(sequences, NULL, &options, &model, NULL) == CRD_OK);
    emit_model(context, model, 45, emit, user);
    crd_model_destroy(model);
    crd_sequences_destroy(sequences);
    crd_reader_close(reader);
}

/* Hidden states of two components. */
static void emit_hidden(crd_context *context, fuzz_emit emit, void *user) {
    static const char table[] = "x,w\n1.5,red\n2,?\n9,red\n8,blue\n?,red\n1,blue\n7.5,red\n2.5,blue\n";
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_sequence_options whole = CRD_SEQUENCE_OPTIONS_INIT;
    crd_settings *settings = NULL;
    crd_reader *reader = NULL;
    crd_sequences *sequences = NULL;
    crd_model *model = NULL;
    options.states = 2;
    options.restarts = 1;
    options.most_steps = 3;
    options.threads = 1;
    FUZZ_CHECK(crd_settings_create(context, &settings, NULL) == CRD_OK);
    FUZZ_CHECK(crd_settings_set(settings, "state-mixture", crd_text_of("2"), NULL) == CRD_OK);
    FUZZ_CHECK(crd_reader_open_memory(context, table, sizeof table - 1, "t", NULL, &reader, NULL) == CRD_OK);
    FUZZ_CHECK(crd_sequences_read(reader, &whole, &sequences, NULL) == CRD_OK);
    FUZZ_CHECK(crd_hmm_train(sequences, crd_text_of("state"), settings, &options, &model, NULL, NULL) == CRD_OK);
    emit_model(context, model, 60, emit, user);
    crd_model_destroy(model);
    crd_sequences_destroy(sequences);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
}

/* Models of texts, with whole weights and others. */
static void emit_texts(crd_context *context, fuzz_emit emit, void *user) {
    enum { ROWS = 3 };
    static const crd_text classes[] = {{"ham", 3}, {"spam", 4}};
    static const int32_t codes[ROWS] = {0, 1, 1};
    static const crd_text texts[ROWS] = {{"to be or not to be", 18}, {"Sunny, x", 8}, {"not x", 5}};
    static const double weights[2][ROWS] = {{1, 3, 1}, {0.1, 1, 0x1p-60}};
    for (unsigned char choice = 0; choice < 2; choice++) {
        crd_frame *frame = NULL;
        crd_model *model = NULL;
        FUZZ_CHECK(crd_frame_create(context, ROWS, &frame, NULL) == CRD_OK);
        FUZZ_CHECK(crd_frame_add_codes(frame, crd_text_of("class"), codes, NULL, classes, 2, NULL) == CRD_OK);
        FUZZ_CHECK(crd_frame_add_documents(frame, crd_text_of("body"), texts, NULL) == CRD_OK);
        FUZZ_CHECK(crd_frame_add_numbers(frame, crd_text_of("w"), weights[choice], NULL, NULL) == CRD_OK);
        FUZZ_CHECK(crd_model_create_weighted(context, frame, crd_text_of("class"), crd_text_of("w"), NULL, &model,
                                             NULL) == CRD_OK);
        FUZZ_CHECK(crd_model_update(model, frame, NULL) == CRD_OK);
        emit_model(context, model, choice == 0 ? 0 : 30, emit, user);
        crd_model_destroy(model);
        crd_frame_destroy(frame);
    }
}

/* A manifest of several parts, of which one begins as another. */
static void emit_parts(crd_context *context, fuzz_emit emit, void *user) {
    static const char *const ids[] = {"day-1", "day-10", "day-2", "x"};
    crd_model *model = NULL;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        crd_model *next = fuzz_train(context, fuzz_tables[0], NULL, NULL);
        FUZZ_CHECK(crd_model_set_part(next, crd_text_of(ids[i]), NULL) == CRD_OK);
        if (model == NULL) {
            model = next;
            continue;
        }
        FUZZ_CHECK(crd_model_merge(model, next, NULL) == CRD_OK);
        crd_model_destroy(next);
    }
    emit_model(context, model, 0, emit, user);
    crd_model_destroy(model);
}

/* Some shards of a table, whose columns are as their own cells show. */
static void emit_shards(crd_context *context, fuzz_emit emit, void *user) {
    static const char table[] = "n,d,a,t,y\n1,2024-02-29,$1.50,yes,u\nnone,2024-03-01,$2,no,v\n";
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    options.shard = 3;
    options.shard_count = 5;
    FUZZ_CHECK(crd_reader_open_memory(context, table, sizeof table - 1, "t", &options, &reader, NULL) == CRD_OK);
    FUZZ_CHECK(crd_reader_set_target(reader, 4, NULL) == CRD_OK);
    FUZZ_CHECK(crd_reader_detect_column_formats(reader, 1, NULL) == CRD_OK);
    FUZZ_CHECK(crd_model_train(context, reader, NULL, &model, NULL, NULL) == CRD_OK);
    crd_reader_close(reader);
    emit_model(context, model, 0, emit, user);
    crd_model_destroy(model);
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const smoothing[] = {"m:1", "none", "laplace:1"};
    char kept[160] = "signs,histogram";
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++) {
        strcat(kept, ",");
        strcat(kept, crd_i_joint_tally_type_at(i)->name);
    }
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    for (size_t i = 0; i < FUZZ_TABLES; i++)
        for (unsigned char choice = 0; choice < 3; choice++) {
            crd_settings *settings = NULL;
            unsigned char *bytes = NULL, *input;
            size_t length = 0;
            FUZZ_CHECK(crd_settings_create(context, &settings, NULL) == CRD_OK);
            FUZZ_CHECK(crd_settings_set(settings, "smoothing", crd_text_of(smoothing[choice]), NULL) == CRD_OK);
            crd_model *model = fuzz_train(context, fuzz_tables[i], settings, choice == 0 ? NULL : kept);
            FUZZ_CHECK(crd_model_encode(model, &bytes, &length, NULL) == CRD_OK);
            input = malloc(CHOICES + length);
            FUZZ_CHECK(input != NULL);
            input[0] = choice;
            input[1] = choice == 2 ? 40 : 0;
            memcpy(input + CHOICES, bytes, length);
            emit(user, input, CHOICES + length);
            free(input);
            crd_free(context, bytes);
            crd_model_destroy(model);
            crd_settings_destroy(settings);
        }
    emit_members(context, emit, user);
    emit_networks(context, emit, user);
    emit_sparse(context, emit, user);
    emit_sequences(context, emit, user);
    emit_hidden(context, emit, user);
    emit_classes(context, emit, user);
    emit_texts(context, emit, user);
    emit_parts(context, emit, user);
    emit_shards(context, emit, user);
    fuzz_context_end(context, &accounts);
}
