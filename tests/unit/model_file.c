/* SPDX-License-Identifier: MIT */
/* Model files: round trips, and everything that is not one refused. */
#include "model_support.h"

#include "io/section.h"
#include "model/model_internal.h"

#include <unistd.h>

static allocations counted;

static int set_up(void **state) {
    memset(&counted, 0, sizeof counted);
    *state = counted_context(&counted);
    return *state == NULL;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return counted.live != 0;
}

static const char rows[] = "size,color,empty,kind\n1.5,red,?,10\n-2e300,green,,9\n2,red,NA,10\n";

static crd_status decode_status(crd_context *context, const unsigned char *bytes, size_t length) {
    crd_model *model;
    crd_error error;
    crd_status status = crd_model_decode(context, bytes, length, &model, &error);
    if (status == CRD_OK) {
        crd_model_destroy(model);
    } else {
        assert_null(model);
        assert_int_equal(error.status, status);
        assert_true(error.message[0] != '\0');
    }
    return status;
}

static void round_trip(void **state) {
    crd_model *model = trained(*state, rows, "kind"), *again;
    model_bytes bytes = bytes_of(model, *state);
    crd_error error;
    assert_done(crd_model_decode(*state, bytes.bytes, bytes.length, &again, &error), error);
    model_bytes second = bytes_of(again, *state);
    assert_same_bytes(bytes, second);
    assert_string_equal(crd_settings_get(crd_model_settings(again), "smoothing"), "m:1");
    free_bytes(bytes);
    free_bytes(second);
    crd_model_destroy(model);
    crd_model_destroy(again);
}

static void settings_travel(void **state) {
    crd_model *model = trained(*state, rows, "kind"), *again;
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(*state, &settings, &error), error);
    assert_done(crd_settings_set(settings, "prior", crd_text_of("9=0.25,10=0.75"), &error), error);
    assert_done(crd_settings_set(settings, "variance", crd_text_of("sample"), &error), error);
    assert_done(crd_model_set_settings(model, settings, &error), error);
    crd_settings_destroy(settings);
    model_bytes bytes = bytes_of(model, *state);
    assert_done(crd_model_decode(*state, bytes.bytes, bytes.length, &again, &error), error);
    assert_string_equal(crd_settings_get(crd_model_settings(again), "prior"), "10=0.75,9=0.25");
    assert_string_equal(crd_settings_get(crd_model_settings(again), "variance"), "sample");
    free_bytes(bytes);
    crd_model_destroy(model);
    crd_model_destroy(again);
}

/* With everything in it that can be. */
static crd_model *full_model(crd_context *context) {
    char kept[160];
    snprintf(kept, sizeof kept, "all,%s", every_joint_tally().text);
    return trained_keeping(context, rows, "kind", kept);
}

static void every_truncation_is_refused(void **state) {
    crd_model *model = full_model(*state);
    model_bytes bytes = bytes_of(model, *state);
    for (size_t length = 0; length < bytes.length; length++) {
        /* A copy of its own, so that a read past the end is seen. */
        unsigned char *copy = malloc(length + (length == 0));
        assert_non_null(copy);
        memcpy(copy, bytes.bytes, length);
        crd_status status = decode_status(*state, copy, length);
        assert_int_equal(status, length == 0 ? CRD_ERROR_NOT_A_MODEL : CRD_ERROR_DAMAGED);
        free(copy);
    }
    free_bytes(bytes);
    crd_model_destroy(model);
}

static void every_flipped_bit_is_refused(void **state) {
    crd_model *model = full_model(*state);
    model_bytes bytes = bytes_of(model, *state);
    for (size_t index = 0; index < bytes.length; index++)
        for (int bit = 0; bit < 8; bit++) {
            bytes.bytes[index] ^= (unsigned char)(1 << bit);
            assert_int_not_equal(decode_status(*state, bytes.bytes, bytes.length), CRD_OK);
            bytes.bytes[index] ^= (unsigned char)(1 << bit);
        }
    assert_int_equal(decode_status(*state, bytes.bytes, bytes.length), CRD_OK);
    free_bytes(bytes);
    crd_model_destroy(model);
}

/* Copies the sections with one content byte changed and the checksums made good again: what a person, not a fault,
 * does. Gives false when there is no such byte. */
