# The peers that run in R. Run by bench/speed/run, each in a process of its own:
#
#   peers.R WAY FILE         learns from a table, and prints a number that shows that it did, as peers.py does
#   peers.R serve FILE       an array in memory: turns that are timed from inside, as serve.h says
#   peers.R keep FILE MODEL  learns from a table of numbers, and keeps the model
#   peers.R ask MODEL FILE   the posteriors of the rows of a file, from a model that was kept
arguments <- commandArgs(trailingOnly = TRUE)
columns <- 20 # of the array in memory

show <- function(number) cat(format(number, digits = 17), "\n")

read <- function(path, ...) {
  data.table::setDTthreads(0) # by default it takes half of the processors
  data.table::fread(path, showProgress = FALSE, ...)
}

# e1071 divides squared deviations by n - 1.
variance <- function(model, rows) as.numeric(model$tables[[1]][1, 2]^2 * (rows - 1) / rows)

squares <- function(counts) sum(as.numeric(counts)^2)

learn <- function(table) {
  data.table::setDF(table)
  target <- factor(table$class)
  table$class <- NULL
  e1071::naiveBayes(table, target)
}

ways <- list(
  gaussian_e1071 = function(path) {
    model <- learn(read(path))
    variance(model, model$apriori[[1]])
  },
  # means and variances of a group are computed by data.table's own optimized code in this form
  statistics_datatable = function(path) {
    table <- read(path)
    rows <- table[, .N, keyby = class]$N[1]
    numbers <- setdiff(names(table), "class")
    means <- table[, lapply(.SD, mean), keyby = class, .SDcols = numbers]
    variances <- table[, lapply(.SD, var), keyby = class, .SDcols = numbers]
    stopifnot(nrow(means) == nrow(variances))
    variances[[2]][1] * (rows - 1) / rows
  },
  # e1071 keeps shares; counts are shares times rows
  categorical_e1071 = function(path) {
    model <- learn(read(path, stringsAsFactors = TRUE))
    squares(round(model$tables[[5]] * as.vector(model$apriori)))
  },
  counts_datatable = function(path) {
    table <- read(path, stringsAsFactors = TRUE)
    counts <- lapply(setdiff(names(table), "class"), function(name) table[, .N, by = c("class", name)])
    squares(counts[[5]]$N)
  },
  mixed_e1071 = function(path) {
    table <- read(path, stringsAsFactors = TRUE, na.strings = "")
    rows <- sum(table$class == "extreme" & !is.na(table$x1))
    variance(learn(table), rows)
  },
  mixed_datatable = function(path) {
    table <- read(path, stringsAsFactors = TRUE, na.strings = "")
    is_number <- vapply(table, is.numeric, TRUE)
    numbers <- names(table)[is_number]
    rows <- sum(table$class == "extreme" & !is.na(table$x1))
    means <- table[, lapply(.SD, mean, na.rm = TRUE), keyby = class, .SDcols = numbers]
    variances <- table[, lapply(.SD, var, na.rm = TRUE), keyby = class, .SDcols = numbers]
    counts <- lapply(setdiff(names(table)[!is_number], "class"), function(name) table[, .N, by = c("class", name)])
    stopifnot(nrow(means) == nrow(variances), length(counts) > 0)
    variances[class == "extreme", x1] * (rows - 1) / rows
  }
)

serve <- function(path) {
  data.table::setDTthreads(0)
  file <- file(path, "rb")
  rows <- file.size(path) / (8 * columns + 4)
  numbers <- matrix(readBin(file, "double", rows * columns), ncol = columns, byrow = TRUE)
  target <- readBin(file, "integer", rows)
  close(file)
  table <- data.table::as.data.table(numbers)
  rm(numbers)
  invisible(gc())
  table[, class := target]
  names <- setdiff(names(table), "class")
  turns <- list(
    fit = function() {
      means <- table[, lapply(.SD, mean), keyby = class, .SDcols = names]
      variances <- table[, lapply(.SD, var), keyby = class, .SDcols = names]
      rows <- table[, .N, keyby = class]$N[1]
      stopifnot(nrow(means) == nrow(variances))
      variances[[2]][1] * (rows - 1) / rows
    }
  )
  input <- file("stdin", "r")
  cat("ready\n")
  while (length(line <- readLines(input, 1)) > 0) {
    turn <- turns[[strsplit(line, " ")[[1]][1]]]
    before <- proc.time()[["elapsed"]]
    check <- turn()
    cat(proc.time()[["elapsed"]] - before, format(check, digits = 17), "\n")
    flush(stdout())
  }
}

if (arguments[1] == "serve") {
  serve(arguments[2])
} else if (arguments[1] == "keep") {
  saveRDS(learn(read(arguments[2])), arguments[3], compress = FALSE)
} else if (arguments[1] == "ask") {
  table <- read.csv(arguments[3])
  requireNamespace("e1071", quietly = TRUE)
  print(predict(readRDS(arguments[2]), table, type = "raw"))
} else {
  show(ways[[arguments[1]]](arguments[2]))
}
