/* SPDX-License-Identifier: MIT */
/* Events: what text means which event, and what is refused. Read over a table whose rows tell the readings apart. */
#include "model_support.h"
#include "query/event.h"

enum { COLUMNS = 6 };
static const char *const NAMES[COLUMNS] = {"a", "b", "a b", "x=y", "n", "not c"};

/* All eight combinations of a and b, and n; "a b" copies a, "not c" copies b; one row has a missing cell. */
static const char TABLE[] = "a,b,a b,x=y,n,not c\n"
                            "1x,1x,1x,u,0,1x\n"
                            "1x,2 and 3,1x,v,1,2 and 3\n"
                            "f(z),1x,f(z),u,2,1x\n"
                            "f(z),2 and 3,f(z),v,3,2 and 3\n"
                            "\"q\"\"q\",1x,\"q\"\"q\",u,-4.5,1x\n"
                            "\"q\"\"q\",\"c,d\",\"q\"\"q\",v,1e3,\"c,d\"\n"
                            "?,\"c,d\",1x,v,7,\"c,d\"\n";

typedef struct query_event_fixture {
    allocations counted;
    crd_context *context;
    crd_table *table;
    crd_text names[COLUMNS];
} query_event_fixture;

static int set_up(void **state) {
    query_event_fixture *f = calloc(1, sizeof *f);
    crd_error error;
    crd_reader *reader;
    size_t columns[COLUMNS];
    f->context = counted_context(&f->counted);
    for (size_t i = 0; i < COLUMNS; i++) {
        f->names[i] = crd_text_of(NAMES[i]);
        columns[i] = i;
    }
    assert_done(open_text(f->context, TABLE, strlen(TABLE), NULL, &reader, &error), error);
    assert_done(crd_table_read(f->context, reader, columns, COLUMNS, &f->table, &error), error);
    crd_reader_close(reader);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    query_event_fixture *f = *state;
    crd_table_destroy(f->table);
    crd_context_destroy(f->context);
    assert_int_equal(f->counted.live, 0);
    free(f);
    return 0;
}

static crd_event *parsed(query_event_fixture *f, const char *text) {
    crd_event *event;
    crd_error error;
    assert_done(crd_event_parse(f->context, crd_text_of(text), f->names, COLUMNS, &event, &error), error);
    return event;
}

static void assert_rows(query_event_fixture *f, const char *text, uint64_t wanted) {
    crd_event *event = parsed(f, text);
    const crd_event *const events[] = {event};
    crd_error error;
    uint64_t rows;
    assert_done(crd_table_count(f->table, events, 1, &rows, &error), error);
    if (rows != wanted) fail_msg("%s: %d rows, not %d", text, (int)rows, (int)wanted);
    crd_event_destroy(event);
}

static void test_comparisons(void **state) {
    query_event_fixture *f = *state;
    assert_rows(f, "a=1x", 2);
    assert_rows(f, "  a  =  1x  ", 2);
    assert_rows(f, "a!=1x", 4); /* the missing one is neither */
    assert_rows(f, "n=1000", 1);
    assert_rows(f, "n = 1e3", 1);
    assert_rows(f, "n<0", 1);
    assert_rows(f, "n<=0", 2);
    assert_rows(f, "n>0", 5);
    assert_rows(f, "n>=0", 6);
    assert_rows(f, "n!=0", 6);
    assert_rows(f, "n=-0", 1);
    assert_rows(f, "a=never", 0);
    assert_rows(f, "a = OR or b=1x", 3); /* what stands behind the sign is a value, whatever it reads like */
}

