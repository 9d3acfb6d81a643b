/* SPDX-License-Identifier: MIT */
/* Random networks of discrete and Gaussian nodes, against every combination of states with the multivariate normal
 * distribution that it leaves, which is built and conditioned as a whole in long doubles. */
#include "infer/exact/gaussian_elimination.h"
#include "network_support.h"

enum { NETWORKS = 600, NODES = 8, MAX_STATES = 3 };

typedef struct mixed_mixed_part {
    crd_network *network;
    size_t count;
    bool is_gaussian[NODES];
    int32_t states[NODES]; /* drawn */
    double numbers[NODES];
    bool is_seen[NODES];
    crd_finding findings[NODES];
    size_t finding_count;
} mixed_mixed_part;

/* What the reference finds: sums over the combinations of states. */
typedef struct answers {
    long double log_evidence;
    size_t points; /* numbers that are functions of others: which of them have a density is a matter of order */
    long double posteriors[NODES][MAX_STATES];
    long double means[NODES], variances[NODES], covariance[NODES][NODES];
} answers;

static double draw_variance(crd_i_random *random, bool has_zeros) {
    size_t which = crd_i_random_below(random, 6);
    if (which == 0 && has_zeros) return 0;
    return which == 1 ? 1e-6 : 0.1 + crd_i_random_open(random);
}

static void add_node(mixed_mixed_part *part, crd_i_random *random, crd_context *context, size_t i, bool has_zeros) {
    char name[32];
    size_t node, discrete = 0;
    uint32_t parents[NODES];
    size_t parent_count = 0;
    crd_error error;
    const crd_text words[MAX_STATES] = {crd_text_of("a"), crd_text_of("b"), crd_text_of("c")};
    snprintf(name, sizeof name, "n%zu", i);
    if (part->is_gaussian[i]) {
        assert_done(crd_i_network_add_gaussian(part->network, crd_text_of(name), &node, &error), error);
    } else {
        size_t states = 1 + crd_i_random_below(random, MAX_STATES);
        assert_done(crd_i_network_add(part->network, crd_text_of(name), words, states, &node, &error), error);
    }
    for (size_t j = 0; j < i; j++) {
        if (part->is_gaussian[j] && !part->is_gaussian[i]) continue;
        if (crd_i_random_below(random, 5) >= 2 || (!part->is_gaussian[j] && discrete == 2)) continue;
        discrete += !part->is_gaussian[j];
        parents[parent_count++] = (uint32_t)j;
    }
    if (parent_count > 1 && crd_i_random_below(random, 2) == 0) {
        uint32_t first = parents[0];
        parents[0] = parents[parent_count - 1];
        parents[parent_count - 1] = first;
    }
    assert_done(crd_i_network_set_parents(part->network, node, parents, parent_count, &error), error);
    const crd_i_node *new_node = &part->network->nodes[node];
    double *table = crd_i_alloc(context, new_node->rows * new_node->width, sizeof *table);
    assert_non_null(table);
    for (size_t row = 0; row < new_node->rows; row++) {
        double *values = table + row * new_node->width, sum = 0;
        for (size_t j = 0; j < new_node->width; j++) {
            values[j] = part->is_gaussian[i] ? 2 * crd_i_random_normal(random) : crd_i_random_open(random);
            sum += values[j];
        }
        if (part->is_gaussian[i] && crd_i_random_below(random, 4) == 0) values[new_node->width / 2] = 0;
        if (part->is_gaussian[i]) values[new_node->width - 1] = draw_variance(random, has_zeros);
        for (size_t j = 0; !part->is_gaussian[i] && j < new_node->width; j++) values[j] /= sum;
    }
    assert_done(crd_i_network_take_table(part->network, node, table, &error), error);
}

static const double *row_of(const crd_network *network, const crd_i_node *node, const int32_t *states) {
    size_t row = 0;
    for (size_t j = 0; j < node->parent_count; j++) {
        const crd_i_node *parent = &network->nodes[node->parents[j]];
        if (parent->kind != CRD_NODE_GAUSSIAN) row = row * crd_i_node_states(parent) + (size_t)states[node->parents[j]];
    }
    return node->table + row * node->width;
}

