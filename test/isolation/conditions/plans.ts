/** The parts of a plan that say which rows it looks at, and by what. */
type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  Schema?: string
  Filter?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Plans?: PlanNode[]
}

/** The tables of studios: all that have row-level security. */
const schema = 'app'

/** A policy's sub-select: `$1` before PostgreSQL 18, `(InitPlan 1).col1` from 18 on. */
const parameter = String.raw`(?:\$\d+|\(InitPlan \d+\)\.col\d+)`
const first = new RegExp(String.raw`^\(?${parameter} OR \(?\(?${parameter}\)?\[(?:\w+\.)?studio_hash\]\)?\)?$`)
/** These look only at the studio: a condition of a view that is always true, and a join of two
 * tables of one studio. */
const aboutStudio = /^(?:\w+\.)?studio_id (?:IS NOT NULL|= (?:\w+\.)?studio_id)$/
/** The studio of a row of another table, whose scan is looked at like every other. */
const joined = /^(?:\w+\.)?studio_id = (?:\w+\.)?studio_id$/
const own = new RegExp(String.raw`^(?:\w+\.)?studio_id = ${parameter}$`)

/** How many scans a plan has, and which of them look at rows before they know whose rows they
 * are. */
export type Scans = { count: number; leaks: string[] }

/** One leaks when it begins neither with the policy's comparison nor, by index, with the studio. */
export function scansOf(plan: unknown): Scans {
  const scans: Scans = { count: 0, leaks: [] }
  walk(plan as PlanNode, scans)
  return scans
}

function walk(node: PlanNode, scans: Scans, parent?: PlanNode): void {
  for (const child of node.Plans ?? []) walk(child, scans, node)
  const relation = node['Relation Name']
  if (node['Node Type'] !== 'Bitmap Index Scan' && (relation === undefined || node.Schema !== schema)) return
  scans.count += 1
  const leak = leakOf(node)
  if (leak) scans.leaks.push(`${node['Node Type']} on ${relation ?? parent?.['Relation Name']}: ${leak}`)
}

function leakOf(node: PlanNode): string | undefined {
  switch (node['Node Type']) {
    case 'Index Scan':
    case 'Index Only Scan':
    case 'Bitmap Index Scan':
      return startsWithStudio(node['Index Cond'] ?? '') ? undefined : `is searched by ${node['Index Cond']}`
    case 'Bitmap Heap Scan':
      return startsWithStudio(node['Recheck Cond'] ?? '') ? undefined : `rechecks ${node['Recheck Cond']}`
    default:
      return first.test(conjuncts(node.Filter ?? '')[0] ?? '') ? undefined : `filters by ${node.Filter}`
  }
}

/** Whether each alternative of what an index is searched by begins with the studio: the session's, or
 * that of a row that has passed its own policy. */
function startsWithStudio(condition: string): boolean {
  return split(condition, 'OR').every((arm) => {
    const parts = conjuncts(arm)
    const rest = parts.filter((part) => !aboutStudio.test(part))
    return own.test(rest[0] ?? '') || joined.test(parts[0] ?? '')
  })
}

function conjuncts(condition: string): string[] {
  return split(condition, 'AND').map(unwrap)
}

/** Splits what EXPLAIN prints at its outermost operator, if that is this one. */
function split(condition: string, operator: 'AND' | 'OR'): string[] {
  const text = unwrap(condition)
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === "'") at = endOfString(text, at)
    else if (char === '(' || char === '[' || char === '{') depth++
    else if (char === ')' || char === ']' || char === '}') depth--
    else if (depth === 0 && text.startsWith(` ${operator} `, at)) {
      parts.push(text.slice(from, at))
      from = at + operator.length + 2
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim())
}

/** Without the parentheses around the whole. */
function unwrap(text: string): string {
  if (!text.startsWith('(')) return text
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "'") at = endOfString(text, at)
    else if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at === text.length - 1 ? unwrap(text.slice(1, -1)) : text
  }
  return text
}

function endOfString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && !(text[at] === "'" && text[at + 1] !== "'")) at += text[at] === "'" ? 2 : 1
  return at
}
