/* SPDX-License-Identifier: MIT */
/* Networks with any names, kinds of nodes and numbers come back from every format that has a way for them, to the bit;
 * so do published ones, from each format through each other. */
#include "network_files_support.h"

enum { NETWORKS = 300, MOST_NODES = 7, MAX_STATES = 4, MAX_PARENTS = 3, NAME_ROOM = 128 };

/* What readers could take for something else. */
static const char *const pieces[] = {
    "a",
    "B",
    "_",
    "9",
    "node_1",
    "variable",
    "property",
    "table",
    "net",
    "utility",
    " ",
    "  ",
    "\t",
    "//",
    "/*",
    "*/",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    "|",
    "=",
    "%",
    "#",
    "\\",
    "\\n",
    "&",
    "&amp;",
    "<",
    ">",
    "]]>",
    "<!--",
    "'",
    "\xC3\xBC",
    "\xFF",
    "\xE2\x82\xAC",
    ".",
    "+",
    "-",
    "&#10;",
    "\x01",
    "\x7F",
    "?",
    "\xEF\xBB\xBF",
    "\"",
    "\n",
    "\r",
    "<smile id=\"n\">",
    "<smile>",
    "probability (a) {",
    "network x {",
    "bnet x {",
    "BAYES 1",
    "<BIF>",
    "<!DOCTYPE BIF",
};
enum { PIECES = sizeof pieces / sizeof *pieces };

/* XML has no way for some characters, which its writer rejects. */
static bool is_for_xml;

static void random_name(crd_i_random *random, char *name) {
    const size_t count = crd_i_random_below(random, 6);
    name[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *piece = pieces[crd_i_random_below(random, PIECES)];
        if (!is_for_xml || (strcmp(piece, "\x01") != 0 && strcmp(piece, "\xFF") != 0)) strcat(name, piece);
    }
}

/* Any finite number. */
static double random_number(crd_i_random *random) {
    double number = NAN;
    while (!isfinite(number)) {
        const uint64_t bits = crd_i_random_bits(random);
        memcpy(&number, &bits, sizeof number);
    }
    return number;
}

static void fill(crd_i_random *random, const crd_i_node *node, double *table) {
    const size_t states = crd_i_node_states(node), width = crd_i_node_width(node);
    for (size_t i = 0; node->kind == CRD_NODE_GAUSSIAN && i < node->rows * width; i++) {
        table[i] = crd_i_random_below(random, 4) == 0 ? -0.0 : random_number(random);
        if (i % width == width - 1) table[i] = fabs(table[i]);
    }
    for (size_t row = 0; row < node->rows; row++) {
        double sum = 0;
        for (size_t i = 0; i < states; i++) {
            static const double rare[] = {0, -0.0, 5e-324, 1e-300, 2.2250738585072014e-308};
            double *cell = &table[row * states + i];
            *cell = crd_i_random_open(random) / (double)states;
            if (crd_i_random_below(random, 4) == 0) *cell = rare[crd_i_random_below(random, 5)];
            if (i + 1 == states) *cell = 1 - sum;
            sum += *cell;
            if (node->kind == CRD_NODE_UTILITY) *cell = random_number(random);
        }
    }
}

