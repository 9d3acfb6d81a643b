/* SPDX-License-Identifier: MIT */
/* Random networks with decisions against the decision tree that goes through every combination of states, and, where
 * there are few, against every policy there is. */
#include "decision_support.h"
#include "sanitizer_support.h"

enum { DIAGRAMS = FEWER_IF_SANITIZED(1500), NODES = 9, CELLS = 3 * 3 * 3 * 3 * 3 * 3 };

/* ---- Random diagrams ---- */

typedef struct policies_outline {
    crd_node_kind kinds[NODES];
    size_t states[NODES];
    uint32_t numbers[NODES]; /* in the network, of each in the order of arcs */
    size_t count;
} policies_outline;

static policies_outline draw_sketch(crd_i_random *random) {
    policies_outline outline = {.count = 4 + crd_i_random_below(random, NODES - 3)};
    size_t decisions = 0, utilities = 0;
    for (size_t i = 0; i < outline.count; i++) {
        uint64_t choice = crd_i_random_below(random, 10);
        outline.kinds[i] = choice < 5 ? CRD_NODE_CHANCE : choice < 8 ? CRD_NODE_DECISION : CRD_NODE_UTILITY;
        if (outline.kinds[i] == CRD_NODE_DECISION && ++decisions > 3) outline.kinds[i] = CRD_NODE_CHANCE;
        if (i + 1 == outline.count && utilities == 0) outline.kinds[i] = CRD_NODE_UTILITY;
        if (i == 0) outline.kinds[i] = CRD_NODE_CHANCE;
        utilities += outline.kinds[i] == CRD_NODE_UTILITY;
        outline.states[i] = outline.kinds[i] == CRD_NODE_UTILITY ? 1 : 1 + (crd_i_random_below(random, 8) > 0);
        if (crd_i_random_below(random, 5) == 0 && outline.states[i] == 2) outline.states[i] = 3;
        outline.numbers[i] = (uint32_t)i;
    }
    for (size_t i = outline.count; i > 1; i--) {
        size_t other = crd_i_random_below(random, i);
        uint32_t number = outline.numbers[i - 1];
        outline.numbers[i - 1] = outline.numbers[other];
        outline.numbers[other] = number;
    }
    return outline;
}

static void fill_row(crd_i_random *random, crd_node_kind kind, double *row, size_t states) {
    double sum = 0;
    if (kind == CRD_NODE_UTILITY) {
        row[0] = (double)crd_i_random_below(random, 21) - 10;
        return;
    }
    for (size_t j = 0; j < states; j++) {
        double p = crd_i_random_below(random, 5) == 0 ? 0 : crd_i_random_open(random);
        if (j + 1 == states && sum + p == 0) p = 1;
        sum += row[j] = p;
    }
    for (size_t j = 0; j < states; j++) row[j] /= sum;
}

static crd_network *random_diagram(crd_context *context, crd_i_random *random) {
    policies_outline outline = draw_sketch(random);
    crd_network *network = NULL;
    crd_error error;
    const crd_text words[3] = {crd_text_of("a"), crd_text_of("b"), crd_text_of("c")};
    assert_done(crd_i_network_create(context, crd_text_of("random"), &network, &error), error);
    for (uint32_t number = 0; number < outline.count; number++) {
        size_t position = 0, node;
        char name[8];
        while (outline.numbers[position] != number) position++;
        snprintf(name, sizeof name, "n%u", (unsigned)number);
        assert_done(crd_i_network_add(network, crd_text_of(name), words, outline.states[position], &node, &error),
                    error);
        crd_i_network_set_kind(network, node, outline.kinds[position]);
    }
    for (size_t i = 0; i < outline.count; i++) {
        uint32_t parents[NODES], number = outline.numbers[i];
        size_t parent_count = 0;
        for (size_t j = 0; j < i; j++)
            if (outline.kinds[j] != CRD_NODE_UTILITY && crd_i_random_below(random, 5) < 2 && parent_count < 4)
                parents[parent_count++] = outline.numbers[j];
        assert_done(crd_i_network_set_parents(network, number, parents, parent_count, &error), error);
        if (outline.kinds[i] == CRD_NODE_DECISION) continue;
        const crd_i_node *node = &network->nodes[number];
        double *table = crd_i_alloc(context, node->rows * outline.states[i], sizeof *table);
        assert_non_null(table);
        for (size_t row = 0; row < node->rows; row++)
            fill_row(random, outline.kinds[i], table + row * outline.states[i], outline.states[i]);
        assert_done(crd_i_network_take_table(network, number, table, &error), error);
    }
    assert_done(crd_i_network_finish(network, &error), error);
    return network;
}