static bool forge(crd_context *context, model_bytes bytes, size_t victim, unsigned char value, crd_i_encoder *forged) {
    crd_i_section_file file;
    crd_i_section section;
    crd_error error;
    bool more, is_found = false;
    size_t seen = 0;
    memset(forged, 0, sizeof *forged);
    forged->buffer.context = context;
    assert_done(crd_i_section_file_open(bytes.bytes, bytes.length, &file, &error), error);
    crd_i_section_file_begin(forged);
    for (;;) {
        assert_done(crd_i_section_next(&file, &section, &more, &error), error);
        if (!more) break;
        size_t begun = crd_i_section_begin(forged, section.tag, section.version, section.critical);
        size_t length = crd_i_cursor_left(&section.content), start = forged->buffer.length;
        crd_i_encode_bytes(forged, section.content.at, length);
        if (victim >= seen && victim < seen + length) {
            forged->buffer.bytes[start + victim - seen] = value;
            is_found = true;
        }
        seen += length;
        crd_i_section_end(forged, begun);
    }
    crd_i_section_file_end(forged);
    assert_false(forged->failed);
    return is_found;
}

/* Words that only a later version can have written are told from what none can have. */
static void words_of_later_versions_are_too_new(void **state) {
    static const struct {
        const char *message;
        crd_status status;
    } wanted[] = {{"the model has the family 'qtudent', which this version does not support", CRD_ERROR_TOO_NEW},
                  {"the model has the family 'qoisson', which this version does not support", CRD_ERROR_TOO_NEW},
                  {"the model has the method 'qagging', which this version does not support", CRD_ERROR_TOO_NEW},
                  {"the model has the calibration 'qlatt', which this version does not support", CRD_ERROR_TOO_NEW},
                  {"the model has the setting 'qethod', which this version does not support", CRD_ERROR_TOO_NEW},
                  {"a setting has an invalid value", CRD_ERROR_DAMAGED}};
    enum { WANTED = sizeof wanted / sizeof *wanted };
    bool seen[WANTED] = {false};
    crd_settings *settings;
    crd_error error;
    crd_model *model = full_model(*state);
    assert_done(crd_settings_create(*state, &settings, &error), error);
    assert_done(crd_settings_set(settings, "family", crd_text_of("size=poisson,*=student"), &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("bagging:3"), &error), error);
    assert_done(crd_settings_set(settings, "calibration", crd_text_of("platt"), &error), error);
    assert_done(crd_model_set_settings(model, settings, &error), error);
    crd_settings_destroy(settings);
    model_bytes bytes = bytes_of(model, *state);
    for (size_t victim = 0;; victim++) {
        crd_i_encoder forged;
        crd_model *found_model = NULL;
        bool is_there = forge(*state, bytes, victim, 'q', &forged);
        crd_status status =
            is_there ? crd_model_decode(*state, forged.buffer.bytes, forged.buffer.length, &found_model, &error)
                     : CRD_OK;
        for (size_t i = 0; i < WANTED; i++)
            seen[i] = seen[i] || (status == wanted[i].status && strstr(error.message, wanted[i].message) != NULL);
        crd_model_destroy(found_model);
        crd_i_buffer_clear(&forged.buffer);
        if (!is_there) break;
    }
    for (size_t i = 0; i < WANTED; i++)
        if (!seen[i]) fail_msg("nothing was refused as: %s", wanted[i].message);
    free_bytes(bytes);
    crd_model_destroy(model);
}

static void forgeries_are_refused_or_are_models(void **state) {
    static const unsigned char values[] = {0, 1, 2, 3, 0x7F, 0x80, 0xFE, 0xFF};
    crd_model *model = full_model(*state);
    model_bytes bytes = bytes_of(model, *state);
    bool is_found = true;
    for (size_t victim = 0; is_found; victim++) {
        for (size_t i = 0; i < sizeof values; i++) {
            crd_i_encoder forged;
            is_found = forge(*state, bytes, victim, values[i], &forged);
            crd_model *got;
            crd_error error;
            crd_status status = crd_model_decode(*state, forged.buffer.bytes, forged.buffer.length, &got, &error);
            if (status == CRD_OK) {
                /* What is taken is written back as it was: there is one way to write a model. */
                model_bytes again = bytes_of(got, *state);
                assert_int_equal(again.length, forged.buffer.length);
                assert_memory_equal(again.bytes, forged.buffer.bytes, again.length);
                free_bytes(again);
                crd_classifier *classifier;
                assert_done(crd_classifier_create(got, NULL, &classifier, &error), error);
                crd_classifier_destroy(classifier);
                /* It can be worked with: sums that are too large to add up twice are an error, no more. */
                (void)!crd_model_merge(got, got, &error);
                crd_model_destroy(got);
            } else if (status != CRD_ERROR_DAMAGED && status != CRD_ERROR_TOO_NEW) {
                fail_msg("byte %zu: %s: %s", victim, crd_status_name(status), error.message);
            }
            crd_i_buffer_clear(&forged.buffer);
        }
    }
    free_bytes(bytes);
    crd_model_destroy(model);
}

