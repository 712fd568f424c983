# What is insured, by coverage state: a table and a plot.
#
# Over REST:  API_URL=http://localhost:3000 TOKEN=svc_studio_… Rscript coverage.R
# Over SQL:   PGHOST=… PGPORT=… PGDATABASE=… PGUSER=analyst_… PGPASSWORD=… Rscript coverage.R

library(ggplot2)

# All pages of a list, by the Link header; waits as long as a 429 or 503 says.
read_list <- function(url, token) {
  pages <- list()
  while (!is.null(url)) {
    response <- httr2::request(url) |>
      httr2::req_headers(Authorization = paste("Bearer", token)) |>
      httr2::req_retry(max_tries = 20) |>
      httr2::req_perform()
    pages <- c(pages, list(httr2::resp_body_json(response, simplifyVector = TRUE)$data))
    link <- httr2::resp_header(response, "Link")
    url <- if (is.null(link)) NULL else sub('.*<(.*)>; rel="next".*', "\\1", link)
  }
  do.call(rbind, lapply(pages, function(page) page[, c("purchase_price", "reported_insured_value")]))
}

over_rest <- function(api, token) {
  states <- c("fully_covered", "under_covered", "uninsured", "value_unknown")
  frames <- lapply(states, function(state) {
    items <- read_list(paste0(api, "/v1/items?per_page=100&coverage_state=", state), token)
    cbind(coverage_state = state, items)
  })
  do.call(rbind, frames)
}

over_sql <- function() {
  connection <- DBI::dbConnect(
    RPostgreSQL::PostgreSQL(),
    host = Sys.getenv("PGHOST"), port = Sys.getenv("PGPORT"), dbname = Sys.getenv("PGDATABASE"),
    user = Sys.getenv("PGUSER"), password = Sys.getenv("PGPASSWORD")
  )
  on.exit(DBI::dbDisconnect(connection))
  DBI::dbGetQuery(connection, "
    select coverage_state, purchase_price::float8 as purchase_price, reported_insured_value::float8 as reported_insured_value
    from items where coverage_state is not null")
}

items <- if (Sys.getenv("PGHOST") != "") over_sql() else over_rest(Sys.getenv("API_URL"), Sys.getenv("TOKEN"))

table <- aggregate(cbind(items = 1, paid = purchase_price, insured = reported_insured_value) ~ coverage_state, items, sum)
cat("coverage_state,items,paid,insured\n")
cat(sprintf("%s,%d,%.2f,%.2f\n", table$coverage_state, as.integer(table$items), table$paid, table$insured), sep = "")

long <- rbind(
  data.frame(state = table$coverage_state, what = "paid", amount = table$paid),
  data.frame(state = table$coverage_state, what = "insured", amount = table$insured)
)
plot <- ggplot(long, aes(amount, state, fill = what)) +
  geom_col(position = "dodge") +
  scale_x_continuous(labels = function(amount) format(amount, big.mark = ",", scientific = FALSE, trim = TRUE)) +
  labs(title = "Paid and insured, by coverage state", x = NULL, y = NULL, fill = NULL)
ggsave("coverage.png", plot, width = 8, height = 4, dpi = 100)