/* A draw of all nodes, so that evidence on functions of other nodes is possible. */
static void draw_all(mixed_mixed_part *mixed_part, crd_i_random *random) {
    for (size_t i = 0; i < mixed_part->count; i++) {
        const crd_i_node *node = &mixed_part->network->nodes[i];
        const double *row = row_of(mixed_part->network, node, mixed_part->states);
        if (!mixed_part->is_gaussian[i]) {
            mixed_part->states[i] = (int32_t)crd_i_random_below(random, crd_i_node_states(node));
            continue;
        }
        double value = row[0];
        size_t column = 1;
        for (size_t j = 0; j < node->parent_count; j++)
            if (mixed_part->is_gaussian[node->parents[j]])
                value += row[column++] * mixed_part->numbers[node->parents[j]];
        mixed_part->numbers[i] = value + sqrt(row[column]) * crd_i_random_normal(random);
        mixed_part->states[i] = -1;
    }
}

static void make_mixed(mixed_mixed_part *part, crd_context *context, uint64_t seed) {
    crd_i_random random = crd_i_random_at(seed, 0);
    crd_error error;
    memset(part, 0, sizeof *part);
    part->count = 2 + seed % (NODES - 1);
    bool has_zeros = seed % 3 == 0;
    assert_done(crd_i_network_create(context, crd_text_of("mixed"), &part->network, &error), error);
    for (size_t i = 0; i < part->count; i++) part->is_gaussian[i] = crd_i_random_below(&random, 5) >= 2;
    for (size_t i = 0; i < part->count; i++) add_node(part, &random, context, i, has_zeros);
    assert_done(crd_i_network_finish(part->network, &error), error);
    draw_all(part, &random);
    for (size_t i = 0; i < part->count; i++) {
        if (crd_i_random_below(&random, 5) >= 2) continue;
        part->is_seen[i] = true;
        if (!has_zeros && seed % 7 == 0) part->numbers[i] = 40 * part->numbers[i] + 100;
        const crd_finding finding = {i, part->is_gaussian[i] ? 0 : (size_t)part->states[i], NULL, part->numbers[i]};
        part->findings[part->finding_count++] = finding;
    }
}

/* The joint distribution of the Gaussian nodes for these states, then given their evidence, one number at a time. */
static void condition(const mixed_mixed_part *mixed_part, const int32_t *states, long double *mean,
                      long double (*cov)[NODES], long double *log_density, size_t *points) {
    *log_density = 0;
    *points = 0;
    for (size_t i = 0; i < mixed_part->count; i++) {
        const crd_i_node *node = &mixed_part->network->nodes[i];
        for (size_t j = 0; j < mixed_part->count; j++) cov[i][j] = cov[j][i] = 0;
        if (!mixed_part->is_gaussian[i]) continue;
        const double *row = row_of(mixed_part->network, node, states);
        size_t column = 1;
        mean[i] = row[0];
        for (size_t p = 0; p < node->parent_count; p++) {
            uint32_t parent = node->parents[p];
            if (!mixed_part->is_gaussian[parent]) continue;
            mean[i] += row[column] * mean[parent];
            for (size_t j = 0; j < i; j++) cov[i][j] += row[column] * cov[parent][j];
            column++;
        }
        cov[i][i] = row[column];
        column = 1;
        for (size_t p = 0; p < node->parent_count; p++)
            if (mixed_part->is_gaussian[node->parents[p]]) cov[i][i] += row[column++] * cov[i][node->parents[p]];
        for (size_t j = 0; j < i; j++) cov[j][i] = cov[i][j];
    }
    long double before[NODES];
    for (size_t i = 0; i < mixed_part->count; i++) before[i] = cov[i][i];
    for (size_t e = 0; e < mixed_part->count; e++) {
        if (!mixed_part->is_gaussian[e] || !mixed_part->is_seen[e]) continue;
        long double v = cov[e][e], away = (long double)mixed_part->numbers[e] - mean[e], gains[NODES];
        if (v <= 1e-15L * (1 + before[e])) {
            ++*points;
            if (fabsl(away) > 1e-9L * (1 + fabsl(mean[e]))) *log_density = -INFINITY;
            continue;
        }
        *log_density -= (logl(2 * 3.14159265358979323846264338328L * v) + away * away / v) / 2;
        for (size_t i = 0; i < mixed_part->count; i++) gains[i] = mixed_part->is_gaussian[i] ? cov[i][e] / v : 0;
        for (size_t i = 0; i < mixed_part->count; i++) {
            if (!mixed_part->is_gaussian[i]) continue;
            mean[i] += gains[i] * away;
            for (size_t j = 0; j < mixed_part->count; j++)
                if (j != e && i != e) cov[i][j] -= gains[i] * cov[j][e];
        }
        for (size_t i = 0; i < mixed_part->count; i++) cov[i][e] = cov[e][i] = 0;
    }
}