/* kinds: how many of crd_node_kind the format has. */
static void add_node(crd_i_random *random, crd_network *network, size_t kinds) {
    char name[NAME_ROOM], words[MAX_STATES][NAME_ROOM];
    crd_text states[MAX_STATES];
    uint32_t parents[MAX_PARENTS];
    size_t node, parent_count = 0, state_count = 1 + crd_i_random_below(random, MAX_STATES);
    crd_error error;
    const crd_node_kind kind = (crd_node_kind)crd_i_random_below(random, kinds);
    do random_name(random, name);
    while (crd_i_network_find(network, crd_text_of(name)) >= 0);
    for (size_t i = 0; i < state_count; i++) {
        bool is_new = false;
        while (!is_new) {
            random_name(random, words[i]);
            is_new = true;
            for (size_t j = 0; j < i; j++) is_new = is_new && strcmp(words[i], words[j]) != 0;
        }
        states[i] = crd_text_of(words[i]);
    }
    if (kind == CRD_NODE_UTILITY) {
        states[0] = crd_text_of("utility");
        state_count = 1;
    }
    if (kind == CRD_NODE_GAUSSIAN)
        assert_done(crd_i_network_add_gaussian(network, crd_text_of(name), &node, &error), error);
    else assert_done(crd_i_network_add(network, crd_text_of(name), states, state_count, &node, &error), error);
    crd_i_network_set_kind(network, node, kind);
    for (size_t i = 0; i < MAX_PARENTS && node > 0; i++) {
        const uint32_t parent = (uint32_t)crd_i_random_below(random, node);
        bool is_fine = network->nodes[parent].kind != CRD_NODE_UTILITY &&
                       (kind == CRD_NODE_GAUSSIAN || crd_i_node_is_discrete(&network->nodes[parent]));
        for (size_t j = 0; j < parent_count; j++) is_fine = is_fine && parents[j] != parent;
        if (is_fine) parents[parent_count++] = parent;
    }
    assert_done(crd_i_network_set_parents(network, node, parents, parent_count, &error), error);
    if (kind == CRD_NODE_DECISION) return;
    double *table = crd_i_alloc(network->context, network->nodes[node].rows * crd_i_node_width(&network->nodes[node]),
                                sizeof *table);
    assert_non_null(table);
    fill(random, &network->nodes[node], table);
    assert_done(crd_i_network_take_table(network, node, table, &error), error);
}

static void any_names(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (uint64_t seed = 0; seed < NETWORKS; seed++)
        for (int format = CRD_NETWORK_FORMAT_BIF; format <= CRD_NETWORK_FORMAT_DNE; format++) {
            if (format == CRD_NETWORK_FORMAT_DOT) continue;
            crd_i_random random = crd_i_random_at(seed, (uint64_t)format);
            is_for_xml = format == CRD_NETWORK_FORMAT_XMLBIF;
            const bool is_for_uai = format == CRD_NETWORK_FORMAT_UAI;
            const size_t kinds = is_for_uai ? 1 : format == CRD_NETWORK_FORMAT_NET ? 4 : 3;
            char name[NAME_ROOM];
            crd_network *network = NULL;
            crd_error error;
            random_name(&random, name);
            assert_done(crd_i_network_create(context, crd_text_of(name), &network, &error), error);
            const size_t count = 1 + crd_i_random_below(&random, MOST_NODES);
            for (size_t i = 0; i < count; i++) add_node(&random, network, kinds);
            assert_done(crd_i_network_finish(network, &error), error);
            crd_network *again = through(context, network, (crd_network_format)format);
            assert_same_network(network, again, !is_for_uai && format != CRD_NETWORK_FORMAT_DNE);
            crd_network_destroy(again);
            crd_network_destroy(network);
        }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void published(void **state) {
    (void)state;
    static const char *const names[] = {"alarm",     "asia",   "cancer", "child",  "earthquake", "hailfinder",
                                        "insurance", "hepar2", "sachs",  "survey", "water",      "win95pts"};
    static const crd_network_format ways[] = {
        CRD_NETWORK_FORMAT_BIF,  CRD_NETWORK_FORMAT_XMLBIF, CRD_NETWORK_FORMAT_NET,
        CRD_NETWORK_FORMAT_BIF,  CRD_NETWORK_FORMAT_NET,    CRD_NETWORK_FORMAT_XMLBIF,
        CRD_NETWORK_FORMAT_XDSL, CRD_NETWORK_FORMAT_BIF,    CRD_NETWORK_FORMAT_DNE};
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        crd_network *network = load_network(context, names[i]), *latest = NULL;
        if (network == NULL) {
            printf("skipped: the network %s is not here\n", names[i]);
            continue;
        }
        for (size_t j = 0; j < sizeof ways / sizeof *ways; j++) {
            crd_network *again = through(context, latest == NULL ? network : latest, ways[j]);
            assert_same_network(network, again, ways[j] != CRD_NETWORK_FORMAT_DNE);
            crd_network_destroy(latest);
            latest = again;
        }
        crd_network_destroy(latest);
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_names),
        cmocka_unit_test(published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