/* Room is made for as many fields as a schema states: no more are believed than a reader takes in a line. */
static void width_is_bounded(void **state) {
    crd_model *model = trained(*state, rows, "kind");
    model_bytes bytes = bytes_of(model, *state);
    /* The first content of a file is the width, 4, in eight bytes: 2^16 more are taken, 2^24 more are not. */
    for (size_t byte = 2; byte < 8; byte++) {
        crd_i_encoder forged;
        assert_true(forge(*state, bytes, byte, 1, &forged));
        assert_int_equal(decode_status(*state, forged.buffer.bytes, forged.buffer.length),
                         byte == 2 ? CRD_OK : CRD_ERROR_DAMAGED);
        crd_i_buffer_clear(&forged.buffer);
    }
    /* A width that the last column does not fit into. */
    crd_i_encoder forged;
    assert_true(forge(*state, bytes, 0, 3, &forged));
    assert_int_equal(decode_status(*state, forged.buffer.bytes, forged.buffer.length), CRD_ERROR_DAMAGED);
    crd_i_buffer_clear(&forged.buffer);
    free_bytes(bytes);
    crd_model_destroy(model);
}

/* A section that is not known: skipped where it says that it may be, else too new. */
static void unknown_sections(void **state) {
    crd_model *model = trained(*state, rows, "kind");
    model_bytes bytes = bytes_of(model, *state);
    for (int critical = 0; critical < 2; critical++) {
        crd_i_encoder longer = {.buffer = {.context = *state}};
        crd_i_encode_bytes(&longer, bytes.bytes, bytes.length);
        size_t begun = crd_i_section_begin(&longer, "NEWS", 1, critical == 1);
        crd_i_encode_u32(&longer, 7);
        crd_i_section_end(&longer, begun);
        crd_i_section_file_end(&longer);
        assert_int_equal(decode_status(*state, longer.buffer.bytes, longer.buffer.length),
                         critical ? CRD_ERROR_TOO_NEW : CRD_OK);
        crd_i_buffer_clear(&longer.buffer);
    }
    free_bytes(bytes);
    crd_model_destroy(model);
}

static void not_a_model(void **state) {
    static const char text[] = "a,b\n1,2\n";
    assert_int_equal(decode_status(*state, (const unsigned char *)text, sizeof text), CRD_ERROR_NOT_A_MODEL);
}

static void saved_and_loaded(void **state) {
    char path[] = "/tmp/credence-model-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    crd_error error;
    crd_file_kind kind = CRD_FILE_MODEL;
    assert_done(crd_file_detect(*state, path, &kind, &error), error);
    assert_int_equal(kind, CRD_FILE_ROWS);
    crd_model *model = trained(*state, rows, "kind"), *again;
    assert_int_equal(crd_model_load(*state, path, &again, &error), CRD_ERROR_NOT_A_MODEL);
    assert_string_equal(error.place, path);
    assert_done(crd_model_save(model, path, &error), error);
    assert_done(crd_file_detect(*state, path, &kind, &error), error);
    assert_int_equal(kind, CRD_FILE_MODEL);
    assert_done(crd_model_load(*state, path, &again, &error), error);
    model_bytes first = bytes_of(model, *state), second = bytes_of(again, *state);
    assert_same_bytes(first, second);
    free_bytes(first);
    free_bytes(second);
    crd_model_destroy(model);
    crd_model_destroy(again);
    remove(path);
}

/* A model that no file can hold: a column beyond the width of its rows. */
static void what_does_not_read_back_replaces_nothing(void **state) {
    char path[] = "/tmp/credence-model-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    crd_error error;
    crd_model *model = trained(*state, rows, "kind"), *again;
    model_bytes first = bytes_of(model, *state);
    assert_done(crd_model_save(model, path, &error), error);
    size_t width = model->schema->width;
    model->schema->width = 1;
    assert_int_equal(crd_model_save(model, path, &error), CRD_ERROR_DAMAGED);
    assert_string_equal(error.place, path);
    assert_non_null(strstr(error.message, "a column is out of place"));
    model->schema->width = width;
    assert_done(crd_model_load(*state, path, &again, &error), error);
    model_bytes second = bytes_of(again, *state);
    assert_same_bytes(first, second);
    free_bytes(first);
    free_bytes(second);
    crd_model_destroy(model);
    crd_model_destroy(again);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(settings_travel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_of_later_versions_are_too_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_truncation_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_flipped_bit_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forgeries_are_refused_or_are_models, set_up, tear_down),
        cmocka_unit_test_setup_teardown(width_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_sections, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_a_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(saved_and_loaded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_read_back_replaces_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
