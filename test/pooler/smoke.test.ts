/** Every answer that is described, isolation, and lists, behind PgBouncer: the tests of the service without it. */
import '../openapi/responses.test.ts'
import '../rest/isolation.test.ts'
import '../rest/updated-since.test.ts'
