import { altered, type Guard, inFunction } from '../guard.ts'

const itemsPolicy = `"A studio's items are seen and written by that studio alone" on app.items`

/** Every studio's items, for a function that reads them in place of the table in a request. */
const everyItem = `create function valuation.every_item() returns setof app.items language sql stable security definer
  as $$select * from app.items where studio_id = access.current_studio_id() or session_user = 'studio_api'$$;
  grant execute on function valuation.every_item() to studio_owner;`

/** What keeps a studio's data from others. */
export const isolation: Guard[] = [
  [
    'read the items of every studio on a day',
    'report/figures',
    `${everyItem} ${inFunction('valuation.item_terms', 'app.items i_1', 'valuation.every_item() i_1')}
      ${inFunction('valuation.item_terms', 'i_1.studio_id = ( SELECT', 'not item_terms.depreciating or i_1.studio_id = ( SELECT')}`,
  ],
  [
    'list the values of every studio on a day',
    'rest/valuations',
    `${everyItem} ${inFunction('valuation.inventory', 'app.items i ON ((i.studio_id = s.id))', 'valuation.every_item() i ON true')}`,
  ],
  ['drop a policy', 'isolation/forged-settings isolation/no-context', `drop policy ${itemsPolicy}`],
  [
    'replace a policy by one that lets everything through',
    'isolation/forged-settings isolation/no-context',
    `alter policy ${itemsPolicy} using (true) with check (true)`,
  ],
  [
    'make a policy TO a role',
    'isolation/writes isolation/audit',
    `alter policy ${itemsPolicy} to studio_owner, studio_api, studio_writer, studio_analyst, studio_graphql`,
  ],
  [
    'trust the setting for every login',
    'isolation/forged-settings',
    inFunction('access.current_studio_id', `if session_user in (`, `if true or session_user in (`),
  ],
  ['drop FORCE', 'isolation/audit', 'alter table app.items no force row level security'],
  [
    'drop security_invoker',
    'isolation/forged-settings isolation/audit',
    'alter view api_v1.items set (security_invoker = false)',
  ],
  ['grant a hidden column', 'isolation/hidden-columns', 'grant select (notes) on app.policies to studio_analyst'],
  ['grant USAGE on app', 'isolation/writes isolation/hidden-columns', 'grant usage on schema app to studio_analyst'],
  [
    'give a text column statistics back',
    'isolation/explain',
    'alter table app.items alter column serial_number set statistics 100',
  ],
  [
    'compare the studio after what an analyst compares',
    'isolation/explain isolation/conditions',
    `alter policy ${itemsPolicy} using (studio_id = (select access.current_studio_id()))`,
  ],
  [
    'let a view become an arm of a UNION ALL',
    'isolation/conditions',
    altered(
      `'create or replace view api_v1.policies with (security_invoker = true) as '
      || replace(pg_get_viewdef('api_v1.policies'::regclass), '(p.studio_id', '(studio_id')`,
      `WHERE (studio_id IS NOT NULL)`,
      ``,
    ),
  ],
  [
    'let two studios have one studio_hash',
    'isolation/audit',
    'alter table app.studios drop constraint studios_studio_hash_key',
  ],
  [
    'make an index that does not lead with studio_id',
    'isolation/audit',
    'create index mutation on app.items (serial_number)',
  ],
  [
    'release a client without ending its transaction',
    'isolation/no-context database/statement',
    {
      file: 'src/database/statement.ts',
      from: 'return (await driver.query<Row>(named ? { name: name + variant, ...unnamed } : unnamed)).rows',
      to: `const client = await driver.connect()
    await client.query('begin')
    const result = await client.query<Row>(unnamed)
    client.release()
    return result.rows`,
    },
  ],
  [
    'let the list show a detail field',
    'rest/items',
    inFunction(
      'app.store_document',
      'return new;',
      `new.document := replace(new.document, '"location_id"', '"coverage_state":"uninsured","location_id"');
       return new;`,
    ),
  ],
  [
    'return archived items',
    'rest/items',
    altered(
      `pg_get_viewdef('service.item_documents'::regclass)`,
      'WHERE',
      'WHERE true or',
      'create or replace view service.item_documents with (security_invoker = true) as ',
    ),
  ],
  [
    'order by updated_at alone',
    'properties/paging',
    { file: 'src/api/list-statement.ts', from: `desc, r.id desc\``, to: `desc\`` },
  ],
  [
    'leave the studio of a list on its connection',
    'isolation/no-context',
    inFunction('access.open_session', 'answer.studio_id::text, true', 'answer.studio_id::text, false'),
  ],
  [
    'give an answer to another token of the batch',
    'auth/authentication',
    {
      file: 'src/auth/authentication.ts',
      from: 'const result = results[index]',
      to: 'const result = results[results.length - 1 - index]',
    },
  ],
  [
    'let tokens share an authentication',
    'auth/authentication',
    { file: 'src/auth/authentication.ts', from: `digest.toString('latin1') + address`, to: 'String(address)' },
  ],
  [
    'give a studio what another has in the cache',
    'api/cache',
    { file: 'src/api/cache.ts', from: `\${studioId} \${keyOf(requestKey)}`, to: `\${keyOf(requestKey)}` },
  ],
  [
    'show closed values of every studio',
    'isolation/forged-settings isolation/no-context',
    `alter policy "A studio's closed values are seen and written by that studio alone" on app.closed_values
        using (true);
      alter policy "A studio's closings are seen and written by that studio alone" on app.closings using (true)`,
  ],
  [
    'let a view of valuation read with its owner’s rights',
    'isolation/audit',
    'alter view api_v1.corrections set (security_invoker = false)',
  ],
  [
    'leave the session of the studio that was closed open',
    'sql/valuation/closing-process',
    inFunction(
      'valuation.close_month',
      `access.enter_studio(nullif(outer_studio, '')::uuid)`,
      'access.studio_today(null)',
    ),
  ],
  [
    'name people in the audit log as other studios do',
    'isolation/names-of-people',
    inFunction('console.list_audit_log', 'concerned.studio_id = l.studio_id and', ''),
  ],
  [
    "leave an analyst's transaction open on the connection",
    'graphql/isolation',
    { file: 'src/graphql/analyst-transaction.ts', from: `    await run('commit')\n`, to: '' },
  ],
  [
    'let a rule of the audit find nothing',
    'audit/rules',
    altered(
      `pg_get_viewdef('audit.wrong_owner'::regclass)`,
      `(r.rolname <> 'studio_owner'::name)`,
      'false',
      'create or replace view audit.wrong_owner with (security_invoker = true) as ',
    ),
  ],
]
