/** Every answer that is described, isolation, and lists, with reads on a replica: the tests of the service without one. */
import '../openapi/responses.test.ts'
import '../rest/isolation.test.ts'
import '../rest/updated-since.test.ts'