/* ---- Questions ---- */

typedef struct question {
    crd_network *network;
    bool reaches[NODES][NODES]; /* arcs lead from one to the other; not through decisions that are taken */
    bool comes_before[NODES][NODES];
    int32_t states[NODES]; /* found, or -1 */
    double vectors[NODES][3];
    const double *likelihoods[NODES];
    bool is_observed[NODES];
    crd_finding findings[NODES];
    size_t finding_count, observed[NODES], observed_count;
    uint32_t order[NODES], sequence[NODES]; /* decisions; all nodes but utilities, as they become known */
    size_t decision_count, sequence_count;
} question;

static crd_node_kind kind_of(const question *own_question, size_t node) {
    return own_question->network->nodes[node].kind;
}

static bool is_open(const question *own_question, size_t node) {
    return kind_of(own_question, node) == CRD_NODE_DECISION && own_question->states[node] < 0;
}

static void close_paths(const question *own_question, bool reach[NODES][NODES], bool through_taken) {
    const crd_network *network = own_question->network;
    for (size_t i = 0; i < network->count; i++)
        for (size_t j = 0; j < network->nodes[i].parent_count; j++)
            if (through_taken || kind_of(own_question, i) != CRD_NODE_DECISION || own_question->states[i] < 0)
                reach[network->nodes[i].parents[j]][i] = true;
    for (size_t k = 0; k < network->count; k++)
        for (size_t i = 0; i < network->count; i++)
            for (size_t j = 0; j < network->count; j++) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
}

/* Whether nothing that is still to be decided has an effect on a node. */
static bool is_free(const question *own_question, size_t node) {
    for (size_t i = 0; i < own_question->network->count; i++)
        if (is_open(own_question, i) && own_question->reaches[i][node]) return false;
    return true;
}

/* The decisions by arcs, then by number; then everything in the order in which it becomes known, what never does
 * last. */
static void make_sequence(question *own_question) {
    const crd_network *network = own_question->network;
    bool is_placed[NODES] = {false}, is_known[NODES] = {false};
    own_question->decision_count = own_question->sequence_count = 0;
    for (;;) {
        size_t next = 0;
        for (; next < network->count; next++) {
            bool is_next = kind_of(own_question, next) == CRD_NODE_DECISION && !is_placed[next];
            for (size_t j = 0; j < network->count; j++)
                if (kind_of(own_question, j) == CRD_NODE_DECISION && !is_placed[j] &&
                    own_question->comes_before[j][next])
                    is_next = false;
            if (is_next) break;
        }
        if (next == network->count) break;
        is_placed[next] = true;
        own_question->order[own_question->decision_count++] = (uint32_t)next;
    }
    for (uint32_t i = 0; i < network->count; i++)
        if (own_question->is_observed[i]) {
            is_known[i] = true;
            own_question->sequence[own_question->sequence_count++] = i;
        }
    for (size_t i = 0; i < own_question->decision_count; i++) {
        const crd_i_node *node = &network->nodes[own_question->order[i]];
        for (size_t j = 0; j < node->parent_count; j++) {
            uint32_t parent = node->parents[j];
            if (kind_of(own_question, parent) != CRD_NODE_CHANCE || is_known[parent]) continue;
            is_known[parent] = true;
            own_question->sequence[own_question->sequence_count++] = parent;
        }
        own_question->sequence[own_question->sequence_count++] = own_question->order[i];
    }
    for (uint32_t i = 0; i < network->count; i++)
        if (kind_of(own_question, i) == CRD_NODE_CHANCE && !is_known[i])
            own_question->sequence[own_question->sequence_count++] = i;
}

/* What is known: nothing, some of it, or one thing more, so unlikely that plain numbers cannot tell it from what cannot
 * be. */
typedef enum policies_way { NOTHING, FINDINGS, EXTREMES, WAYS } policies_way;

