/* SPDX-License-Identifier: MIT */
/* Sequences in tables: by ids, by empty lines, by times; and what is wrong with them. */
#include "sequence_support.h"

static const char LONG_TABLE[] = "id,x,w,tag\n"
                                 "a,1,red,P\n"
                                 "a,,blue,\n"
                                 "b,3,,Q\n"
                                 "c,4,red,P\n"
                                 "c,5,green,Q\n";

static void test_rows_of_an_id_are_a_sequence(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE(LONG_TABLE);
    given.options.sequence = crd_text_of("id");
    given.target = "tag";
    static const char EXPECTED[] = "a: 1,red/P@2 _,blue@3\n"
                                   "b: 3,_/Q@4\n"
                                   "c: 4,red/P@5 5,green/Q@6\n";
    expect_sequences(&given, EXPECTED);
    given.as_rows_come = true;
    expect_sequences(&given, EXPECTED);
    given.as_rows_come = false;
    given.target = NULL;
    given.reader.keep_text = 1;
    given.show_cell = "id";
    expect_sequences(&given, "a: 1,red,P@2<a> _,blue,_@3<a>\n"
                             "b: 3,_,Q@4<b>\n"
                             "c: 4,red,P@5<c> 5,green,Q@6<c>\n");
}

static void test_without_ids_a_file_is_a_sequence(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("x\n1\n2\n\n3\n");
    expect_sequences(&given, ": 1@2 2@3 3@5\n");
}

static void test_ids_are_texts_in_any_format(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("id,x\n01,1\n1,2\n1.0,3\n\"a b\",4\n");
    given.options.sequence = crd_text_of("id");
    expect_sequences(&given, "01: 1@2\n1: 2@3\n1.0: 3@4\na b: 4@5\n");
    given.reader.max_categories = 1; /* of observations */
    expect_sequences(&given, "01: 1@2\n1: 2@3\n1.0: 3@4\na b: 4@5\n");
    sequence_case lines = SEQUENCE_CASE("{\"id\":1,\"x\":1}\n{\"id\":1,\"x\":2}\n{\"x\":7,\"id\":\"b\"}\n");
    lines.options.sequence = crd_text_of("id");
    expect_sequences(&lines, "1: 1@1 2@2\nb: 7@3\n");
    sequence_case arff =
        SEQUENCE_CASE("@relation r\n@attribute id numeric\n@attribute x numeric\n@data\n5,1\n5,2\n6,3\n");
    arff.options.sequence = crd_text_of("id");
    expect_sequences(&arff, "5: 1@5 2@6\n6: 3@7\n");
    sequence_case declared =
        SEQUENCE_CASE("@relation r\n@attribute id string\n@attribute t date\n@attribute x numeric\n"
                      "@data\n'a b',2024-01-02,2\n'a b',2024-01-01,1\n");
    declared.options.sequence = crd_text_of("id");
    declared.options.time = crd_text_of("t");
    expect_sequences(&declared, "a b: 1@7 2@6\n");
    sequence_case sparse =
        SEQUENCE_CASE("@relation r\n@attribute id numeric\n@attribute x numeric\n@data\n{1 4}\n{}\n{0 2,1 5}\n");
    sparse.options.sequence = crd_text_of("id");
    expect_sequences(&sparse, "0: 4@5 0@6\n2: 5@7\n");
}

static void test_an_id_that_comes_back_is_an_error(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("id,x\na,1\nb,2\na,3\n");
    given.options.sequence = crd_text_of("id");
    expect_sequences(
        &given, "syntax t:4:0 [a] the sequence 'a', which begins on line 2, continues after rows of other sequences\n");
    sequence_case missing = SEQUENCE_CASE("id,x\na,1\n,2\n");
    missing.options.sequence = crd_text_of("id");
    expect_sequences(&missing,
                     "syntax t:3:0 [id] the row has no id of a sequence: its value in column 'id' is missing\n");
}

