/** Described responses, isolation and lists, with reads on a replica. */
import '../openapi/responses.test.ts'
import '../rest/isolation.test.ts'
import '../rest/updated-since.test.ts'