static void draw_question(question *own_question, crd_i_random *random, policies_way way) {
    const crd_network *network = own_question->network;
    bool with_findings = way != NOTHING, has_extreme = false;
    for (size_t i = 0; i < network->count; i++) {
        bool is_taken =
            with_findings && kind_of(own_question, i) == CRD_NODE_DECISION && crd_i_random_below(random, 4) == 0;
        own_question->states[i] =
            is_taken ? (int32_t)crd_i_random_below(random, crd_i_node_states(&network->nodes[i])) : -1;
    }
    close_paths(own_question, own_question->reaches, false);
    close_paths(own_question, own_question->comes_before, true);
    for (size_t i = 0; with_findings && i < network->count; i++) {
        size_t states = crd_i_node_states(&network->nodes[i]);
        uint64_t choice = crd_i_random_below(random, 5);
        for (size_t j = 0; j < states; j++)
            own_question->vectors[i][j] =
                ldexp(crd_i_random_open(random), way == EXTREMES ? 1400 * (int)(j % 2) - 700 : 6 * (int)j - 6);
        if (kind_of(own_question, i) != CRD_NODE_CHANCE || !is_free(own_question, i)) continue;
        if (choice == 0) own_question->states[i] = (int32_t)crd_i_random_below(random, states);
        if (choice == 1 && !has_extreme) own_question->likelihoods[i] = own_question->vectors[i];
        has_extreme = way == EXTREMES && (has_extreme || choice == 1);
        if (choice == 2) own_question->is_observed[i] = true;
    }
    for (size_t i = 0; i < network->count; i++) {
        const crd_finding certain = {i, (size_t)own_question->states[i], NULL, 0},
                          soft = {i, 0, own_question->likelihoods[i], 0};
        if (own_question->states[i] >= 0) own_question->findings[own_question->finding_count++] = certain;
        if (own_question->likelihoods[i] != NULL) own_question->findings[own_question->finding_count++] = soft;
        if (own_question->is_observed[i]) own_question->observed[own_question->observed_count++] = i;
    }
    make_sequence(own_question);
}

/* ---- The tree ---- */

static size_t row_of(const question *own_question, size_t node, const int32_t *states) {
    const crd_i_node *current_node = &own_question->network->nodes[node];
    size_t row = 0;
    for (size_t j = 0; j < current_node->parent_count; j++)
        row = row * crd_i_node_states(&own_question->network->nodes[current_node->parents[j]]) +
              (size_t)states[current_node->parents[j]];
    return row;
}

/* The probability of states of all nodes and of what was found, and what they are worth; decisions are as they are. */
static double probability_of(const question *own_question, const int32_t *states, double *worth) {
    double p = 1;
    *worth = 0;
    for (size_t i = 0; i < own_question->network->count; i++) {
        const crd_i_node *node = &own_question->network->nodes[i];
        size_t row = row_of(own_question, i, states), width = crd_i_node_states(node);
        if (node->kind == CRD_NODE_UTILITY) *worth += node->table[row];
        if (own_question->states[i] >= 0 && own_question->states[i] != states[i]) return 0;
        if (own_question->likelihoods[i] != NULL) p *= own_question->likelihoods[i][states[i]];
        if (node->kind == CRD_NODE_CHANCE) p *= node->table[row * width + (size_t)states[i]];
    }
    return p;
}

/* The worth times the probability from here on: the greatest of what can be chosen, the sum of what can come. */
static double roll_back(const question *own_question, size_t index, int32_t *states, double *mass) {
    double worth, total = 0, most = -INFINITY;
    *mass = 0;
    if (index == own_question->sequence_count) {
        *mass = probability_of(own_question, states, &worth);
        return *mass * worth;
    }
    uint32_t node = own_question->sequence[index];
    for (int32_t i = 0; i < (int32_t)crd_i_node_states(&own_question->network->nodes[node]); i++) {
        double below;
        if (own_question->states[node] >= 0 && own_question->states[node] != i) continue;
        states[node] = i;
        double value = roll_back(own_question, index + 1, states, &below);
        total += value;
        if (kind_of(own_question, node) == CRD_NODE_DECISION) *mass = below;
        else *mass += below;
        most = value > most ? value : most;
    }
    return kind_of(own_question, node) == CRD_NODE_DECISION ? most : total;
}

