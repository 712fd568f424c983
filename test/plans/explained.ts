import type { Session } from '../sql/session.ts'

/** A node of a plan: what it does, to what, by which index. */
export type PlanNode = {
  'Node Type': string
  Alias?: string
  'Index Name'?: string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Heap Fetches'?: number
  'Workers Launched'?: number
  'Rows Removed by Filter'?: number
  Filter?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/** A statement that ran inside another one, with its plan and every node of it. */
export type Explained = { text: string; nodes: PlanNode[] }

type Login = 'studio_api' | 'studio_writer'
type Connection = Pick<Session, 'rows' | 'client'>

/** The parts of a test's database that this file needs. */
type Database<Connected extends Connection> = {
  database: { name: string }
  admin: { rows(text: string): Promise<unknown> }
  connect(login: Login): Promise<Connected>
}

/** A login whose statements tell the plans they ran by, those inside functions included. */
export async function connectExplaining<Connected extends Connection>(
  sql: Database<Connected>,
  login: Login = 'studio_api',
) {
  const role = `alter role ${login} in database ${sql.database.name} set`
  const settings: Record<string, string> = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'log',
  }
  // The library brings its settings with it: before it is loaded nobody may name them for a role.
  await sql.admin.rows(`load 'auto_explain'`)
  for (const [name, value] of Object.entries(settings)) await sql.admin.rows(`${role} ${name} = '${value}'`)
  const session = await sql.connect(login)
  await session.rows('set client_min_messages = log')
  return { session, explain: <Result>(work: () => Promise<Result>) => explain(session, work) }
}

async function explain<Result>(session: Connection, work: () => Promise<Result>) {
  const statements: Explained[] = []
  const listen = ({ message }: { message?: string | undefined }) => {
    const plan = /^duration: .* plan:\n(\{.*)/s.exec(message ?? '')?.[1]
    if (plan === undefined) return
    const { 'Query Text': text, Plan } = JSON.parse(plan) as { 'Query Text': string; Plan: PlanNode }
    statements.push({ text, nodes: nodesOf(Plan) })
  }
  session.client.on('notice', listen)
  try {
    return { result: await work(), statements }
  } finally {
    session.client.off('notice', listen)
  }
}

/** A node, and all nodes below it. */
export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}
