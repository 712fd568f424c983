import { altered, type Mutation } from '../mutation.ts'

const documents = `pg_get_viewdef('service.item_documents'::regclass)`
const replaceDocuments = 'create or replace view service.item_documents with (security_invoker = true) as '
const listItems = `pg_get_functiondef('api_v1.list_items'::regproc)`

export const requests: readonly Mutation[] = [
  {
    name: 'compress the pages of the console',
    tests: ['test/console/pages.test.ts'],
    patch: {
      file: 'src/http/response.ts',
      from: `  response.statusCode = status
  response.setHeader('Content-Type', type)`,
      to: `  response.statusCode = status
  if (type.startsWith('text/html')) response.setHeader('Content-Encoding', 'identity')
  response.setHeader('Content-Type', type)`,
    },
  },
  {
    name: 'send a body to a client that refuses it',
    tests: ['test/http/compression.test.ts'],
    patch: {
      file: 'src/http/compression.ts',
      from: `encoding === null || accepted.includes('identity')`,
      to: 'true',
    },
  },
  {
    name: 'skip the plan check',
    tests: ['test/rest/authority.test.ts', 'test/sql/access/open_session.test.ts'],
    sql: altered(
      `pg_get_viewdef('access.recognised_tokens'::regclass)`,
      'WHEN (plan.tier IS NULL) THEN 403',
      'WHEN false THEN 403',
      'create or replace view access.recognised_tokens with (security_invoker = true) as ',
    ),
  },
  {
    name: 'run the data query before the rate limit',
    tests: ['test/rest/rate-limit.test.ts'],
    patch: {
      file: 'src/api/operation-handler.ts',
      from: `const { retryAfterSeconds, allowances, takeBack } = await limiter.admit(token.key, remembered)`,
      to: `const early = { ...readQuestion(operation, splitTarget(request.url).query, cursors).values, id: null }
    await reading.read(
      operation,
      { digest: token.digest, question: early, cached: {}, position: null, validator: null, address: null },
    )
    const { retryAfterSeconds, allowances, takeBack } = await limiter.admit(token.key, remembered)`,
    },
  },
  {
    name: 'let the list show a detail field',
    tests: ['test/rest/items.test.ts'],
    sql: altered(
      `pg_get_functiondef('app.store_document'::regproc)`,
      'return new;',
      `new.document := replace(new.document, '"location_id"', '"coverage_state":"uninsured","location_id"');
       return new;`,
    ),
  },
  {
    name: 'leave the document of an item as it was first written',
    tests: ['test/sql/app/documents.test.ts'],
    sql: `create or replace trigger d_store_document before insert on app.items
      for each row execute function app.store_document()`,
  },
  {
    name: 'return archived items',
    tests: ['test/rest/items.test.ts', 'test/sql/api_v1/list_items.test.ts'],
    sql: altered(documents, 'WHERE', 'WHERE true or', replaceDocuments),
  },
  {
    name: 'order by updated_at alone',
    tests: ['test/sql/api_v1/ties.test.ts', 'test/sql/api_v1/list_items_ties.test.ts'],
    sql: altered(listItems, 'd.updated_at desc, d.id desc', 'd.updated_at desc'),
  },
  {
    name: 'send what is cached whatever its version',
    tests: ['test/rest/cached-answers.test.ts', 'test/api/authentication.test.ts'],
    patch: { file: 'src/api/authentication.ts', from: '&& anew.version === validator', to: '' },
  },
  {
    name: 'rely on what was said of a token whatever has been committed since',
    tests: ['test/rest/cached-answers.test.ts', 'test/sql/access/authenticate_batch.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.authenticate_batch'::regproc)`,
      'state = known_state',
      'known_state is not null',
    ),
  },
  {
    name: 'rely on what was said of a token within the second in which it ends',
    tests: ['test/sql/access/authenticate_batch.test.ts'],
    sql: altered(`pg_get_functiondef('access.authenticate_batch'::regproc)`, 't.changes_this_second is true', 'false'),
  },
  {
    name: 'take what was said of tokens in one state for what is said in another',
    tests: ['test/api/authentication.test.ts'],
    patch: { file: 'src/api/authentication.ts', from: 'known?.state !== state ||', to: 'known === undefined ||' },
  },
  {
    name: 'take any version for the one of this moment',
    tests: ['test/sql/access/open_session.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.open_session'::regproc)`,
      'answer.version = validator',
      'validator is not null',
    ),
  },
  {
    name: 'open the session of a studio whose plan is refused',
    tests: ['test/sql/access/open_session.test.ts'],
    sql: altered(`pg_get_functiondef('access.open_session'::regproc)`, 'elsif answer.status = 200 then', 'else'),
  },
  {
    name: 'use a replica’s answer whatever its version',
    tests: ['test/api/read.test.ts'],
    patch: { file: 'src/api/read.ts', from: 'version === authenticated.version &&', to: '' },
  },
  {
    name: 'query a replica for what the primary refused',
    tests: ['test/api/read.test.ts'],
    patch: {
      file: 'src/api/read.ts',
      from: 'if (authenticated.status !== 200) return authenticated\n    const { statement, values }',
      to: 'const { statement, values }',
    },
  },
  {
    name: 'give an answer to another token of the batch',
    tests: ['test/database/batch.test.ts'],
    patch: {
      file: 'src/database/batch.ts',
      from: 'of batch[index]?.waiting',
      to: 'of batch[rows.length - 1 - index]?.waiting',
    },
  },
  {
    name: 'let tokens share an authentication',
    tests: ['test/api/authentication.test.ts'],
    patch: { file: 'src/api/authentication.ts', from: "digest.toString('latin1') + address", to: 'String(address)' },
  },
  {
    name: 'leave no connection to authentication',
    tests: ['test/api/read.test.ts'],
    patch: { file: 'src/api/read.ts', from: 'primary.maxConcurrency - 1', to: 'primary.maxConcurrency' },
  },
  {
    name: 'give an answer to another request on the same connection',
    tests: ['test/database/queue.test.ts', 'test/rest/shared-connections.test.ts'],
    patch: {
      file: 'src/database/queue.ts',
      from: 'pipelined[index]?.resolve(await answer)',
      to: 'pipelined[pipelined.length - 1 - index]?.resolve(await answer)',
    },
  },
  {
    name: 'leave the studio of a list on its connection',
    tests: ['test/isolation/no-context.test.ts'],
    sql: altered(
      `pg_get_functiondef('access.open_session'::regproc)`,
      'answer.studio_id::text, true',
      'answer.studio_id::text, false',
    ),
  },
  {
    name: 'cache an item that was read in parts',
    tests: ['test/rest/cached-answers.test.ts'],
    sql: altered(`pg_get_functiondef('api_v1.get_item_in_parts'::regproc)`, 'answer.version := null;', ''),
  },
  {
    name: 'fail the whole batch when its statement failed',
    tests: ['test/database/batch.test.ts'],
    patch: {
      file: 'src/database/batch.ts',
      from: 'if (requests === 1) return fail',
      to: 'if (requests > 0) return fail',
    },
  },
  {
    name: 'send a failed batch again on all connections at once',
    tests: ['test/database/batch.test.ts'],
    patch: { file: 'src/database/batch.ts', from: 'const lanes = 2', to: 'const lanes = 1_000' },
  },
  {
    name: 'fail the statements behind one that lost their connection',
    tests: ['test/database/queue.test.ts'],
    patch: {
      file: 'src/database/statement.ts',
      from: 'if (index > 0 && isUnavailable(error)',
      to: 'if (index < 0 && isUnavailable(error)',
    },
  },
  {
    name: 'leave the day out of a version',
    tests: ['test/sql/access/open_session.test.ts'],
    sql: `set role studio_owner;
      create or replace view access.studio_versions with (security_invoker = true) as
      select s.id as studio_id,
        s.id || '/' || (select sum(d.version) from app.data_versions d where d.studio_id = s.id) as version
      from app.studios s;
      reset role`,
  },
  {
    name: 'keep the version when a policy changes',
    tests: ['test/sql/app/data_versions.test.ts'],
    sql: 'drop trigger bump_updated on app.policies',
  },
  {
    name: 'move the version in the first transaction only',
    tests: ['test/sql/app/data_versions.test.ts'],
    sql: altered(
      `pg_get_functiondef('app.add_data_version'::regproc)`,
      'd.xmin = pg_catalog.pg_current_xact_id()::pg_catalog.xid',
      'true',
    ),
  },
  {
    name: 'begin a page after a cursor of another version',
    tests: ['test/rest/cached-answers.test.ts'],
    sql: altered(
      listItems,
      'if cursor_id is not null and (cursor_version is null or cursor_version = answer.version) then',
      'if cursor_id is not null then',
    ),
  },
  {
    name: 'cache a partial answer',
    tests: ['test/rest/cached-answers.test.ts'],
    sql: altered(`pg_get_functiondef('api_v1.get_policy'::regproc)`, 'answer.version := null;', ''),
  },
  {
    name: 'give a studio what another has in the cache',
    tests: ['test/api/cache.test.ts'],
    patch: { file: 'src/api/cache.ts', from: `return \`\${studioId} \${kind}`, to: `return \`\${kind}` },
  },
  {
    name: 'trace the addresses of requests',
    tests: ['test/tracing/secrecy.test.ts'],
    patch: {
      file: 'src/http/observation.ts',
      from: 'traced?.end({ route, status',
      to: 'traced?.end({ route: request.originalUrl, status',
    },
  },
]