enum { MOST_COMBINATIONS = 6561 };

typedef struct term {
    long double log_weight, mean[NODES], variance[NODES], covariance[NODES][NODES];
    int32_t states[NODES];
    size_t points;
} term;

static term terms[MOST_COMBINATIONS];

/* False: the evidence is impossible. */
static bool refer(const mixed_mixed_part *mixed_part, answers *out) {
    int32_t states[NODES] = {0};
    size_t count = 0, most_points = 0, i = 0;
    long double most = -INFINITY, total = 0;
    do {
        long double mean[NODES] = {0}, cov[NODES][NODES], log_density;
        term *one = &terms[count];
        bool agrees = true;
        one->log_weight = 0;
        for (size_t j = 0; j < mixed_part->count; j++) {
            if (mixed_part->is_gaussian[j]) continue;
            agrees = agrees && (!mixed_part->is_seen[j] || states[j] == mixed_part->states[j]);
            one->log_weight += logl(row_of(mixed_part->network, &mixed_part->network->nodes[j], states)[states[j]]);
        }
        condition(mixed_part, states, mean, cov, &log_density, &one->points);
        one->log_weight += log_density;
        for (size_t j = 0; j < mixed_part->count; j++) {
            one->mean[j] = mean[j];
            one->variance[j] = cov[j][j];
            for (size_t k = 0; k < mixed_part->count; k++) one->covariance[j][k] = cov[j][k];
            one->states[j] = states[j];
        }
        if (agrees && one->log_weight > -INFINITY) {
            if (one->points > most_points) most_points = one->points;
            count++;
        }
        for (i = 0; i < mixed_part->count; states[i++] = 0)
            if (!mixed_part->is_gaussian[i] && ++states[i] < (int32_t)crd_i_node_states(&mixed_part->network->nodes[i]))
                break;
    } while (i < mixed_part->count);
    memset(out, 0, sizeof *out);
    for (size_t t = 0; t < count; t++)
        if (terms[t].points == most_points && terms[t].log_weight > most) most = terms[t].log_weight;
    if (count == 0) return false;
    for (size_t t = 0; t < count; t++) {
        terms[t].log_weight = terms[t].points == most_points ? expl(terms[t].log_weight - most) : 0;
        total += terms[t].log_weight;
    }
    for (size_t t = 0; t < count; t++)
        for (size_t j = 0; j < mixed_part->count; j++) {
            long double w = terms[t].log_weight / total;
            if (mixed_part->is_gaussian[j]) out->means[j] += w * terms[t].mean[j];
            else out->posteriors[j][terms[t].states[j]] += w;
        }
    for (size_t t = 0; t < count; t++)
        for (size_t j = 0; j < mixed_part->count; j++) {
            long double away = terms[t].mean[j] - out->means[j];
            out->variances[j] += terms[t].log_weight / total * (terms[t].variance[j] + away * away);
            for (size_t k = 0; k < mixed_part->count; k++)
                out->covariance[j][k] += terms[t].log_weight / total *
                                         (terms[t].covariance[j][k] + away * (terms[t].mean[k] - out->means[k]));
        }
    out->log_evidence = most + logl(total);
    out->points = most_points;
    return true;
}

static void near(const char *quantity, uint64_t seed, size_t node, double got, long double wanted, long double scale) {
    if (!(fabsl(got - wanted) <= 1e-9L * scale))
        fail_msg("%s of node %zu, seed %llu: %.17g should be %.17Lg", quantity, node, (unsigned long long)seed, got,
                 wanted);
}