static void test_sets(void **state) {
    query_event_fixture *f = *state;
    assert_rows(f, "n in {0, 1, 7}", 3);
    assert_rows(f, "n in (0,1,7,8)", 3);
    assert_rows(f, "n IN {1e3}", 1);
    assert_rows(f, "n not in {0, 1}", 5);
    assert_rows(f, "not n in {0, 1}", 5);
    assert_rows(f, "a in {1x, \"f(z)\"}", 4);
    assert_rows(f, "\"a b\" in {f(z)}", 2);
    assert_rows(f, "b in {\"c,d\", never} or n=0", 3);
    assert_rows(f, "n even", 3);   /* 0, 2, 1000 */
    assert_rows(f, "n is odd", 3); /* 1, 3, 7; -4.5 is neither */
    assert_rows(f, "n even and n>0, a=f(z)", 1);
    assert_rows(f, "(n odd)", 3);
}

static void test_words(void **state) {
    query_event_fixture *f = *state;
    assert_rows(f, "a=1x and b=1x", 1);
    assert_rows(f, "a=1x or b=1x", 4);
    assert_rows(f, "a=1x OR b=1x", 4);
    assert_rows(f, "not a=1x", 4);
    assert_rows(f, "NOT(a=1x)", 4);
    assert_rows(f, "not not a=1x", 2);
    /* "and" binds more than "or", a comma less than both, "not" most. */
    assert_rows(f, "a=1x or a=f(z) and b=1x", 3);
    assert_rows(f, "(a=1x or a=f(z)) and b=1x", 2);
    assert_rows(f, "a=1x or a=f(z), b=1x", 2);
    assert_rows(f, "not a=1x and b=1x", 2);
    assert_rows(f, "not (a=1x and b=1x)", 5);
}

/* What programming languages and books write for the same, with the same binding. */
static void test_other_words(void **state) {
    query_event_fixture *f = *state;
    assert_rows(f, "a==1x", 2);
    assert_rows(f, "n == 1e3", 1);
    assert_rows(f, "a=1x && b=1x", 1);
    assert_rows(f, "a=1x||b=1x", 4);
    assert_rows(f, "a=1x||a=f(z)&&b=1x", 3);
    assert_rows(f, "(a=1x || a=f(z)) and b=1x", 2);
    assert_rows(f, " P(a=1x)", 2);
    assert_rows(f, "P(a=f(z) and not b=1x)", 1);
}

/* Names and values that look like the words around them. */
static void test_names(void **state) {
    query_event_fixture *f = *state;
    assert_rows(f, "a b=1x", 3); /* the longest name, not "a" */
    assert_rows(f, "x=y=u", 3);
    assert_rows(f, "x=y!=u and a=1x", 1);
    assert_rows(f, "not c=1x", 3); /* a column wins over the word */
    assert_rows(f, "not \"not c\"=1x", 4);
    assert_rows(f, "\"a b\" = 1x", 3);
    assert_rows(f, "a=f(z)", 2);
    assert_rows(f, "(a=f(z))", 2);
    assert_rows(f, "b=\"2 and 3\"", 2);
    assert_rows(f, "b=\"c,d\"", 2);
    assert_rows(f, "a=\"q\"\"q\"", 2);
    assert_rows(f, "\"b=c,d\"", 2); /* an item of a CSV list */
    assert_rows(f, "\"b=2 and 3\" or b=1x", 5);
    assert_rows(f, "b=1x,\"b=2 and 3\"", 0);
}

static void test_parts(void **state) {
    query_event_fixture *f = *state;
    crd_event *event = parsed(f, " a=1x or b=1x and n>0 or not (n=0) ");
    assert_int_equal(crd_event_part_count(event, CRD_EVENT_OR), 3);
    assert_int_equal(crd_event_part_count(event, CRD_EVENT_AND), 0);
    assert_true(crd_text_equal(crd_event_text(event), crd_text_of("a=1x or b=1x and n>0 or not (n=0)")));
    const char *const texts[] = {"a=1x", "b=1x and n>0", "not (n=0)"};
    for (size_t i = 0; i < 3; i++)
        assert_true(crd_text_equal(crd_event_text(crd_event_part(event, i)), crd_text_of(texts[i])));
    assert_int_equal(crd_event_part_count(crd_event_part(event, 1), CRD_EVENT_AND), 2);
    assert_int_equal(crd_event_comparison_count(event), 4);
    const size_t columns[] = {0, 1, 4, 4};
    const crd_event_relation relations[] = {CRD_EVENT_EQUAL, CRD_EVENT_EQUAL, CRD_EVENT_GREATER, CRD_EVENT_EQUAL};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(crd_event_comparison(event, i).column, columns[i]);
        assert_int_equal(crd_event_comparison(event, i).relation, relations[i]);
    }
    assert_true(crd_text_equal(crd_event_comparison(event, 2).value, crd_text_of("0")));
    crd_event_destroy(event);
    crd_event_destroy(NULL);
}