static void test_columns_that_turn_over_begin_anew(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("id,x,y\na,1,\na,2,\nb,word,3\n");
    given.options.sequence = crd_text_of("id");
    expect_sequences(&given, "a: 1,_@2 2,_@3\nb: word,3@4\n");
    given.as_rows_come = true;
    expect_sequences(&given, "a: 1,_@2 2,_@3\nb: word,3@4\n");
    /* Columns whose first cells are missing, of one batch. */
    sequence_case late = SEQUENCE_CASE("t,x,y\n1,,\n2,,\n3,word,\n5,,7\n6,text,\n4,word,8\n");
    expect_sequences(&late, ": 1,_,_@2 2,_,_@3 3,word,_@4 5,_,7@5 6,text,_@6 4,word,8@7\n");
    late.options.time = crd_text_of("t");
    late.options.step = 0.5;
    expect_sequences(&late, ": _,_@2 _,_+ _,_@3 _,_+ word,_@4 _,_+ word,8@7 _,_+ _,7@5 _,_+ text,_@6\n");
}

/* ---- Empty lines ---- */

static sequence_case tagged(const char *text) {
    sequence_case given = SEQUENCE_CASE(text);
    given.options.blank_lines = 1;
    given.reader.header = CRD_CHOICE_NO;
    given.reader.no_quotes = 1;
    return given;
}

static void test_empty_lines_end_sequences(void **state) {
    (void)state;
    static const char PLAIN[] = ": \",P@1 #,P@2\n: a,Q@4\n";
    sequence_case given = tagged("\"\tP\n#\tP\n\na\tQ\n");
    expect_sequences(&given, PLAIN);
    given.as_rows_come = true;
    expect_sequences(&given, PLAIN);
    given = tagged("\"\tP\n#\tP\n\na\tQ"); /* no final newline */
    expect_sequences(&given, PLAIN);
    given = tagged("\"\tP\r\n#\tP\r\n\r\na\tQ\r\n"); /* CRLF */
    expect_sequences(&given, PLAIN);
    given = tagged("\n\n\"\tP\n#\tP\n\n   \n\na\tQ\n\n\n"); /* leading, several, of blanks, trailing */
    expect_sequences(&given, ": \",P@3 #,P@4\n: a,Q@8\n");
    given = tagged("\xEF\xBB\xBF\"\tP\n#\tP\n\na\tQ\n"); /* a byte order mark */
    expect_sequences(&given, PLAIN);
    given = tagged("w\tt\n\na\tQ\nb\t\n\nc\tQ\n");
    given.reader.header = CRD_CHOICE_YES;
    given.target = "t";
    expect_sequences(&given, ": a/Q@3 b@4\n: c/Q@6\n");
    given = tagged("a\nb\n\nc\n"); /* one column */
    expect_sequences(&given, ": a@1 b@2\n: c@4\n");
    given = tagged("a 1\nb 2\n \t \nc 3\n"); /* blanks separate fields */
    expect_sequences(&given, ": a,1@1 b,2@2\n: c,3@4\n");
}

static void test_tagged_text_has_comments_and_words(void **state) {
    (void)state;
    sequence_case given = tagged("# newdoc id = a, b\n# sent 1\n1\tThe\tDT\n2\t#\tNN\n\n# sent 2; x\n#\tx\ty\n");
    given.reader.tagged_text = 1;
    expect_sequences(&given, ": 1,The,DT@3 2,#,NN@4\n: #,x,y@7\n");
    given = tagged("1,000 CD\n, ,\n\n# NN\n# #\n"); /* between blanks */
    given.reader.tagged_text = 1;
    expect_sequences(&given, ": 1,000,CD@1 ,,,@2\n: #,NN@4 #,#@5\n");
    given = tagged("{\tP\n}\tP\n"); /* not JSON */
    given.reader.tagged_text = 1;
    expect_sequences(&given, ": {,P@1 },P@2\n");
    given = tagged("New York,NNP\nis,VB\n\n"); /* between commas */
    given.reader.tagged_text = 1;
    expect_sequences(&given, ": New York,NNP@1 is,VB@2\n");
    given = tagged("# NN\n, ,\n \t \nx y\n"); /* a token # comes first; a tab in an empty line separates nothing */
    given.reader.tagged_text = 1;
    expect_sequences(&given, ": #,NN@1 ,,,@2\n: x,y@4\n");
}