/* Expected utility and probability of the evidence. */
static double best_utility(const question *own_question, double *mass) {
    int32_t states[NODES] = {0};
    double total = roll_back(own_question, 0, states, mass);
    return total / *mass;
}

/* ---- Policies ---- */

static size_t combination_of(const question *own_question, const crd_policy *policy, size_t decision,
                             const int32_t *states) {
    size_t combination = 0;
    for (size_t k = 0; k < policy->decisions[decision].known_count; k++) {
        size_t node = policy->decisions[decision].known[k];
        combination = combination * crd_i_node_states(&own_question->network->nodes[node]) + (size_t)states[node];
    }
    return combination;
}

/* Goes through all states of all nodes. */
static bool next_states(const question *own_question, int32_t *states) {
    size_t i = 0;
    while (i < own_question->network->count &&
           ++states[i] == (int32_t)crd_i_node_states(&own_question->network->nodes[i]))
        states[i++] = 0;
    return i < own_question->network->count;
}

/* Whether the decisions from one on are those of the policy. */
static bool follows(const question *own_question, const crd_policy *policy, size_t first, const int32_t *states) {
    for (size_t i = first; i < policy->decision_count; i++) {
        size_t choice = policy->decisions[i].choices[combination_of(own_question, policy, i, states)];
        if (choice != SIZE_MAX && choice != (size_t)states[policy->decisions[i].node]) return false;
    }
    return true;
}

static void check_followed(const question *own_question, const crd_policy *policy, double wanted, double mass) {
    int32_t states[NODES] = {0};
    double total = 0, worth, p;
    do {
        if (!follows(own_question, policy, 0, states) || (p = probability_of(own_question, states, &worth)) == 0)
            continue;
        total += p * worth;
    } while (next_states(own_question, states));
    if (!(fabs(total / mass - wanted) < 1e-9)) fail_msg("followed it is %.12g, not %.12g", total / mass, wanted);
}

/* What each choice is worth in each combination: earlier decisions at random, later ones by the policy. What a decision
 * has no effect on is not in there, so differences are compared. */
static void check_utilities(const question *own_question, const crd_policy *policy, size_t decision) {
    int32_t states[NODES] = {0};
    static double mass[CELLS * 3], sums[CELLS * 3];
    size_t node = policy->decisions[decision].node, width = crd_i_node_states(&own_question->network->nodes[node]);
    size_t combinations = 1;
    double worth, p;
    for (size_t k = 0; k < policy->decisions[decision].known_count; k++)
        combinations *= crd_i_node_states(&own_question->network->nodes[policy->decisions[decision].known[k]]);
    assert_true(combinations <= CELLS);
    memset(mass, 0, sizeof mass);
    memset(sums, 0, sizeof sums);
    do {
        size_t index = combination_of(own_question, policy, decision, states) * width + (size_t)states[node];
        if (!follows(own_question, policy, decision + 1, states) ||
            (p = probability_of(own_question, states, &worth)) == 0)
            continue;
        mass[index] += p;
        sums[index] += p * worth;
    } while (next_states(own_question, states));
    for (size_t i = 0; i < combinations; i++) {
        const double *got = (policy->decisions[decision].utilities + i * policy->decisions[decision].choice_count);
        bool can_be = mass[i * width] > 0;
        assert_int_equal(policy->decisions[decision].choices[i] != SIZE_MAX, can_be);
        for (size_t j = 0; j < width; j++) {
            assert_int_equal(isnan(got[j]), !can_be);
            if (!can_be) continue;
            double difference = sums[i * width + j] / mass[i * width + j] - sums[i * width] / mass[i * width];
            if (!(fabs(got[j] - got[0] - difference) < 1e-9))
                fail_msg("%.12g should be %.12g", got[j] - got[0], difference);
        }
    }
}

/* Every policy there is: what is known, all of it, says what is chosen. The best of them; NaN where there are too many
 * to go through. */
