import { asAuditor, requireViews } from './findings.ts'
import { type Installed, install, type NotInstalled } from './scratch.ts'

/** A column, or a relation (`*`), and what each role may do with it. */
type MatrixRow = { relation: string; column: string; privileges: Record<string, string[]> }

/** `unseen`: why the audit's views were not compared with this release's first. */
export type Matrix = { roles: string[]; rows: MatrixRow[]; unseen?: string }

/** Reads each role's rights on every column, as an auditor. `installing` returns what to compare
 * with.
 * @throws ViewsNotInstalled, or what the database throws */
export async function readMatrix(
  url: string,
  installing: () => Promise<Installed | NotInstalled> = () => install(url),
): Promise<Matrix> {
  const installed = await installing()
  return asAuditor(url, async (transaction) => {
    await requireViews(transaction, installed)
    const roles = await transaction.query<{ name: string }>('select name from audit.exposed_roles order by name')
    const rows = await transaction.query<{ relation: string; column: string; role: string | null; held: string[] }>(
      text,
    )
    const matrix = new Map<string, MatrixRow>()
    for (const { relation, column, role, held } of rows) {
      const key = `${relation} ${column}`
      const row = matrix.get(key) ?? { relation, column, privileges: {} }
      if (role !== null) row.privileges[role] = held
      matrix.set(key, row)
    }
    return {
      roles: roles.map(({ name }) => name),
      rows: [...matrix.values()],
      ...('reason' in installed ? { unseen: installed.reason } : {}),
    }
  })
}

/** Every column, readable or not. */
const text = `
  with columns as (
    select pg_catalog.format('%I.%I', s.name, c.relname) as relation, a.attname::text as column_name, a.attnum as position
    from audit.covered_schemas s
    join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p', 'v', 'm', 'f')
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    union all
    select distinct e.relation, e.column_name, 0 from audit.effective_privileges e where e.column_name = '*'
  )
  select c.relation, c.column_name as column, e.role::text as role,
    pg_catalog.array_agg(e.privilege order by e.privilege) filter (where e.privilege is not null) as held
  from columns c
  left join audit.effective_privileges e on e.relation = c.relation and e.column_name = c.column_name
  group by c.relation, c.column_name, c.position, e.role
  order by c.relation collate "C", c.position, e.role`

/** A section for each usable relation, with the roles that may use it. Lists the others last. */
export function matrixAsMarkdown(matrix: Matrix): string[] {
  const relations = [...new Set(matrix.rows.map(({ relation }) => relation))]
  const closed: string[] = []
  const sections = relations.flatMap((relation) => {
    const rows = matrix.rows.filter((row) => row.relation === relation)
    const roles = matrix.roles.filter((role) => rows.some(({ privileges }) => privileges[role]))
    if (roles.length > 0) return ['', `## ${relation}`, '', ...markdownTable(rows, roles)]
    closed.push(relation)
    return []
  })
  return [
    '# Who may read and write which column',
    '',
    'For database administrators: the privileges that each role has in fact, by a grant, a membership or ownership, as',
    '`studio-inventory audit --matrix` prints them. An empty cell is a refusal. `*` is the relation itself.',
    ...sections,
    '',
    '## Nobody',
    '',
    'No exposed role can read or write any column of:',
    '',
    ...closed.map((relation) => `- ${relation}`),
  ]
}

function markdownTable(rows: MatrixRow[], roles: string[]): string[] {
  const lines = rows.map(({ column, privileges }) => ({
    column,
    cells: roles.map((role) => (privileges[role] ?? []).join(', ').toLowerCase()),
  }))
  const columns = lines.filter(({ column }) => column !== '*')
  const alike = new Set(columns.map(({ cells }) => cells.join('|'))).size === 1
  const shown = alike ? lines.filter(({ column }) => column === '*') : lines
  const every = alike && columns[0] ? [{ column: `all ${columns.length} columns`, cells: columns[0].cells }] : []
  return [
    `| column | ${roles.join(' | ')} |`,
    `|---|${roles.map(() => '---|').join('')}`,
    ...[...shown, ...every].map(({ column, cells }) => `| ${column} | ${cells.join(' | ')} |`),
  ]
}