static void test_tagged_text_may_be_one_column(void **state) {
    static const char *const texts[] = {"a\n#\n,\n\n#c\n1,000\n", "#\n#\n1;2\n\n,\n{\n", "{\n|\n}\n\nq\n#\n",
                                        ",\n,\n,\n\n;\n1,0\n"};
    static const char *const answers[] = {": a@1 #@2 ,@3\n: #c@5 1,000@6\n", ": #@1 #@2 1;2@3\n: ,@5 {@6\n",
                                          ": {@1 |@2 }@3\n: q@5 #@6\n", ": ,@1 ,@2 ,@3\n: ;@5 1,0@6\n"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        sequence_case given = tagged(texts[i / 2]);
        given.reader.tagged_text = 1;
        if (i % 2 == 1) given.reader.separator = CRD_SEPARATOR_TAB;
        expect_sequences(&given, answers[i / 2]);
    }
}

static int leave_out(void *user, const crd_error *fault, crd_text row) {
    (void)user;
    (void)fault;
    (void)row;
    return 1;
}

static void test_rows_left_out_do_not_join_sequences(void **state) {
    (void)state;
    sequence_case given = tagged("a\tP\n\nbad\n\tc\tQ\td\nb\tP\nbad\n\nbad\nc\tP\n");
    given.reader.bad_row = leave_out;
    expect_sequences(&given, ": a,P@1\n: b,P@5\n: c,P@9\n");
}

static void test_other_formats_have_no_empty_lines(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("{\"x\":1}\n\n{\"x\":2}\n");
    given.options.blank_lines = 1;
    expect_sequences(&given, "argument t:0:0 [] only delimited text can separate sequences by empty lines: use an id "
                             "column for other formats\n");
}

/* ---- Times ---- */

static void test_rows_are_sorted_by_time(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("id,t,x,tag\nb,2,20,P\na,3,3,Q\nb,1,10,P\na,1,1,\na,2.5,2,P\n");
    given.options.sequence = crd_text_of("id");
    given.options.time = crd_text_of("t");
    given.target = "tag";
    given.reader.keep_text = 1;
    given.show_cell = "t";
    expect_sequences(&given, "b: 10/P@4<1> 20/P@2<2>\na: 1@5<1> 2/P@6<2.5> 3/Q@3<3>\n");
    sequence_case dates = SEQUENCE_CASE("t,x\n2024-01-03,3\n2024-01-01,1\n2024-01-02,2\n");
    dates.options.time = crd_text_of("t");
    expect_sequences(&dates, ": 1@3 2@4 3@2\n");
    sequence_case days = SEQUENCE_CASE("t,x\n01/02/2024,2\n01/01/2024,1\n31/01/2023,0\n");
    days.options.time = crd_text_of("t");
    expect_sequences(&days, ": 0@4 1@3 2@2\n");
    sequence_case blank = SEQUENCE_CASE("t x\n2 b\n1 a\n\n1 d\n0 c\n");
    blank.options.time = crd_text_of("t");
    blank.options.blank_lines = 1;
    expect_sequences(&blank, ": a@3 b@2\n: c@6 d@5\n");
}

