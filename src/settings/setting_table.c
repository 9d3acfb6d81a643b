/* SPDX-License-Identifier: MIT */
/* setting_table.c - the table of settings: name, forms with the type and bounds of their arguments, default, help.
 *
 * settings.c parses and formats settings by this table. The command line, its help and the bindings read it, too. To
 * add a setting whose value is one of several words, possibly with a number, add one row here and one case in
 * settings.c.
 *
 * Contents:
 *   1. Forms
 *   2. Settings */
#include "settings/settings_internal.h"

#include <credence/number.h>

#include <math.h>

/* ======== 1. Forms ======== */

#define WORD(word, help)                                                                                               \
    { word, NULL, NULL, CRD_SETTING_ARGUMENT_NONE, 0, 0, help }
#define NUMBER(word, letter, suffix, least, greatest, help)                                                            \
    { word, letter, suffix, CRD_SETTING_ARGUMENT_NUMBER, least, greatest, help }
#define INTEGER(word, letter, least, greatest, help)                                                                   \
    { word, letter, NULL, CRD_SETTING_ARGUMENT_INTEGER, least, greatest, help }
#define LIST(type, letter, help)                                                                                       \
    { NULL, letter, NULL, type, 0, 0, help }

static const crd_setting_form smoothing[] = {
    WORD("none", "relative frequencies"),
    NUMBER("m", "M", NULL, 0, CRD_I_MOST_STRENGTH, "m-estimate: M pseudo-counts, spread evenly over the values"),
    NUMBER("m", "M", "marginal", 0, CRD_I_MOST_STRENGTH, "M pseudo-counts, spread by the values' overall frequencies"),
    NUMBER("laplace", "L", NULL, 0, CRD_I_MOST_STRENGTH, "L pseudo-counts for each value"),
    NUMBER("bdeu", "S", NULL, 0, CRD_I_MOST_STRENGTH, "S pseudo-counts, spread evenly over a whole table"),
    WORD("k2", "laplace:1")};

static const crd_setting_form prior[] = {
    WORD("frequency", "the relative frequency of each class"),
    NUMBER("laplace", "L", NULL, 0, CRD_I_MOST_STRENGTH, "L pseudo-counts for each class"),
    WORD("uniform", "the same probability for each class"),
    LIST(CRD_SETTING_ARGUMENT_PRIORS, "CLASS=P,...",
         "specified for each class; one class may be omitted, and gets the remainder; P is 0.9, 9/10 or 90%")};

static const crd_setting_form variance[] = {WORD("mle", "maximum likelihood: divided by n"),
                                            WORD("sample", "unbiased: divided by n - 1")};

static const crd_setting_form pool_variance[] = {
    WORD("none", "a separate variance for each class and attribute"),
    WORD("classes", "one for all classes of an attribute"),
    WORD("attributes", "one variance for all numeric attributes of a class"),
    WORD("all", "one variance for all classes and attributes")};

static const crd_setting_form min_sd[] = {
    NUMBER(NULL, "S", NULL, 0, HUGE_VAL, "the minimum standard deviation of a normal density")};

static const crd_setting_form family[] = {
    LIST(CRD_SETTING_ARGUMENT_FAMILIES, "FAMILY|COL=FAMILY,...",
         "one family for all numeric columns or texts, or COL=FAMILY for single columns and *=FAMILY for the others; "
         "auto selects one for each numeric column")};

static const crd_setting_form histogram[] = {
    WORD("sturges", "equal widths by Sturges' rule"),
    WORD("scott", "equal widths by Scott's rule"),
    WORD("freedman", "equal widths by Freedman and Diaconis' rule"),
    INTEGER("width", "N", 1, 4096, "N bins of equal width"),
    INTEGER("frequency", "N", 1, 4096, "N bins of about equal frequency"),
    {"edges", "A:B:...", NULL, CRD_SETTING_ARGUMENT_NUMBERS, 2, CRD_I_MOST_EDGES,
     "bins between these ascending numbers"},
    WORD("likelihood", "bins of equal frequency, as many as maximize the likelihood")};

