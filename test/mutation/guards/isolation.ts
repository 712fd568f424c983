import { altered, guardsOf, inFile, inFunction, viewAs } from '../guard.ts'

const itemsPolicy = `"A studio's items are seen and written by that studio alone" on app.items`

/** This function reads every studio's items. A request uses it in place of the table. */
const everyItem = `create function valuation.every_item() returns setof app.items language sql stable security definer
  as $$select * from app.items where studio_id = access.current_studio_id() or session_user = 'studio_api'$$;
  grant execute on function valuation.every_item() to studio_owner;`

/** These guards keep a studio's data from others. */
export const isolation = guardsOf({
  'report/figures': {
    'read the items of every studio on a day': `${everyItem}
      ${inFunction('valuation.item_terms', 'app.items i_1', 'valuation.every_item() i_1')}
      ${inFunction('valuation.item_terms', 'i_1.studio_id = ( SELECT', 'not item_terms.depreciating or i_1.studio_id = ( SELECT')}`,
  },
  'rest/valuations': {
    'list the values of every studio on a day': `${everyItem}
      ${inFunction('valuation.inventory', 'app.items i ON ((i.studio_id = s.id))', 'valuation.every_item() i ON true')}`,
  },
  'isolation/forged-settings isolation/no-context': {
    'drop a policy': `drop policy ${itemsPolicy}`,
    'replace a policy by one that lets everything through': `alter policy ${itemsPolicy} using (true) with check (true)`,
    'show closed values of every studio': `
      alter policy "A studio's closed values are seen and written by that studio alone" on app.closed_values using (true);
      alter policy "A studio's closings are seen and written by that studio alone" on app.closings using (true)`,
  },
  'isolation/writes isolation/audit': {
    'make a policy TO a role': `
      alter policy ${itemsPolicy} to studio_owner, studio_api, studio_writer, studio_analyst, studio_graphql`,
  },
  'isolation/forged-settings': {
    'trust the setting for every login':
      'access.current_studio_id: if session_user in ( → if true or session_user in (',
  },
  'isolation/audit': {
    'drop FORCE': 'alter table app.items no force row level security',
    'let two studios have one studio_hash': 'alter table app.studios drop constraint studios_studio_hash_key',
    'make an index that does not lead with studio_id': 'create index mutation on app.items (serial_number)',
    'let a view of valuation read with its owner’s rights':
      'alter view api_v1.corrections set (security_invoker = false)',
  },
  'isolation/forged-settings isolation/audit': {
    'drop security_invoker': 'alter view api_v1.items set (security_invoker = false)',
  },
  'isolation/hidden-columns': {
    'grant a hidden column': 'grant select (notes) on app.policies to studio_analyst',
  },
  'isolation/writes isolation/hidden-columns': {
    'grant USAGE on app': 'grant usage on schema app to studio_analyst',
  },
  'isolation/explain': {
    'give a text column statistics back': 'alter table app.items alter column serial_number set statistics 100',
  },
  'isolation/explain isolation/conditions': {
    'compare the studio after what an analyst compares': `
      alter policy ${itemsPolicy} using (studio_id = (select access.current_studio_id()))`,
  },
  'isolation/conditions': {
    'let a view become an arm of a UNION ALL': altered(
      viewAs('api_v1.policies', `replace(pg_get_viewdef('api_v1.policies'::regclass), '(p.studio_id', '(studio_id')`),
      'WHERE (studio_id IS NOT NULL)',
      '',
    ),
  },
  'isolation/no-context database/statement': {
    'release a client without ending its transaction': inFile(
      'src/database/statement.ts',
      'return (await driver.query<Row>(named ? { name: name + variant, ...unnamed } : unnamed)).rows',
      `const client = await driver.connect()
    await client.query('begin')
    const result = await client.query<Row>(unnamed)
    client.release()
    return result.rows`,
    ),
  },
  'rest/items': {
    'let the list show a detail field': inFunction(
      'app.store_document',
      'return new;',
      `new.document := replace(new.document, '"location_id"', '"coverage_state":"uninsured","location_id"');
       return new;`,
    ),
    'return archived items': 'view service.item_documents: WHERE → WHERE true or',
  },
  'rest/walks': {
    'order by updated_at alone': inFile('src/api/list-statement.ts', `\${direction}, r.id \${way}`, `\${direction}`),
  },
  'isolation/no-context': {
    'leave the studio of a list on its connection':
      'access.open_session: answer.studio_id::text, true → answer.studio_id::text, false',
  },
  'auth/authentication': {
    'give an answer to another token of the batch':
      'src/auth/authentication.ts: const result = results[index] → const result = results[results.length - 1 - index]',
    'let tokens share an authentication':
      "src/auth/authentication.ts: digest.toString('latin1') + address → String(address)",
  },
  'api/cache': {
    'give a studio what another has in the cache': inFile(
      'src/api/cache.ts',
      `\${studioId} \${cacheKeyOf(requestKey)}`,
      `\${cacheKeyOf(requestKey)}`,
    ),
  },
  'sql/valuation/closing': {
    'leave the session of the studio that was closed open':
      "valuation.close_month: access.enter_studio(nullif(outer_studio, '')::uuid) → access.studio_today(null)",
  },
  'isolation/names-of-people': {
    'name people in the audit log as other studios do':
      'console.list_audit_log: concerned.studio_id = l.studio_id and →',
  },
  'graphql/isolation': {
    "leave an analyst's transaction open on the connection":
      "src/graphql/analyst-transaction.ts:     await run('commit')\n →",
  },
  'audit/rules': {
    'let a rule of the audit find nothing': "view audit.wrong_owner: (r.rolname <> 'studio_owner'::name) → false",
  },
})
