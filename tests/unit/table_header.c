/* SPDX-License-Identifier: MIT */
/* Which line of a delimited file names the columns: by the rows below it, by the names that the caller asks for, or as stated. Each
 * case is read in blocks of many sizes, so that the decision cannot depend on how bytes arrive. */
#include "table_support.h"

/* The same with selectors that the caller is going to use. */
static void expect_for(const char *input, const char *first, const char *second, const char *expected) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    const crd_text selectors[] = {crd_text_of(first), crd_text_of(second)};
    options.selectors = selectors;
    options.selector_count = second[0] == '\0' ? 1 : 2;
    expect_with(input, &options, expected);
}

static void test_votes(void **state) {
    (void)state;
    expect("5.1,x\n4.9,y\n", ", no header assumed\n#c1 @c2\n1: 5.1 'x'\n2: 4.9 'y'\n");
    expect("a,x\n1,x\n", ", header\n#a @x\n2: 1 'x'\n");
    expect("a;x\n1,5;y\n", "; header\n@a @x\n2: '1,5' 'y'\n");
    expect("a\tb\nc\td\n", "t header\n@a @b\n2: 'c' 'd'\n");
    expect("a\tb\nc\tb\n", "t no header assumed\n@c1 @c2\n1: 'a' 'b'\n2: 'c' 'b'\n");
    expect("\"2019\",b\n1,c\n", ", header\n#2019 @b\n2: 1 'c'\n");
    expect("\"2\",b\n\"1\",c\n", ", no header assumed\n#c1 @c2\n1: 2 'b'\n2: 1 'c'\n");
    expect("id,2,1\n7,4,5\n8,3,1\n", ", header\n#id #2 #1\n2: 7 4 5\n3: 8 3 1\n");
    expect("id,2.5,1.5\n7,4,5\n8,3,1\n", ", no header assumed\n@c1 #c2 #c3\n1: 'id' 2.5 1.5\n2: '7' 4 5\n3: '8' 3 1\n");
    expect("id,1,2\n7,4,5.5\n8,3,1\n", ", header\n#id #1 #2\n2: 7 4 5.5\n3: 8 3 1\n");
}

static void test_names_asked_for(void **state) {
    (void)state;
    expect_for("1,2\n3,4\n", "1", "", ", no header assumed\n#c1 #c2\n1: 1 2\n2: 3 4\n");
    expect_for("1,7\n3,4\n", "7", "", ", header\n#1 #7\n2: 3 4\n");
    expect_for("b,a\nb,c\n", "c2", "a", ", header\n@b @a\n2: 'b' 'c'\n");
    expect_for("a,b\nc,d\n", "c2", "", ", no header assumed\n@c1 @c2\n1: 'a' 'b'\n2: 'c' 'd'\n");
    expect_for("a,c2\nc,d\n", "c2", "", ", header\n@a @c2\n2: 'c' 'd'\n");
    expect_for("a,b\n1,d\n", "c2", "", ", header\n#a @b\n2: 1 'd'\n");
    expect_for("x1,x2,y\nx1,x2,y\nx1,x3,y\n", "x1-x2", "",
               ", header\n@x1 @x2 @y\n2: 'x1' 'x2' 'y'\n3: 'x1' 'x3' 'y'\n");
}

static void test_titles(void **state) {
    (void)state;
    expect_for("Report\n\nn;y\n1;a\n", "y", "", "; header\n#n @y\n4: 1 'a'\n");
    expect_for("\xEF\xBB\xBF# by me, in May\r\nn\ty\r\n1\ta\r\n", "y", "", "t header\n#n @y\n3: 1 'a'\n");
    expect_for("Report,,\nof \"May\",,\nn,\"y\",z\n1,a,b\n", "y", "", ", header\n#n @y @z\n4: 1 'a' 'b'\n");
    /* Without names, the rows below the line after them decide. */
    expect("Report\n\nn;y\n1;a\n2;b\n", "; header\n#n @y\n4: 1 'a'\n5: 2 'b'\n");
    expect("Report,,\nn,x,y\n1,2,a\n", ", header\n#n #x @y\n3: 1 2 'a'\n");
    expect("Report,,\n1,2,a\n3,4,b\n", ", header\n#Report #c2 @c3\n2: 1 2 'a'\n3: 3 4 'b'\n");
    /* Lines that are as wide as the one with the name are rows. */
    expect_for("a,b\nc,y\nd,e\n", "y", "", ", header\n@a @b\n2: 'c' 'y'\n3: 'd' 'e'\n");
}

static void test_stated_lines(void **state) {
    (void)state;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.header_line = 3;
    expect_with("x\n\n1,2\n3,4\n", &options, ", header\n#1 #2\n4: 3 4\n");
    expect_with("sep=;\n\n1;2\n3;4\n", &options, "; header\n#1 #2\n4: 3 4\n");
    expect_with("x\n\n", &options, "empty t:0:0 [] no lines after the first 2 lines, which are skipped\n");
    options.skip_lines = 3;
    expect_with("x\n", &options, "argument :0:0 [] line 3 cannot be the header: the first 3 lines are skipped\n");
    options.skip_lines = 1;
    options.header_line = 0;
    expect_with("long \"title\na,b\n1,2\n", &options, ", header\n#a #b\n3: 1 2\n");
    expect_with("{\"a\": 1}\n5,6\n1,2\n", &options, ", no header assumed\n#c1 #c2\n2: 5 6\n3: 1 2\n");
    options.header = CRD_CHOICE_NO;
    options.header_line = 2;
    expect_with("x\n", &options, "argument :0:0 [] line 2 cannot be the header if the files have no header\n");
}

static void test_line_of_the_header(void **state) {
    (void)state;
    static const struct {
        const char *input;
        uint64_t line;
    } CASES[] = {{"a,b\n1,2\n", 1}, {"\n\na,b\n1,2\n", 3}, {"1,2\n3,4\n", 0}, {"{\"a\": 1}\n", 1}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        crd_reader *reader = NULL;
        crd_error error;
        assert_int_equal(open_bytes(context, CASES[i].input, strlen(CASES[i].input), true, NULL, &reader, &error),
                         CRD_OK);
        if (i < 3) assert_int_equal(crd_reader_header_line(reader), CASES[i].line);
        crd_reader_close(reader);
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
    }
}

/* Every allocation fails in turn. */
static void expect_memory_errors(const crd_text *selector) {
    static const char INPUT[] = "Report\n\nn;y\n1;a\n2;b\n";
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.selectors = selector;
    options.selector_count = selector != NULL;
    for (size_t fail_at = 1;; fail_at++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        plan.calls = 0;
        plan.fail_at = fail_at;
        crd_reader *reader = NULL;
        crd_error error;
        crd_status status = open_bytes(context, INPUT, strlen(INPUT), true, &options, &reader, &error);
        bool is_done = plan.calls < fail_at;
        assert_int_equal(status, is_done ? CRD_OK : CRD_ERROR_MEMORY);
        crd_reader_close(reader);
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        if (is_done) break;
    }
}

static void test_memory(void **state) {
    (void)state;
    const crd_text selector = crd_text_of("y");
    expect_memory_errors(&selector);
    expect_memory_errors(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes),        cmocka_unit_test(test_names_asked_for),    cmocka_unit_test(test_titles),
        cmocka_unit_test(test_stated_lines), cmocka_unit_test(test_line_of_the_header), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