static const crd_setting_form bandwidth[] = {
    WORD("weka", "the range divided by the square root of n, as in Weka"), WORD("scott", "Scott's rule"),
    WORD("silverman", "Silverman's rule"),
    /* The smallest positive double: a bandwidth of zero is not valid. */
    NUMBER(NULL, "H", NULL, 0x1p-1074, HUGE_VAL, "the standard deviation of the kernel")};

static const crd_setting_form mixture[] = {
    INTEGER("bic", "MAX", 1, CRD_I_MOST_CURVES, "the number of components with the smallest BIC, at most MAX"),
    INTEGER(NULL, "K", 1, CRD_I_MOST_CURVES, "K components")};

static const crd_setting_form student[] = {
    WORD("smoothing", "M of smoothing=m:M"), WORD("likelihood", "selected by marginal likelihood"),
    NUMBER(NULL, "K", NULL, 0, CRD_I_MOST_STRENGTH, "K pseudo-counts of the whole column")};

static const crd_setting_form method[] = {
    WORD("naive", "naive Bayes: attributes are independent given the class"),
    WORD("lda", "linear discriminant analysis: a normal density of all numbers, with one covariance matrix"),
    WORD("qda", "quadratic discriminant analysis: a normal density of all numbers, with a covariance matrix per class"),
    WORD("joint", "joint densities: numbers by a multivariate normal, categories by a full table"),
    WORD("aode", "averaged one-dependence estimators"),
    WORD("pairwise", "a pairwise log-linear model with fitted weights"),
    WORD("trees", "randomized decision trees, averaged over all their prunings"),
    INTEGER("bagging", "N", 1, CRD_I_MOST_MEMBERS, "an ensemble of N bootstrap samples"),
    INTEGER("boosting", "N", 1, CRD_I_MOST_MEMBERS, "an ensemble of N boosting rounds"),
    WORD("stacking", "a stacked ensemble of several methods"),
    WORD("network", "a Bayesian network"),
    WORD("tan", "tree-augmented naive Bayes: a network in which each attribute has the class and at most one other "
                "attribute as parents"),
    INTEGER("kdb", "K", 0, CRD_I_MOST_DEPENDENCE,
            "k-dependence Bayes: each attribute has the class and up to K others as parents"),
    WORD("sequence", "a hidden Markov model of sequences of rows")};

static const crd_setting_form joint[] = {
    WORD("none", "each attribute separately"), WORD("all", "numbers in one block, categories in another"),
    WORD("numbers", "all numeric attributes in one block"), WORD("categories", "all categories in one block"),
    LIST(CRD_SETTING_ARGUMENT_COLUMNS, "COL,COL,...[;COL,COL,...]", "blocks of columns, by name")};

static const crd_setting_form covariance[] = {
    WORD("auto", "selected by held-out likelihood; for sequences full:0"),
    WORD("full", "a covariance matrix for each class (QDA), shrinkage by held-out likelihood"),
    NUMBER("full", "S", NULL, 0, 1, "a covariance matrix for each class (QDA), shrunk by S"),
    WORD("tied", "one covariance matrix for all classes (LDA), shrinkage by held-out likelihood"),
    NUMBER("tied", "S", NULL, 0, 1, "one covariance matrix for all classes (LDA), shrunk by S"),
    WORD("diag", "no covariances")};

static const crd_setting_form joint_mixture[] = {
    WORD("none", "one normal density in each class"),
    WORD("auto", "a mixture of normals in each class, with the number selected on held-out rows"),
    INTEGER(NULL, "K", 1, CRD_I_MOST_CURVES, "a mixture of K normals in each class")};

static const crd_setting_form attribute_weights[] = {
    WORD("none", "all 1: plain naive Bayes"), WORD("fitted", "maximum conditional likelihood with a ridge penalty")};

static const crd_setting_form calibration[] = {
    WORD("none", "probabilities as computed, without calibration"),
    WORD("isotonic", "isotonic regression for each class"), WORD("platt", "Platt scaling of the log probabilities"),
    WORD("known-words", "for texts: each word not seen in training cancels a known word")};