static void test_refused(void **state) {
    query_event_fixture *f = *state;
    static const struct {
        const char *text;
        crd_status status;
        const char *message;
    } cases[] = {
        {"", CRD_ERROR_SYNTAX, "the event is incomplete: expected COLUMN = VALUE at its end"},
        {"a", CRD_ERROR_SYNTAX, "expected COLUMN = VALUE, got 'a'"},
        {"c=1", CRD_ERROR_COLUMN, "unknown column 'c'"},
        {"\"c\"=1", CRD_ERROR_COLUMN, "unknown column 'c'"},
        {"a=", CRD_ERROR_SYNTAX, "no value follows 'a'"},
        {"a=1 or", CRD_ERROR_SYNTAX, "the event is incomplete: expected COLUMN = VALUE at its end"},
        {"a=1,", CRD_ERROR_SYNTAX, "the event is incomplete: expected COLUMN = VALUE at its end"},
        {"(a=1", CRD_ERROR_SYNTAX, "a bracket is not closed: '(a=1'"},
        {"a=1)", CRD_ERROR_SYNTAX, "expected 'and', 'or' or the end of the event, got ')'"},
        {"a=\"1", CRD_ERROR_SYNTAX, "a quote is not closed: '\"1'"},
        {"\"a=1", CRD_ERROR_SYNTAX, "a quote is not closed: '\"a=1'"},
        {"\"a\" b", CRD_ERROR_SYNTAX, "expected COLUMN = VALUE, got 'a'"},
        {"a=\"1\" 2", CRD_ERROR_SYNTAX, "expected 'and', 'or' or the end of the event, got '2'"},
        {"a=1x|b=1x", CRD_ERROR_SYNTAX, "a value that contains | must be in double quotes: '1x|b=1x'"},
        {"P(a=1x|b=1x)", CRD_ERROR_SYNTAX, "a value that contains | must be in double quotes: '1x|b=1x'"},
        {"a=1x b=1x", CRD_ERROR_SYNTAX, "a value that contains = must be in double quotes: '1x b=1x'"},
        {"n=>1", CRD_ERROR_SYNTAX, "a value that contains > must be in double quotes: '>1'"},
        {"n=<1", CRD_ERROR_SYNTAX, "a value that contains < must be in double quotes: '<1'"},
        {"a=f(z", CRD_ERROR_SYNTAX, "a bracket is not closed: 'f(z'"},
        {"a=&&b=1x", CRD_ERROR_SYNTAX, "no value follows 'a'"},
        {"P(a=1x", CRD_ERROR_SYNTAX, "a bracket is not closed: '(a=1x'"},
        {"not", CRD_ERROR_SYNTAX, "the event is incomplete: expected COLUMN = VALUE at its end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_event *event;
        crd_error error;
        crd_status status = crd_event_parse(f->context, crd_text_of(cases[i].text), f->names, COLUMNS, &event, &error);
        if (status != cases[i].status || event != NULL || strcmp(error.message, cases[i].message) != 0)
            fail_msg("'%s': %s: %s", cases[i].text, crd_status_name(status), error.message);
    }
}

static void test_depth(void **state) {
    query_event_fixture *f = *state;
    char text[5000];
    crd_event *event;
    crd_error error;
    memset(text, '(', sizeof text);
    crd_text deep = {text, sizeof text};
    assert_int_equal(crd_event_parse(f->context, deep, f->names, COLUMNS, &event, &error), CRD_ERROR_LIMIT);
    for (size_t i = 0; i + 4 <= sizeof text; i += 4) memcpy(text + i, "not ", 4);
    assert_int_equal(crd_event_parse(f->context, deep, f->names, COLUMNS, &event, NULL), CRD_ERROR_LIMIT);
    size_t allowed = 100;
    memset(text, '(', allowed);
    memcpy(text + allowed, "a=1x", 4);
    memset(text + allowed + 4, ')', allowed);
    text[2 * allowed + 4] = '\0';
    assert_rows(f, text, 2);
}

static void test_kinds(void **state) {
    query_event_fixture *f = *state;
    static const char *const wrong[] = {"a<1", "n=one", "n<one", "not a>=2"};
    for (size_t i = 0; i < 4; i++) {
        crd_event *event = parsed(f, wrong[i]);
        const crd_event *const events[] = {event};
        crd_error error;
        uint64_t rows = 1;
        assert_int_equal(crd_table_count(f->table, events, 1, &rows, &error), CRD_ERROR_COLUMN);
        assert_int_equal(rows, 0);
        crd_table *given;
        assert_int_equal(crd_table_given(f->table, NULL, 0, event, &given, &error), CRD_ERROR_COLUMN);
        assert_null(given);
        crd_event_destroy(event);
    }
}

/* Whatever bytes it is given, it answers; and every failing allocation is a status. */
static void test_any_bytes(void **state) {
    query_event_fixture *f = *state;
    static const char pieces[][8] = {"a", "b", "=",  "!=", "<",  ">=",  " and ", " or ", "not ", "(",
                                     ")", ",", "\"", " ",  "1x", "x=y", "n",     "f(z)", "\xff", "\"\""};
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        char text[128] = "";
        size_t count = (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 60;
        for (size_t i = 0; i < count; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            strcat(text, pieces[(seed >> 33) % (sizeof pieces / sizeof *pieces)]);
        }
        crd_event *event;
        if (crd_event_parse(f->context, crd_text_of(text), f->names, COLUMNS, &event, NULL) == CRD_OK) {
            const crd_event *const events[] = {event};
            uint64_t rows;
            (void)!crd_table_count(f->table, events, 1, &rows, NULL);
            assert_true(crd_event_comparison_count(event) > 0);
        }
        crd_event_destroy(event);
    }
}

static void test_memory(void **state) {
    query_event_fixture *f = *state;
    static const char text[] = "a=1x or not (\"a b\"=\"q\"\"q\" and n>0), \"b=c,d\"";
    for (size_t fail_at = 1;; fail_at++) {
        crd_event *event;
        crd_error error;
        long live = f->counted.live;
        f->counted.calls = 0;
        f->counted.fail_at = fail_at;
        crd_status status = crd_event_parse(f->context, crd_text_of(text), f->names, COLUMNS, &event, &error);
        f->counted.fail_at = 0;
        if (status == CRD_OK) {
            crd_event_destroy(event);
            assert_true(fail_at > 1); /* arenas share blocks in a release build */
            return;
        }
        assert_int_equal(status, CRD_ERROR_MEMORY);
        assert_null(event);
        assert_int_equal(f->counted.live, live);
    }
}

static void test_truth(void **state) {
    query_event_fixture *f = *state;
    crd_event *event = parsed(f, "a=1 and not (b=2 or n<3), not n>4 or a!=5");
    assert_int_equal(crd_event_comparison_count(event), 5);
    for (unsigned truth = 0; truth < 32; truth++) {
        unsigned char t[5];
        for (size_t i = 0; i < 5; i++) t[i] = (unsigned char)(truth >> i & 1);
        assert_int_equal(crd_i_event_is_true(event, t), t[0] && !(t[1] || t[2]) && (!t[3] || t[4]));
    }
    crd_event_destroy(event);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_comparisons, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kinds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_any_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_truth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
