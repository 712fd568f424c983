/** Described responses, isolation and lists, behind PgBouncer. */
import '../openapi/responses.test.ts'
import '../rest/isolation.test.ts'
import '../rest/updated-since.test.ts'