static const crd_setting_form search[] = {
    WORD("none", "no search: the arcs are specified"),
    WORD("hill-climb", "greedy hill climbing for the best score"),
    WORD("tabu", "tabu search for the best score"),
    WORD("pc", "PC-stable: tests of conditional independence"),
    WORD("exact", "the best score among all structures, for up to about 25 nodes"),
    WORD("chow-liu", "the tree with maximum mutual information"),
    WORD("tan", "tree-augmented naive Bayes"),
    INTEGER("kdb", "K", 0, CRD_I_MOST_DEPENDENCE, "k-dependence Bayes")};

static const crd_setting_form arcs[] = {
    WORD("none", "arcs from the target to every category"),
    LIST(CRD_SETTING_ARGUMENT_ARCS, "A->B,C->B,D,...", "arcs from parents to children, and nodes without arcs")};

static const crd_setting_form estimator[] = {
    WORD("counts", "relative frequencies: a row counts for a node if the node and all its parents have values"),
    WORD("em", "EM: maximum likelihood or posterior, using all values of incomplete rows"),
    WORD("gradient", "gradient ascent on the same objective")};

static const crd_setting_form em_starts[] = {
    WORD("auto", "1 for tables without latent nodes, 10 with latent nodes or hidden states, 20 for hidden states of "
                 "categories"),
    INTEGER(NULL, "N", 1, 1000, "N starts from different points")};

static const crd_setting_form latent_nodes[] = {
    WORD("none", "every node is a column"),
    LIST(CRD_SETTING_ARGUMENT_LATENT_NODES, "NAME:K,...", "nodes that are not columns, with K states each")};

static const crd_setting_form iterations[] = {
    INTEGER(NULL, "N", 1, 1000000, "maximum number of steps of EM or gradient ascent")};

static const crd_setting_form tolerance[] = {NUMBER(NULL, "T", NULL, 0, 1, "gain relative to the log-likelihood")};

static const crd_setting_form score[] = {
    WORD("bic", "log-likelihood minus log(n) / 2 for each parameter"),
    WORD("aic", "log-likelihood minus 1 for each parameter"),
    /* The smallest positive double. */
    NUMBER("bdeu", "S", NULL, 0x1p-1074, CRD_I_MOST_STRENGTH,
           "Bayesian Dirichlet: marginal likelihood with S pseudo-counts, spread evenly over each table"),
    WORD("k2", "marginal likelihood with one pseudo-count for each state"), WORD("loglik", "log-likelihood"),
    WORD("bge", "Bayesian Gaussian equivalent, for numbers"),
    NUMBER("bge", "S", NULL, 0x1p-1074, CRD_I_MOST_STRENGTH,
           "Bayesian Gaussian equivalent with S pseudo-rows for the means (default 1)")};

static const crd_setting_form ci_test[] = {
    WORD("auto", "g2 for categories, z for numbers"), WORD("g2", "likelihood ratio, against chi-squared"),
    WORD("x2", "Pearson's chi-squared"), WORD("z", "Fisher's z of partial correlations")};

static const crd_setting_form alpha[] = {NUMBER(NULL, "P", NULL, 0, 1, "the significance level")};

static const crd_setting_form transition_list[] = {
    WORD("none", "none"),
    LIST(CRD_SETTING_ARGUMENT_ARCS, "A->B,...", "transitions between states, also start->A and A->end")};

static const crd_setting_form constraint[] = {
    WORD("none", "none"), LIST(CRD_SETTING_ARGUMENT_ARCS, "A->B,...", "arcs from parents to children")};

static const crd_setting_form tiers[] = {
    WORD("none", "any column may precede any other"),
    LIST(CRD_SETTING_ARGUMENT_COLUMNS, "COL,...;COL,...", "no arc leads from a later tier to an earlier tier")};

static const crd_setting_form max_parents[] = {
    WORD("none", "no limit"), INTEGER(NULL, "N", 1, 1000000, "the maximum number of parents of a node")};

static const crd_setting_form max_conditioning[] = {
    INTEGER(NULL, "N", 0, 1000000, "the maximum number of columns that a test conditions on"),
    WORD("none", "no limit")};

static const crd_setting_form restarts[] = {
    WORD("auto", "10 to 30 for up to 500 nodes, fewer for more nodes"),
    INTEGER(NULL, "N", 0, 1000000, "number of climbs after the first, from perturbed and random networks")};