/* The same evidence as two cases, of which all nodes are asked. */
static void compare_case(const mixed_mixed_part *part, const answers *wanted, uint64_t seed) {
    int32_t states[2 * NODES];
    size_t all[NODES];
    double numbers[2 * NODES], posteriors[2 * NODES * MAX_STATES], logs[2], *cursor = posteriors;
    crd_error error;
    for (size_t i = 0; i < 2 * part->count; i++) {
        size_t node = i % part->count;
        all[node] = node;
        states[i] = part->is_seen[node] && !part->is_gaussian[node] ? part->states[node] : -1;
        numbers[i] = part->is_seen[node] && part->is_gaussian[node] ? part->numbers[node] : NAN;
    }
    assert_done(crd_network_case_posteriors(part->network, NETWORK_QUERY(NULL, 0, all, part->count, NULL), states,
                                            numbers, 2, posteriors, logs, &error),
                error);
    if (wanted->points == 0)
        near("log evidence", seed, 2, logs[0], wanted->log_evidence, 1 + fabsl(wanted->log_evidence));
    assert_true(logs[0] == logs[1]);
    for (size_t i = 0; i < 2 * part->count; i++) {
        size_t node = i % part->count;
        for (size_t s = 0; s < crd_i_node_states(&part->network->nodes[node]); s++)
            near("case", seed, node, *cursor++, wanted->posteriors[node][s], 1);
        if (!part->is_gaussian[node]) continue;
        long double variance = wanted->variances[node];
        near("mean of case", seed, node, *cursor++, wanted->means[node],
             1 + fabsl(wanted->means[node]) + sqrtl(fabsl(variance)));
        near("variance of case", seed, node, *cursor++, variance, 1 + variance);
    }
}

static void compare_moments(const mixed_mixed_part *part, const answers *wanted, uint64_t seed, const size_t *nodes,
                            size_t count) {
    double means[NODES], covariance[NODES * NODES];
    crd_error error;
    assert_done(crd_network_moments(part->network,
                                    NETWORK_QUERY(part->findings, part->finding_count, nodes, count, NULL), means,
                                    covariance, NULL, &error),
                error);
    for (size_t i = 0; i < count; i++) {
        long double sd = sqrtl(fabsl(wanted->variances[nodes[i]]));
        near("joint mean", seed, nodes[i], means[i], wanted->means[nodes[i]], 1 + fabsl(wanted->means[nodes[i]]) + sd);
        for (size_t j = 0; j < count; j++)
            near("covariance", seed, nodes[i], covariance[i * count + j], wanted->covariance[nodes[i]][nodes[j]],
                 1 + sd * sd + fabsl(wanted->variances[nodes[j]]));
    }
}

