# underflow.R TRAIN ROWS - prints what e1071 answers for each row, a line each: P(a),P(b).
arguments <- commandArgs(trailingOnly = TRUE)
table <- read.csv(arguments[1])
rows <- read.csv(arguments[2])
columns <- names(table) != "y"
model <- e1071::naiveBayes(table[, columns, drop = FALSE], factor(table$y))
raw <- predict(model, rows[, columns, drop = FALSE], type = "raw")
write.table(raw[, c("a", "b")], quote = FALSE, row.names = FALSE, col.names = FALSE, sep = ",")