static const crd_setting_form states[] = {WORD("auto", "the number selected by the training criterion"),
                                          INTEGER(NULL, "K", 1, CRD_I_MOST_HIDDEN_STATES, "K hidden states")};

static const crd_setting_form order[] = {
    INTEGER(NULL, "N", 1, CRD_I_MOST_ORDER, "number of states on which the next state depends")};

static const crd_setting_form topology[] = {
    WORD("ergodic", "any state can follow any other"),
    WORD("left-to-right", "sequences begin in the first state, and a state is never followed by an earlier state"),
    INTEGER("left-to-right", "SKIP", 0, CRD_I_MOST_HIDDEN_STATES, "left-to-right, with at most SKIP states skipped")};

static const crd_setting_form end_probabilities[] = {WORD("no", "sequences can end in any state"),
                                                     WORD("yes", "each state has an end probability")};

static const crd_setting_form transitions[] = {
    WORD("auto", "as the setting smoothing for order 1, interpolated for higher orders"),
    WORD("smoothing", "as the setting smoothing"),
    WORD("none", "relative frequencies"),
    NUMBER("m", "M", NULL, 0, CRD_I_MOST_STRENGTH, "m-estimate: M pseudo-counts, spread evenly over the next states"),
    NUMBER("laplace", "L", NULL, 0, CRD_I_MOST_STRENGTH, "L pseudo-counts for each next state"),
    WORD("interpolated", "deleted interpolation of the frequencies after 0 to N states")};

static const crd_setting_form state_mixture[] = {
    INTEGER(NULL, "K", 1, CRD_I_MOST_COMPONENTS, "number of mixture components of each state")};

static const crd_setting_form unseen_words[] = {
    WORD("auto", "by suffix and shape if a column looks like words"), WORD("none", "ignored in the probability"),
    INTEGER("suffix", "N", 1, CRD_I_MOST_SUFFIX, "by suffixes of up to N letters and by shape")};

static const crd_setting_form term_smoothing[] = {
    WORD("auto", "multinomial: estimated from the spread of terms over the classes; complement 1, others 0.1"),
    NUMBER(NULL, "A", NULL, CRD_I_LEAST_TERM_SMOOTHING, CRD_I_MOST_STRENGTH, "A pseudo-counts for each term")};

static const crd_setting_form tf[] = {WORD("count", "x, the number of occurrences in the text"),
                                      WORD("log", "1 + log x"), WORD("binary", "1 for each term in the text")};

static const crd_setting_form length_normalization[] = {
    WORD("none", "every occurrence of a term counts fully"),
    WORD("root", "scaled so that the term counts sum to the square root of the length"),
    WORD("unit", "scaled so that the squared term counts sum to 1"),
    /* The smallest positive double: a length of zero would mean no evidence. */
    NUMBER(NULL, "N", NULL, 0x1p-1074, CRD_I_MOST_STRENGTH, "scaled so that the term counts sum to at most N")};

static const crd_setting_form complement_weights[] = {
    WORD("normalized", "divided by the sum of the absolute weights of the class"),
    WORD("plain", "logarithms of probabilities in the other classes")};

static const crd_setting_form min_df[] = {
    NUMBER(NULL, "N", NULL, 0, CRD_I_MOST_STRENGTH, "number of texts with the term; below 1, the fraction of texts")};

static const crd_setting_form max_df[] = {WORD("all", "any number of texts"),
                                          NUMBER(NULL, "N", NULL, 0x1p-1074, CRD_I_MOST_STRENGTH,
                                                 "number of texts with the term; below 1, the fraction of texts")};

static const crd_setting_form stop_words[] = {
    WORD("none", "every term counts"),
    WORD("auto", "frequent terms, in a tenth of the texts, with almost no information about the class"),
    LIST(CRD_SETTING_ARGUMENT_WORDS, "WORD,...", "these words")};

static const crd_setting_form max_terms[] = {
    WORD("all", "every term"), INTEGER(NULL, "N", 1, 1e15, "the N terms with the most information about the class")};