static void compare(const mixed_mixed_part *part, const answers *wanted, uint64_t seed) {
    size_t discrete[NODES], gaussian[NODES], discrete_count = 0, gaussian_count = 0;
    double posteriors[NODES * MAX_STATES], *cursor = posteriors;
    crd_normal_mixture *mixtures[NODES];
    crd_inference_result result = CRD_INFERENCE_RESULT_INIT;
    crd_error error;
    for (size_t i = 0; i < part->count; i++) {
        if (part->is_gaussian[i]) gaussian[gaussian_count++] = i;
        else discrete[discrete_count++] = i;
    }
    assert_done(crd_network_posteriors(
                    part->network, NETWORK_QUERY(part->findings, part->finding_count, discrete, discrete_count, NULL),
                    posteriors, NULL, &result, &error),
                error);
    if (wanted->points == 0)
        near("log evidence", seed, 0, result.log_evidence, wanted->log_evidence, 1 + fabsl(wanted->log_evidence));
    for (size_t i = 0; i < discrete_count; i++)
        for (size_t s = 0; s < crd_i_node_states(&part->network->nodes[discrete[i]]); s++)
            near("posterior", seed, discrete[i], *cursor++, wanted->posteriors[discrete[i]][s], 1);
    compare_case(part, wanted, seed);
    compare_moments(part, wanted, seed, gaussian, gaussian_count);
    for (size_t which = 0; which <= gaussian_count; which++) {
        /* All at once, then each alone. */
        size_t count = which == gaussian_count ? gaussian_count : 1;
        const size_t *targets = which == gaussian_count ? gaussian : &gaussian[which];
        assert_done(crd_network_mixtures(part->network,
                                         NETWORK_QUERY(part->findings, part->finding_count, targets, count, NULL),
                                         mixtures, &result, &error),
                    error);
        if (count > 0 && wanted->points == 0)
            near("log evidence", seed, 1, result.log_evidence, wanted->log_evidence, 1 + fabsl(wanted->log_evidence));
        for (size_t i = 0; i < count; i++) {
            size_t node = targets[i];
            long double sd = sqrtl(fabsl(wanted->variances[node]));
            near("mean", seed, node, mixtures[i]->mean, wanted->means[node], 1 + fabsl(wanted->means[node]) + sd);
            near("variance", seed, node, mixtures[i]->variance, wanted->variances[node], 1 + wanted->variances[node]);
            double total = 0;
            for (size_t c = 0; c < mixtures[i]->count; c++) total += mixtures[i]->components[c].weight;
            near("weights", seed, node, total, 1, 1);
            double median = crd_normal_mixture_quantile(mixtures[i], 0.5);
            assert_true(crd_normal_mixture_cdf(mixtures[i], median) >= 0.5 - 1e-12);
            crd_normal_mixture_destroy(mixtures[i]);
        }
    }
}

static void every_answer(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    size_t queries = 0;
    for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
        static mixed_mixed_part mixed_part;
        static answers wanted;
        make_mixed(&mixed_part, context, seed);
        if (refer(&mixed_part, &wanted)) {
            compare(&mixed_part, &wanted, seed);
            queries++;
        }
        crd_network_destroy(mixed_part.network);
    }
    assert_true(queries > NETWORKS * 9 / 10);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Draws given evidence have the exact posteriors' moments, within five standard errors. */
static void draws(void **state) {
    (void)state;
    enum { ROWS = 4000, DRAWN = 60 };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    for (uint64_t seed = 1; seed <= DRAWN; seed++) {
        static mixed_mixed_part part;
        static answers wanted;
        int32_t states[NODES];
        double numbers[NODES], sums[NODES] = {0}, squares[NODES] = {0}, shares[NODES][MAX_STATES] = {{0}};
        crd_network_sampler *sampler = NULL;
        crd_error error;
        make_mixed(&part, context, seed);
        if (refer(&part, &wanted)) {
            assert_done(
                crd_network_sampler_create(part.network, part.findings, part.finding_count, NULL, &sampler, &error),
                error);
            for (uint64_t row = 0; row < ROWS; row++) {
                assert_done(crd_network_sampler_draw(sampler, row, states, numbers, &error), error);
                for (size_t i = 0; i < part.count; i++) {
                    if (part.is_gaussian[i]) {
                        double away = numbers[i] - (double)wanted.means[i];
                        sums[i] += away / ROWS;
                        squares[i] += away * away / ROWS;
                    } else {
                        shares[i][states[i]] += 1.0 / ROWS;
                    }
                }
            }
            for (size_t i = 0; i < part.count; i++) {
                double variance = (double)wanted.variances[i], error_of_mean = 5 * sqrt(fabs(variance) / ROWS);
                double slack = 1e-9 * (1 + fabs((double)wanted.means[i]));
                if (part.is_gaussian[i]) {
                    assert_true(fabs(sums[i]) <= error_of_mean + slack);
                    assert_true(fabs(squares[i] - variance) <= 0.5 * variance + slack);
                }
                for (size_t s = 0; !part.is_gaussian[i] && s < MAX_STATES; s++) {
                    double p = (double)wanted.posteriors[i][s];
                    assert_true(fabs(shares[i][s] - p) <= 5 * sqrt(p * fabs(1 - p) / ROWS) + 1e-3);
                }
            }
        }
        crd_network_sampler_destroy(sampler);
        crd_network_destroy(part.network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer),
        cmocka_unit_test(draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