static void test_times_must_differ(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE("id,t,x\na,2,1\nb,1,1\na,1,2\na,2,3\n");
    given.options.sequence = crd_text_of("id");
    given.options.time = crd_text_of("t");
    expect_sequences(
        &given,
        "syntax t:5:0 [] the row has the same time as the row on line 2, and both belong to the sequence 'a'\n");
    sequence_case missing = SEQUENCE_CASE("t,x\n1,2\n,3\n");
    missing.options.time = crd_text_of("t");
    expect_sequences(&missing, "syntax t:3:0 [t] the row has no time: its value in column 't' is missing\n");
    sequence_case doubtful = SEQUENCE_CASE("t,x\n01/02/2024,2\n01/01/2024,1\n");
    doubtful.options.time = crd_text_of("t");
    expect_sequences(&doubtful, "type t:0:0 [t] the dates of 't' can have the day or the month first "
                                "(01/02/2024): the column needs a format\n");
}

static void test_gaps_are_steps_without_observations(void **state) {
    (void)state;
    static const char EXPECTED[] = "a: 1/P@2 _+ _+ 4/Q@3 5@4\nb: 9/P@5\n";
    sequence_case given = SEQUENCE_CASE("id,t,x,tag\na,1,1,P\na,4.2,4,Q\na,5,5,\nb,1,9,P\n");
    given.options.sequence = crd_text_of("id");
    given.options.time = crd_text_of("t");
    given.options.step = 1;
    given.target = "tag";
    expect_sequences(&given, EXPECTED);
    given.as_rows_come = true;
    expect_sequences(&given, EXPECTED);
    sequence_case mixed = SEQUENCE_CASE("id,t,x,tag\na,4.2,4,Q\nb,1,9,P\na,5,5,\na,1,1,P\n");
    mixed.options = given.options;
    mixed.target = "tag";
    expect_sequences(&mixed, "a: 1/P@5 _+ _+ 4/Q@2 5@4\nb: 9/P@3\n");
    mixed.as_rows_come = true;
    expect_sequences(
        &mixed, "syntax t:4:0 [a] the sequence 'a', which begins on line 2, continues after rows of other sequences\n");
    sequence_case days = SEQUENCE_CASE("t,x\n2024-01-03,3\n2024-01-01,1\n");
    days.options.time = crd_text_of("t");
    days.options.step = 86400;
    expect_sequences(&days, ": 1@3 _+ 3@2\n");
    days.options.step = 1e-3;
    expect_sequences(&days, "limit t:2:0 [] this row is 172800000 steps of 0.001 after the row before it, more than "
                            "10000000: check the step, which has the unit of the times (seconds for dates)\n");
}

static void test_options_that_do_not_fit(void **state) {
    (void)state;
    sequence_case given = SEQUENCE_CASE(LONG_TABLE);
    given.target = "tag";
    given.options.sequence = crd_text_of("tag");
    expect_sequences(&given, "column t:0:0 [tag] 'tag' cannot be the sequence id: it is the target\n");
    given.options.sequence = crd_text_of("id");
    given.options.time = crd_text_of("id");
    expect_sequences(&given, "column t:0:0 [id] 'id' cannot be the time: it is the sequence id\n");
    given.options.time = (crd_text){NULL, 0};
    given.options.step = 1;
    expect_sequences(&given, "argument :0:0 [] a step needs a time column\n");
    given.options.step = 0;
    given.options.blank_lines = 1;
    expect_sequences(&given,
                     "argument :0:0 [] sequences can be separated by empty lines or by an id column, not by both\n");
    given.options.blank_lines = 0;
    given.options.sequence = crd_text_of("x-tag");
    expect_sequences(&given, "column t:0:0 [x-tag] 'x-tag' selects 3 columns, but only one can be the sequence id\n");
}