static const crd_setting_form tokens[] = {
    WORD("words", "words by the rules of Unicode (UAX #29) with at least one letter or digit"),
    WORD("whitespace", "tokens separated by whitespace"), WORD("characters", "single characters")};

static const crd_setting_form letter_case[] = {WORD("fold", "case-insensitive, by Unicode's case folding"),
                                               WORD("keep", "case-sensitive")};

static const crd_setting_form stem[] = {
    WORD("none", "words without stemming"),
    {NULL, "LANGUAGE", NULL, CRD_SETTING_ARGUMENT_LANGUAGE, 0, 0, "stems by the rules of Snowball, such as english"}};

static const crd_setting_form ngrams[] = {{NULL, "N|N-M", NULL, CRD_SETTING_ARGUMENT_RANGE, 1, CRD_I_MOST_NGRAM,
                                           "N, or N to M, successive words or characters"}};

static const crd_setting_form sparse_bigrams[] = {
    INTEGER(NULL, "N", 0, CRD_I_MOST_SPARSE, "pairs of words at most N apart, with a separate term for each distance")};

static const crd_setting_form hash[] = {
    WORD("none", "terms without hashing"),
    INTEGER(NULL, "BITS", CRD_I_LEAST_HASH_BITS, CRD_I_MOST_HASH_BITS, "2^BITS buckets of terms")};

/* ======== 2. Settings ======== */

#define FORMS(forms) forms, sizeof forms / sizeof *forms