static double best_of_all(const question *own_question, double evidence) {
    size_t slots[NODES] = {0}, slot_count = 0, choices[64] = {0}, widths[64];
    double all = 1, best = -INFINITY;
    for (size_t i = 0, combinations = 1; i < own_question->sequence_count; i++) {
        uint32_t node = own_question->sequence[i];
        size_t width = crd_i_node_states(&own_question->network->nodes[node]);
        if (is_open(own_question, node)) {
            if (slot_count + combinations > 64) return NAN;
            slots[node] = slot_count;
            for (size_t j = 0; j < combinations; j++) {
                all *= (double)width;
                widths[slot_count++] = width;
            }
        }
        if (own_question->states[node] < 0) combinations *= width;
    }
    if (slot_count == 0 || all > 600) return NAN;
    for (;;) {
        int32_t states[NODES] = {0};
        double total = 0, worth, p;
        do {
            bool is_followed = true;
            for (size_t i = 0, place = 0; i < own_question->sequence_count; i++) {
                uint32_t node = own_question->sequence[i];
                if (is_open(own_question, node)) is_followed &= choices[slots[node] + place] == (size_t)states[node];
                if (own_question->states[node] < 0)
                    place = place * crd_i_node_states(&own_question->network->nodes[node]) + (size_t)states[node];
            }
            if (is_followed && (p = probability_of(own_question, states, &worth)) > 0) total += p * worth;
        } while (next_states(own_question, states));
        best = total > best ? total : best;
        size_t i = 0;
        while (i < slot_count && ++choices[i] == widths[i]) choices[i++] = 0;
        if (i == slot_count) break;
    }
    return best / evidence;
}

/* Observing a node first, where no open decision has an effect on it, is worth what the tree says; else it is refused.
 */
static void check_observing(const question *own_question, size_t node, double without) {
    question other_question = *own_question;
    crd_error error;
    double value = -1, mass;
    if (own_question->observed_count > 0 || kind_of(own_question, node) != CRD_NODE_CHANCE) return;
    other_question.is_observed[node] = true;
    make_sequence(&other_question);
    crd_status status = crd_network_value_of_observing(own_question->network, own_question->findings,
                                                       own_question->finding_count, node, NULL, &value, &error);
    if (!is_free(own_question, node)) {
        assert_int_equal(status, CRD_ERROR_SCHEMA_DIFFERS);
        return;
    }
    assert_done(status, error);
    double wanted = best_utility(&other_question, &mass) - without;
    assert_true(value >= 0);
    if (!(fabs(value - wanted) < 1e-9)) fail_msg("%.12g should be %.12g", value, wanted);
}

static bool compare(question *query, size_t *brute) {
    crd_policy *policy = NULL;
    crd_error error;
    double mass, wanted = best_utility(query, &mass);
    crd_status status = crd_policy_create(query->network, query->findings, query->finding_count, query->observed,
                                          query->observed_count, NULL, &policy, &error);
    if (mass == 0) {
        assert_int_equal(status, CRD_ERROR_PROBABILITY);
        return false;
    }
    assert_done(status, error);
    if (!(fabs(policy->utility - wanted) < 1e-9)) fail_msg("%.12g should be %.12g", policy->utility, wanted);
    assert_true(fabs(policy->log_evidence - log(mass)) < 1e-9);
    size_t open = 0;
    for (size_t i = 0; i < query->decision_count; i++)
        if (is_open(query, query->order[i])) assert_int_equal(policy->decisions[open++].node, query->order[i]);
    assert_int_equal(policy->decision_count, open);
    check_followed(query, policy, wanted, mass);
    for (size_t i = 0; i < open; i++) check_utilities(query, policy, i);
    double best = best_of_all(query, mass);
    if (!isnan(best)) {
        (*brute)++;
        if (!(fabs(best - wanted) < 1e-9)) fail_msg("the best of all is %.12g, the tree's %.12g", best, wanted);
    }
    for (size_t i = 0; i < query->network->count; i++) check_observing(query, i, wanted);
    crd_policy_destroy(policy);
    return true;
}

static void every_policy(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    size_t compared = 0, brute = 0;
    for (uint64_t seed = 1; seed <= DIAGRAMS; seed++) {
        crd_i_random random = crd_i_random_at(seed, 0);
        crd_network *network = random_diagram(context, &random);
        bool has_decision = false;
        for (size_t i = 0; i < network->count; i++)
            has_decision = has_decision || network->nodes[i].kind == CRD_NODE_DECISION;
        for (int way = NOTHING; has_decision && way < WAYS; way++) {
            question own_question = {.network = network};
            draw_question(&own_question, &random, (policies_way)way);
            compared += compare(&own_question, &brute);
        }
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
    assert_true(compared > DIAGRAMS && brute > DIAGRAMS / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
