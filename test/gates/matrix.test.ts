import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type Matrix, matrixAsMarkdown, readMatrix } from '../../src/audit/matrix.ts'
import { gateMessage, rewritten } from '../support/gate-message.ts'
import { asAdmin, useDatabase } from '../support/server.ts'

const database = useDatabase()
let matrix: Matrix
beforeAll(async () => {
  matrix = await readMatrix(database.adminUrl)
})

it('docs/privileges.md says who may read and write which column', async () => {
  const page = `${matrixAsMarkdown(matrix).join('\n')}\n`
  const wrong = rewritten('docs/privileges.md', 'the grants allow')
  await expect(page, wrong).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/privileges.md'))
})

it('the matrix says of every role and every column of every view and table what the server says', async () => {
  const { roles } = matrix
  const said = matrix.rows
    .filter(({ column }) => column !== '*')
    .flatMap(({ relation, column, privileges }) =>
      roles.map((role) => [role, relation, column, (privileges[role] ?? []).join(' ')].join(' ')),
    )
  const { rows } = await asAdmin(database, (admin) =>
    admin.query<{ line: string }>(
      `select concat_ws(' ', r.rolname, n.nspname || '.' || c.relname, a.attname,
         (select coalesce(string_agg(p, ' ' order by p), '') from unnest('{INSERT,REFERENCES,SELECT,UPDATE}'::text[]) p
          where has_column_privilege(r.oid, c.oid, a.attnum, p))) as line
       from pg_roles r
       cross join pg_class c
       join pg_namespace n on n.oid = c.relnamespace and n.nspowner = 'studio_owner'::regrole
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where r.rolname = any ($1) and c.relkind in ('r', 'v', 'p', 'm', 'f')`,
      [roles],
    ),
  )
  expect(roles).toHaveLength(7)
  expect(rows.length).toBeGreaterThan(2500)
  const run = 'npx vitest run test/gates/matrix.test.ts'
  const wrong = gateMessage({ wrong: 'the matrix says otherwise than PostgreSQL', edit: 'src/audit/matrix.ts', run })
  expect(said.toSorted(), wrong).toEqual(rows.map(({ line }) => line).toSorted())
})
