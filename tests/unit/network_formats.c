/* SPDX-License-Identifier: MIT */
/* How files of networks are known by their first bytes; UAI; drawings. */
#include "network_files_support.h"

#include <unistd.h>
#include <zlib.h>

static void recognized(void **state) {
    (void)state;
    static const struct {
        const char *text;
        crd_network_format format;
    } cases[] = {
        {"", CRD_NETWORK_FORMAT_ANY},
        {"a,b,c\n1,2,3\n", CRD_NETWORK_FORMAT_ANY},
        {"network,b\n1,2\n", CRD_NETWORK_FORMAT_ANY},
        {"network\n1\n", CRD_NETWORK_FORMAT_ANY},
        {"variable\n{1}\n", CRD_NETWORK_FORMAT_ANY},
        {"node,state\n1,2\n", CRD_NETWORK_FORMAT_ANY},
        {"BAYES\nyes\nno\n", CRD_NETWORK_FORMAT_ANY},
        {"BAYES", CRD_NETWORK_FORMAT_ANY},
        {"<html>", CRD_NETWORK_FORMAT_ANY},
        {"net unknown\n{\n\tnode Smoker\n", CRD_NETWORK_FORMAT_ANY}, /* a GeNIe file */
        {"// x\n/* y */ network n {", CRD_NETWORK_FORMAT_BIF},
        {"\xEF\xBB\xBFnetwork {", CRD_NETWORK_FORMAT_BIF},
        {"\r\n variable \"a b\" {", CRD_NETWORK_FORMAT_BIF},
        {"probability (a) {", CRD_NETWORK_FORMAT_BIF},
        {"<?xml version=\"1.0\"?>", CRD_NETWORK_FORMAT_XMLBIF},
        {"\xEF\xBB\xBF\n<?xml version=\"1.0\"?>", CRD_NETWORK_FORMAT_XMLBIF},
        {"<BIF VERSION=\"0.3\">", CRD_NETWORK_FORMAT_XMLBIF},
        {"<!-- x --> <BIF>", CRD_NETWORK_FORMAT_XMLBIF},
        {"<!-- x --><!DOCTYPE BIF [", CRD_NETWORK_FORMAT_XMLBIF},
        {"% x\nnet\n{", CRD_NETWORK_FORMAT_NET},
        {"class x {", CRD_NETWORK_FORMAT_NET},
        {"discrete node x {", CRD_NETWORK_FORMAT_NET},
        {"node x\n{", CRD_NETWORK_FORMAT_NET},
        {"BAYES\n3\n", CRD_NETWORK_FORMAT_ANY},
        {"BAYES\n1\n2\n1\n3\n", CRD_NETWORK_FORMAT_ANY}, /* a column of whole numbers */
        {"BAYES 3\n2 2 x\n", CRD_NETWORK_FORMAT_ANY},
        {"BAYES\n2\n2 2\n2\n1 0\n", CRD_NETWORK_FORMAT_UAI},
        {"BAYES\n1\n2\n1\n1 0\n", CRD_NETWORK_FORMAT_UAI},
        {"probability(rain),y\n0.5,p\n", CRD_NETWORK_FORMAT_ANY},
        {"probability (rain) {mm},y\n0.5,p\n", CRD_NETWORK_FORMAT_ANY},
        {"probability (a | b, c) { (x, y) 0.2 0.8; }", CRD_NETWORK_FORMAT_BIF},
        {"probability (a) { table 0.2, 0.8; }", CRD_NETWORK_FORMAT_BIF},
        {"network\n{}\n{1}\n", CRD_NETWORK_FORMAT_ANY},
        {"network {a},y\n1,2\n", CRD_NETWORK_FORMAT_ANY},
        {"network {a} variable b {", CRD_NETWORK_FORMAT_BIF},
        {"variable,{x}\n1,2\n", CRD_NETWORK_FORMAT_ANY},
        {"class,text\nspam,hello you {x}\n", CRD_NETWORK_FORMAT_ANY},
        {"node,x\n{a,1\n", CRD_NETWORK_FORMAT_ANY},
        {"net {a=1},y\n1,2\n", CRD_NETWORK_FORMAT_ANY},
        {"net { } node x {", CRD_NETWORK_FORMAT_NET},
        {"bnet {a},y\n1,2\n", CRD_NETWORK_FORMAT_ANY},
        {"text,y\nhello <smile> you,p\n", CRD_NETWORK_FORMAT_ANY},
        {"<smile>,y\n1,p\n", CRD_NETWORK_FORMAT_ANY},
        {"<smile>\n<sad>\n<smile>\n", CRD_NETWORK_FORMAT_ANY},
        {"<BIF>\n<b>\n", CRD_NETWORK_FORMAT_ANY},
        {"<b>,y\n<!DOCTYPE BIF [,p\n", CRD_NETWORK_FORMAT_ANY},
        {"<?xml version=\"1.0\"?><a/>,p\n", CRD_NETWORK_FORMAT_ANY},
        {"<smile> <nodes>", CRD_NETWORK_FORMAT_XDSL},
        {"// ~->[DNET-1]->~\nbnet x {", CRD_NETWORK_FORMAT_DNE},
        {"<?xml version=\"1.0\"?>\n<smile version=\"1.0\" id=\"n\">", CRD_NETWORK_FORMAT_XDSL},
        {"MARKOV 3", CRD_NETWORK_FORMAT_UAI},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (crd_network_recognize(crd_text_of(cases[i].text)) != cases[i].format)
            fail_msg("%s is not %d", cases[i].text, (int)cases[i].format);
}

static void no_network(void **state) {
    (void)state;
    static const wrong_text wrongs[] = {
        {"a,b\n1,2\n", CRD_ERROR_SYNTAX, 0, 0, "expected BIF, XMLBIF, NET, UAI, XDSL or DNE"},
    };
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_wrong(context, wrongs, CRD_NETWORK_FORMAT_ANY);
    assert_wrong(context, wrongs, CRD_NETWORK_FORMAT_DOT);
    crd_network *network = NULL;
    crd_error error;
    static const char wide[] = "network n\n{\0\0";
    for (int format = CRD_NETWORK_FORMAT_ANY; format <= CRD_NETWORK_FORMAT_DOT; format++) {
        assert_int_equal(crd_network_read(context, (crd_text){wide, sizeof wide - 1}, "file",
                                          (crd_network_format)format, &network, &error),
                         CRD_ERROR_SYNTAX);
        assert_int_equal(error.line, 2);
        assert_int_equal(error.field, 2);
        assert_non_null(strstr(error.message, "NUL"));
    }
    crd_context_destroy(context);
}

static const char small[] = "BAYES\n3\n2 3 2 # states\n3\n"
                            "1 0\n3 0 2 1   # the node itself is last\n1 2\n\n"
                            "2\n 0.25 .75\n"
                            "12\n .1 .2 .7 .2 .2 .6 .3 .2 .5 .4 .2 4e-1\n"
                            "2 1 0\n";

static void uai(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_as(context, small, CRD_NETWORK_FORMAT_UAI);
    assert_int_equal(network->count, 3);
    assert_int_equal(crd_i_network_find(network, crd_text_of("1")), 1);
    assert_true(has_state(network, 1, 2, "2"));
    const crd_i_node *node = &network->nodes[1];
    const uint32_t parents[2] = {0, 2};
    assert_int_equal(node->parent_count, 2);
    assert_memory_equal(node->parents, parents, sizeof parents);
    const double rows[4][3] = {{.1, .2, .7}, {.2, .2, .6}, {.3, .2, .5}, {.4, .2, .4}};
    assert_memory_equal(node->table, rows, sizeof rows);
    crd_network *again = through(context, network, CRD_NETWORK_FORMAT_UAI);
    assert_same_network(network, again, true);
    crd_network_destroy(again);
    crd_network_destroy(network);
    assert_damage_is_found(small, CRD_NETWORK_FORMAT_UAI);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void wrong_uai(void **state) {
    (void)state;
    static const wrong_text wrongs[] = {
        {"MARKOV 1 2 1 1 0 2 1 1", CRD_ERROR_SYNTAX, 1, 1, "not conditional probabilities"},
        {"nonsense", CRD_ERROR_SYNTAX, 1, 1, "expected BAYES"},
        {"BAYES 0", CRD_ERROR_EMPTY, 0, 0, "no nodes"},
        {"BAYES -1", CRD_ERROR_SYNTAX, 1, 7, "the number of nodes"},
        {"BAYES 1.5", CRD_ERROR_SYNTAX, 1, 7, "the number of nodes"},
        {"BAYES 1e300", CRD_ERROR_SYNTAX, 1, 7, "the number of nodes"},
        {"BAYES 99999999 2", CRD_ERROR_SYNTAX, 1, 7, "too large for the number of nodes: the maximum is"},
        {"BAYES 1 60000 1 1 0", CRD_ERROR_SYNTAX, 1, 9, "too large for a number of states: the maximum is"},
        {"BAYES 3\n9 9 9 3 1 0", CRD_ERROR_SYNTAX, 2, 3, "too large for a number of states: the maximum is 0"},
        {"BAYES 1 0 1 1 0 0", CRD_ERROR_EMPTY, 1, 9, "no states"},
        {"BAYES 1\n2 2 1 0", CRD_ERROR_SYNTAX, 2, 3, "2 tables are declared for 1 nodes"},
        {"BAYES 1\n2 1 1 1", CRD_ERROR_SYNTAX, 2, 7, "too large for the number of a node: the maximum is 0"},
        {"BAYES 1\n2 1 0", CRD_ERROR_SYNTAX, 2, 5, "this table has no nodes"},
        {"BAYES 2\n2 2 2 1 0 1 0 2 1 0 2 1 0", CRD_ERROR_COLUMN, 2, 11, "occur twice"},
        {"BAYES 1\n2 1 1 0\n3 1 0 0", CRD_ERROR_SYNTAX, 3, 1, "expected 2 numbers for 0, got 3"},
        {"BAYES 1\n2 1 1 0\n2 1 x", CRD_ERROR_SYNTAX, 3, 5, "a number"},
        {"BAYES 1\n2 1 1 0\n2 1", CRD_ERROR_SYNTAX, 3, 4, "unexpected end of file: expected a number"},
        {"BAYES 1\n2 1 1 0\n2 1 0 7", CRD_ERROR_SYNTAX, 3, 7, "the end of the file"},
        {"BAYES 1\n2 1 1 0\n2 1 1", CRD_ERROR_PROBABILITY, 3, 1, "sum to 2"},
    };
    assert_all_wrong(wrongs, sizeof wrongs / sizeof *wrongs, CRD_NETWORK_FORMAT_UAI);
}

static const char decision[] =
    "net{name=\"a \\\"b\\\\\";} node \"x y\" {states=(p q);} decision D {states=(r);} utility U {}"
    "potential(\"x y\"){data=(1 0);} potential(U | D \"x y\"){data=(1 2);}";

static void drawing(void **state) {
    (void)state;
    crd_context *context = NULL;
    crd_error error;
    crd_text text;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_network *network = read_as(context, decision, CRD_NETWORK_FORMAT_NET);
    assert_done(crd_network_write(network, CRD_NETWORK_FORMAT_DOT, &text, &error), error);
    static const char wanted[] = "digraph \"a \\\"b\\\\\" {\n"
                                 "  \"x y\" [shape=ellipse];\n  \"D\" [shape=box];\n  \"U\" [shape=diamond];\n"
                                 "  \"D\" -> \"U\";\n  \"x y\" -> \"U\";\n}\n";
    assert_true(crd_text_equal(text, crd_text_of(wanted)));
    crd_free(context, (void *)text.bytes);
    assert_int_equal(crd_network_write(network, CRD_NETWORK_FORMAT_UAI, &text, &error), CRD_ERROR_SYNTAX);
    assert_non_null(strstr(error.message, "D cannot be written as UAI"));
    assert_int_equal(crd_network_write(network, CRD_NETWORK_FORMAT_ANY, &text, &error), CRD_ERROR_ARGUMENT);
    crd_network_destroy(network);
    crd_context_destroy(context);
}

/* As they are and compressed; what is no file, and what is no network. */
static void files(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    char path[] = "/tmp/credence-network-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        crd_file_kind kind = CRD_FILE_ROWS;
        crd_network *network = NULL;
        crd_error error;
        /* Mode T of zlib writes bytes as they are. */
        gzFile file = gzopen(path, is_packed ? "wb" : "wbT");
        assert_non_null(file);
        assert_int_equal(gzwrite(file, small, sizeof small - 1), sizeof small - 1);
        assert_int_equal(gzclose(file), Z_OK);
        assert_done(crd_file_detect(context, path, &kind, &error), error);
        assert_int_equal(kind, CRD_FILE_NETWORK);
        assert_done(crd_network_load(context, path, CRD_NETWORK_FORMAT_ANY, &network, &error), error);
        assert_int_equal(network->count, 3);
        crd_network_destroy(network);
        crd_input *input = NULL;
        assert_done(crd_input_open(context, path, &input, &error), error);
        assert_int_equal(crd_network_recognize(crd_input_beginning(input)), CRD_NETWORK_FORMAT_UAI);
        assert_done(crd_network_from_input(input, CRD_NETWORK_FORMAT_ANY, &network, &error), error);
        assert_int_equal(network->count, 3);
        crd_network_destroy(network);
        assert_int_equal(crd_network_from_input(input, CRD_NETWORK_FORMAT_ANY, &network, &error), CRD_ERROR_ARGUMENT);
        assert_int_equal(crd_input_beginning(input).length, 0);
        crd_input_close(input);
        assert_int_equal(crd_network_load(context, path, CRD_NETWORK_FORMAT_BIF, &network, &error), CRD_ERROR_SYNTAX);
        assert_string_equal(error.place, path);
        assert_null(network);
    }
    close(descriptor);
    unlink(path);
    crd_file_kind kind = CRD_FILE_NETWORK;
    crd_network *network = NULL;
    crd_error error;
    assert_int_equal(crd_file_detect(context, path, &kind, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(kind, CRD_FILE_ROWS);
    assert_int_equal(crd_network_load(context, path, CRD_NETWORK_FORMAT_ANY, &network, &error), CRD_ERROR_SYSTEM);
    crd_input *input = NULL;
    assert_int_equal(crd_input_open(context, path, &input, &error), CRD_ERROR_SYSTEM);
    assert_string_equal(error.place, path);
    assert_null(input);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A compressed file of some kilobytes cannot take all memory; one that is as large as it looks is read. */
static void decompressed(void **state) {
    (void)state;
    enum { PIECE = 1 << 20, MOST = 64 };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    char path[] = "/tmp/credence-network-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    char *blanks = malloc(PIECE);
    assert_non_null(blanks);
    memset(blanks, ' ', PIECE);
    static const struct {
        const char *mode;
        int bytes; /* beyond the most */
        crd_status status;
    } cases[] = {{"wb1", 0, CRD_OK}, {"wb1", 1, CRD_ERROR_LIMIT}, {"wbT", 1, CRD_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_network *network = NULL;
        crd_input *input = NULL;
        crd_error error;
        gzFile file = gzopen(path, cases[i].mode);
        assert_non_null(file);
        assert_int_equal(gzwrite(file, small, sizeof small - 1), sizeof small - 1);
        assert_int_equal(gzwrite(file, blanks, PIECE - (unsigned)sizeof small + 1), PIECE - (int)sizeof small + 1);
        for (int piece = 1; piece < MOST; piece++) assert_int_equal(gzwrite(file, blanks, PIECE), PIECE);
        assert_int_equal(gzwrite(file, blanks, (unsigned)cases[i].bytes), cases[i].bytes);
        assert_int_equal(gzclose(file), Z_OK);
        assert_int_equal(crd_network_load(context, path, CRD_NETWORK_FORMAT_ANY, &network, &error), cases[i].status);
        if (cases[i].status != CRD_OK) assert_non_null(strstr(error.message, "64 MiB"));
        crd_network_destroy(network);
        assert_done(crd_input_open(context, path, &input, &error), error);
        assert_int_equal(crd_network_from_input(input, CRD_NETWORK_FORMAT_ANY, &network, &error), cases[i].status);
        if (cases[i].status != CRD_OK) assert_string_equal(error.place, path);
        crd_network_destroy(network);
        crd_input_close(input);
    }
    free(blanks);
    close(descriptor);
    unlink(path);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void selected(void **state) {
    (void)state;
    static const struct {
        const char *selector;
        size_t count, nodes[3];
    } cases[] = {{"b", 1, {1}}, {"3", 1, {2}}, {"1-2", 2, {0, 1}}, {"*b", 2, {1, 2}}, {"last", 1, {2}}, {"z", 0, {0}}};
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = NULL;
    crd_error error;
    crd_text text = crd_text_of("variable a { type discrete [ 1 ] { x }; } probability (a) { table 1; }"
                                "variable b { type discrete [ 1 ] { x }; } probability (b) { table 1; }"
                                "variable bb { type discrete [ 1 ] { x }; } probability (bb) { table 1; }");
    assert_done(crd_network_read(context, text, "text", CRD_NETWORK_FORMAT_ANY, &network, &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t nodes[3] = {9, 9, 9}, count = 9;
        crd_status status = crd_network_select(network, crd_text_of(cases[i].selector), nodes, &count, &error);
        assert_int_equal(status, cases[i].count == 0 ? CRD_ERROR_COLUMN : CRD_OK);
        assert_int_equal(count, cases[i].count);
        for (size_t k = 0; k < count; k++) assert_int_equal(nodes[k], cases[i].nodes[k]);
    }
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void cancelled(void **state) {
    (void)state;
    static const char *const texts[] = {
        "variable a { type discrete [ 1 ] { x }; } probability (a) { table 1; }",
        "<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME></VARIABLE></NETWORK></BIF>",
        "node a { states = (x); } potential (a) { data = (1); }",
        small,
    };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_context_cancel(context);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        crd_network *network = NULL;
        crd_error error;
        assert_int_equal(
            crd_network_read(context, crd_text_of(texts[i]), "text", CRD_NETWORK_FORMAT_ANY, &network, &error),
            CRD_ERROR_CANCELLED);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recognized),   cmocka_unit_test(no_network), cmocka_unit_test(uai),
        cmocka_unit_test(wrong_uai),    cmocka_unit_test(drawing),    cmocka_unit_test(files),
        cmocka_unit_test(decompressed), cmocka_unit_test(selected),   cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