/* A selection, and one of that, have the sequences as they are: steps, labels, ids and lines. */
static void test_some_sequences_are_chosen(void **state) {
    (void)state;
    const char *bytes = "id,x,y\na,1,p\na,2,q\nb,3,p\nc,4,q\nc,5,\n";
    static const size_t chosen[] = {2, 0}, last[] = {1, 0, 1};
    crd_context *context;
    crd_reader *reader;
    crd_sequences *all, *some, *again;
    crd_error error;
    transcript output = {NULL, 0, 0};
    sequence_case given = SEQUENCE_CASE(bytes);
    given.options.sequence = crd_text_of("id");
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_int_equal(open_bytes(context, bytes, strlen(bytes), true, &given.reader, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_select_target(reader, crd_text_of("y"), &error), CRD_OK);
    assert_int_equal(crd_sequences_read(reader, &given.options, &all, &error), CRD_OK);
    assert_int_equal(crd_sequences_select(all, chosen, 2, &some, &error), CRD_OK);
    assert_int_equal(crd_sequences_select(some, last, 3, &again, &error), CRD_OK);
    assert_int_equal(crd_sequences_rows(some), 4);
    say_sequences(&output, some, false, SIZE_MAX);
    say_sequences(&output, again, false, SIZE_MAX);
    assert_string_equal(output.text, "c: 4/q@5 5@6\na: 1/p@2 2/q@3\na: 1/p@2 2/q@3\nc: 4/q@5 5@6\na: 1/p@2 2/q@3\n");
    free(output.text);
    crd_sequences_destroy(again);
    crd_sequences_destroy(some);
    crd_sequences_destroy(all);
    crd_reader_close(reader);
    crd_context_destroy(context);
}

/* Parts have all sequences, each once and in their order: also where one is longer than all others, and there are more parts than
 * sequences. */
static void test_sequences_are_divided(void **state) {
    (void)state;
    static const double numbers[12] = {0};
    static const size_t lengths[] = {1, 0, 7, 2, 2};
    enum { SEQUENCES = sizeof lengths / sizeof *lengths };
    crd_context *context;
    crd_frame *frame;
    crd_sequences *all, *part;
    crd_error error;
    size_t first;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_int_equal(crd_frame_create(context, 12, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("x"), numbers, NULL, &error), CRD_OK);
    assert_int_equal(crd_sequences_from_frame(context, frame, (crd_text){NULL, 0}, lengths, SEQUENCES, &all, &error),
                     CRD_OK);
    for (unsigned parts = 1; parts < 9; parts++) {
        size_t next = 0;
        for (unsigned i = 0; i < parts; i++) {
            assert_int_equal(crd_sequences_divide(all, i, parts, &first, &part, &error), CRD_OK);
            assert_int_equal(first, next);
            for (size_t k = 0; k < crd_sequences_count(part); k++)
                assert_int_equal(crd_sequences_length(part, k), lengths[next++]);
            crd_sequences_destroy(part);
        }
        assert_int_equal(next, SEQUENCES);
    }
    assert_int_equal(crd_sequences_divide(all, 0, 2, &first, &part, &error), CRD_OK);
    assert_int_equal(crd_sequences_count(part), 3);
    crd_sequences_destroy(part);
    assert_int_equal(crd_sequences_divide(all, 2, 2, &first, &part, &error), CRD_ERROR_ARGUMENT);
    crd_sequences_destroy(all);
    crd_frame_destroy(frame);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_an_id_are_a_sequence),
        cmocka_unit_test(test_without_ids_a_file_is_a_sequence),
        cmocka_unit_test(test_ids_are_texts_in_any_format),
        cmocka_unit_test(test_an_id_that_comes_back_is_an_error),
        cmocka_unit_test(test_columns_that_turn_over_begin_anew),
        cmocka_unit_test(test_empty_lines_end_sequences),
        cmocka_unit_test(test_tagged_text_has_comments_and_words),
        cmocka_unit_test(test_tagged_text_may_be_one_column),
        cmocka_unit_test(test_rows_left_out_do_not_join_sequences),
        cmocka_unit_test(test_other_formats_have_no_empty_lines),
        cmocka_unit_test(test_rows_are_sorted_by_time),
        cmocka_unit_test(test_times_must_differ),
        cmocka_unit_test(test_gaps_are_steps_without_observations),
        cmocka_unit_test(test_options_that_do_not_fit),
        cmocka_unit_test(test_some_sequences_are_chosen),
        cmocka_unit_test(test_sequences_are_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