static const crd_setting table[CRD_I_SETTING_COUNT] = {
    {"smoothing", "none|m:M|m:M:marginal|laplace:L|bdeu:S|k2", "m:1",
     "additive smoothing: M pseudo-counts (m-estimate) spread over the values evenly or by overall frequency, L for "
     "each value (Laplace), or S over a whole table (BDeu); k2 is laplace:1; M also shrinks the mean and variance of a "
     "number towards the mean and variance of its whole column",
     FORMS(smoothing), "tables"},
    {"prior", "frequency|laplace:L|uniform|CLASS=P,...", "frequency",
     "prior probability of each class; P is 0.9, 9/10 or 90%", FORMS(prior), "tables"},
    {"variance", "mle|sample", "mle", "variance divided by n (maximum likelihood) or by n - 1 (sample)",
     FORMS(variance), "tables"},
    {"pool-variance", "none|classes|attributes|all", "none",
     "pooled variance: one for all classes, for all numeric attributes, or for both", FORMS(pool_variance), "tables"},
    {"min-sd", "S", "0", "lower bound of standard deviations", FORMS(min_sd), "tables"},
    {"family", "FAMILY|COL=FAMILY,...", "gaussian",
     "family of densities for numeric columns and texts: one family for all, or COL=FAMILY for single columns and "
     "*=FAMILY for the others; auto selects a family for each numeric column by held-out likelihood of the classes",
     FORMS(family), "tables"},
    {"histogram", "sturges|scott|freedman|width:N|frequency:N|edges:A:B:...|likelihood", "sturges",
     "bins of the family histogram: equal widths by rule, N of equal width or frequency, given edges, or equal "
     "frequency with as many bins as maximize the likelihood",
     FORMS(histogram), "tables"},
    {"bandwidth", "weka|scott|silverman|H", "weka", "kernel bandwidth of the family kernel: by rule, or a number",
     FORMS(bandwidth), "tables"},
    {"mixture", "bic:MAX|K", "bic:3",
     "number of normal components of the family mixture: K, or the number with the smallest BIC, up to MAX",
     FORMS(mixture), "tables"},
    {"student", "smoothing|likelihood|K", "smoothing",
     "pseudo-counts of the whole column in the family student: M of smoothing=m:M, by marginal likelihood, or K",
     FORMS(student), "tables"},
    {"method", "auto|naive|lda|qda|joint|aode|pairwise|trees|bagging:N|boosting:N|stacking|network|tan|kdb:K|sequence",
     "naive",
     "classifier: auto (compare methods and use the best), naive Bayes, linear or quadratic discriminant analysis "
     "(lda, "
     "qda), joint densities, AODE, pairwise log-linear model, averaged decision trees, bagging or boosting of N "
     "models, stacked ensemble, "
     "Bayesian network, tree-augmented naive Bayes (tan), k-dependence Bayes, or hidden Markov model of sequences",
     FORMS(method), "tables"},
    {"joint", "none|all|numbers|categories|COL,COL,...[;COL,COL,...]", "none",
     "columns with a joint density given the class: all columns of a type, or blocks of named columns", FORMS(joint),
     "tables"},
    {"covariance", "auto|full|full:S|tied|tied:S|diag", "auto",
     "multivariate normal density of joint numbers: a covariance matrix for each class (full, QDA), one for all "
     "classes (tied, LDA) or none (diag), with shrinkage S",
     FORMS(covariance), "tables"},
    {"joint-mixture", "none|auto|K", "none", "a mixture of K normals, instead of one, as density of joint numbers",
     FORMS(joint_mixture), "tables"},
    {"attribute-weights", "none|fitted", "none",
     "attribute weights (weighted naive Bayes), fitted to held-out rows by maximum conditional likelihood",
     FORMS(attribute_weights), "fit"},
    {"calibration", "none|isotonic|platt|known-words", "none",
     "calibration of probabilities, fitted to held-out rows, or based on the words of a text that occurred in training",
     FORMS(calibration), "fit"},
    {"search", "none|hill-climb|tabu|pc|exact|chow-liu|tan|kdb:K", "none",
     "search that learns the arcs of a Bayesian network; it replaces the setting arcs", FORMS(search), "network"},
    {"arcs", "none|A->B,C->B,D,...", "none",
     "arcs of a Bayesian network, from parent to child, and nodes without arcs; none: from the target to every "
     "category",
     FORMS(arcs), "network"},
    {"estimator", "counts|em|gradient", "counts",
     "estimator of the tables of a network from rows with missing values: counts of complete families, EM, or gradient "
     "ascent on the likelihood; with smoothing the posterior is maximized (MAP)",
     FORMS(estimator), "network"},
    {"em-starts", "auto|N", "auto",
     "number of starts of the estimators em and gradient, and of EM over latent classes and sequences",
     FORMS(em_starts), "fit"},
    {"latent-nodes", "none|NAME:K,...", "none",
     "nodes of a network that are not columns, with K states each, fitted by the estimator em or gradient",
     FORMS(latent_nodes), "network"},
    {"iterations", "N", "1000", "maximum number of steps of the estimators em and gradient, and of EM over sequences",
     FORMS(iterations), "fit"},
    {"tolerance", "T", "1e-07",
     "minimum gain relative to the log-likelihood; with a smaller gain, the estimators em and gradient stop, and EM "
     "over sequences",
     FORMS(tolerance), "fit"},
    {"score", "bic|aic|bdeu:S|k2|loglik|bge|bge:S", "bic",
     "score of a network that hill-climb, tabu and exact maximize", FORMS(score), "network"},
    {"ci-test", "auto|g2|x2|z", "auto", "test of conditional independence for the search pc", FORMS(ci_test),
     "network"},
    {"alpha", "P", "0.05", "significance level of the tests of the search pc", FORMS(alpha), "network"},
    {"required-arcs", "none|A->B,...", "none", "arcs that a search must include", FORMS(constraint), "network"},
    {"forbidden-arcs", "none|A->B,...", "none", "arcs that a search must exclude", FORMS(constraint), "network"},
    {"tiers", "none|COL,...;COL,...", "none",
     "columns in causal order: a search adds no arc from a later tier to an earlier tier", FORMS(tiers), "network"},
    {"max-parents", "none|N", "none", "maximum number of parents of a node in a search", FORMS(max_parents), "network"},
    {"max-conditioning", "N|none", "3", "maximum number of columns that a test of the search pc conditions on",
     FORMS(max_conditioning), "network"},
    {"restarts", "auto|N", "auto",
     "number of climbs of the searches hill-climb and tabu after the first, from changed networks", FORMS(restarts),
     "network"},
    {"states", "auto|K", "auto",
     "number of hidden states of a sequence model; with a target, of the model of each class of whole sequences; auto: "
     "by BIC",
     FORMS(states), "sequence"},
    {"order", "N", "1",
     "order of the Markov chain of states, 1 to 3: the number of states on which the next state depends", FORMS(order),
     "sequence"},
    {"topology", "ergodic|left-to-right|left-to-right:SKIP", "ergodic",
     "allowed state transitions of a sequence: any, or no transition to an earlier state, in the order of the state "
     "names, with at most SKIP states skipped",
     FORMS(topology), "sequence"},
    {"forbidden-transitions", "none|A->B,...", "none",
     "impossible transitions between the states of a sequence, also start->A and A->end", FORMS(transition_list),
     "sequence"},
    {"end-probabilities", "no|yes", "no", "whether each state of a sequence has an end probability",
     FORMS(end_probabilities), "sequence"},
    {"transitions", "auto|smoothing|none|m:M|laplace:L|interpolated", "auto",
     "start, transition and end probabilities of sequences, estimated from counts: smoothed (auto: as smoothing), or "
     "interpolated between orders (auto for orders 2 and 3 of labeled states)",
     FORMS(transitions), "sequence"},
    {"state-mixture", "K", "1", "number of mixture components in the density of each hidden state",
     FORMS(state_mixture), "sequence"},
    {"unseen-words", "auto|none|suffix:N", "auto",
     "values of a categorical column in sequences that did not occur in training: by the suffixes and shapes of rare "
     "words, or ignored",
     FORMS(unseen_words), "sequence"},
    {"term-smoothing", "auto|A", "auto",
     "smoothing of texts: A pseudo-counts for each term in each class, for words-dirichlet A texts with only that "
     "term; auto: for the family multinomial estimated from the spread of terms over the classes (empirical Bayes)",
     FORMS(term_smoothing), "text"},
    {"tf", "count|log|binary", "log",
     "count of a term with x occurrences in the families multinomial and complement: x, 1 + log x, or 1", FORMS(tf),
     "text"},
    {"length-normalization", "none|root|unit|N", "20",
     "length transform: the log-likelihood of a text is scaled as if its term counts summed to at most N or to the "
     "square root of the length (root), or their squares to 1 (unit)",
     FORMS(length_normalization), "text"},
    {"complement-weights", "normalized|plain", "normalized",
     "weights of the family complement: divided by the sum of their absolute values in the class, or plain",
     FORMS(complement_weights), "text"},
    {"min-df", "N", "1", "minimum number of texts with a term, or their fraction below 1; rarer terms are ignored",
     FORMS(min_df), "text"},
    {"max-df", "all|N", "all",
     "maximum number of texts with a term, or their fraction below 1; more frequent terms are ignored", FORMS(max_df),
     "text"},
    {"stop-words", "none|auto|WORD,...", "none",
     "ignored words: the listed words, or frequent terms, in a tenth of the texts, with almost no information about "
     "the class (auto)",
     FORMS(stop_words), "text"},
    {"max-terms", "all|N", "all",
     "terms to use: all, or the N most informative terms (by the mutual information of their presence with the class)",
     FORMS(max_terms), "text"},
    {"tokens", "words|whitespace|characters", "words",
     "tokens of texts: words by the rules of Unicode, tokens separated by whitespace, or characters; fixed at training",
     FORMS(tokens), "text"},
    {"letter-case", "fold|keep", "fold", "whether texts are case-sensitive; fixed at training", FORMS(letter_case),
     "text"},
    {"stem", "none|LANGUAGE", "none", "stemming of the words of texts by the rules of Snowball; fixed at training",
     FORMS(stem), "text"},
    {"ngrams", "N|N-M", "1",
     "n-grams: terms of N, or of N to M, successive words (characters if tokens is characters); fixed at training",
     FORMS(ngrams), "text"},
    {"sparse-bigrams", "N", "0",
     "additional terms: pairs of words at most N apart, with a separate term for each distance; fixed at "
     "training",
     FORMS(sparse_bigrams), "text"},
    {"hash", "none|BITS", "none",
     "hashes the terms of texts into 2^BITS buckets, which bounds memory; fixed at training", FORMS(hash), "text"},
};

size_t crd_setting_count(void) {
    return CRD_I_SETTING_COUNT;
}

const crd_setting *crd_setting_at(size_t index) {
    return index < CRD_I_SETTING_COUNT ? &table[index] : NULL;
}
