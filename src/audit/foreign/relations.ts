import { builtInNames, type Client } from '../../database/client.ts'
import { sqlState } from '../../database/errors.ts'
import type { AttemptResult } from '../prove.ts'
import type { OtherStudios } from './other-studios.ts'

/** The login that looks for foreign rows. */
export type Viewer = {
  /** The login's name in output. */
  login: string
  otherStudios: OtherStudios
  /** The settings of each transaction. A service's login names its studio in them. */
  enter: string[]
  /** Whether the login's name determines the studio, so that settings must change nothing. */
  bound: boolean
  /** Whether the login sees the studio's rows, or none. */
  seesStudio: boolean
}

/** The result of a search. */
type Verdict = Pick<AttemptResult, 'outcome' | 'answer'>

/** Every value as text, so that the search covers all types. */
const asText = { getTypeParser: () => (value: string) => value }

/** The rows of a statement as texts, with a line for each value. */
async function textsOf(client: Client, text: string): Promise<string[]> {
  const result = await client.query<(string | null)[]>({ text, rowMode: 'array', types: asText })
  return result.rows.map((row) => row.join('\n'))
}

/** Runs work in its own transaction, and rolls back. */
async function inRolledBackTransaction<Result>(
  client: Client,
  before: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    await client.query(['begin read write', ...before].join(';'))
    return await work()
  } finally {
    await client.query('rollback')
  }
}

/** Claims another studio by every setting that a definition reads. */
function forgery({ other, settings }: OtherStudios): string[] {
  return settings.map((setting) => `set local ${setting} = '${other}'`)
}

/** Counts texts with foreign values, and collects these values' columns. */
class ForeignValueCounter {
  readonly #otherStudios: OtherStudios
  readonly #columns = new Set<string>()
  texts = 0

  constructor(otherStudios: OtherStudios) {
    this.#otherStudios = otherStudios
  }

  look(text: string): void {
    const found = this.#otherStudios.search(text)
    if (found.length > 0) this.texts += 1
    for (const value of found) this.#columns.add(this.#otherStudios.markers.get(value) ?? '')
  }

  /** @param thing what kind of text it is: a row or an answer */
  verdict(thing: string): Verdict | undefined {
    if (this.texts === 0) return undefined
    const columns = [...this.#columns].toSorted()
    const named =
      columns.length > 3 ? `${columns.slice(0, 3).join(', ')} and ${columns.length - 3} more` : columns.join(', ')
    return { outcome: 'succeeded', answer: `${plural(this.texts, thing)} with values of other studios: ${named}` }
  }
}

/** "1 row", "2 rows". */
function plural(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`
}

/** The state of a server's error. @throws the error when the connection is gone */
function stateOf(error: unknown): string {
  const state = sqlState(error)
  if (state === undefined || state.startsWith('57P')) throw error
  return state
}

/** The full text of an error, which may repeat a row. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { detail, hint, where } = error as { detail?: string; hint?: string; where?: string }
  return [error.message, detail, hint, where].join('\n')
}

type Relation = { name: string; catalog: boolean; whole: boolean; columns: string[]; beyond: string[] }

/** The server searches larger relations, for a few values. */
const maxRows = 200_000
const fetchSize = 2_000

/** Relations that the login may read, and columns of pg_catalog that a new server hides. */
const readable = `
  select pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
    c.oid < 16384::oid and n.nspname in ('pg_catalog', 'information_schema') as catalog,
    pg_catalog.count(*) = c.relnatts as whole,
    pg_catalog.array_agg(pg_catalog.quote_ident(a.attname) order by a.attnum) as columns,
    coalesce(pg_catalog.array_agg(pg_catalog.quote_ident(a.attname) order by a.attnum) filter (
      where c.oid < 16384::oid and n.nspname = 'pg_catalog' and not exists (
        select from pg_catalog.pg_init_privs i, pg_catalog.aclexplode(i.initprivs) p
        where i.classoid = 'pg_catalog.pg_class'::regclass and i.objoid = c.oid and i.objsubid in (0, a.attnum)
          and p.grantee = 0 and p.privilege_type = 'SELECT')
        -- Of which columns statistics exist, without a value of theirs (audit.set_server_rights).
        and not (c.oid = 'pg_catalog.pg_statistic'::regclass and a.attname in ('starelid', 'staattnum', 'stainherit')
          and pg_catalog.pg_has_role('studio_auditor', 'MEMBER'))), '{}') as beyond
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S', 't')
    and pg_catalog.has_schema_privilege(n.oid, 'USAGE') and pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')
  group by n.nspname, c.oid, c.relname, c.relnatts order by catalog, 1`

/** Reads every readable relation, as itself and as another studio, and looks for foreign rows. */
export async function tryRelations(client: Client, viewer: Viewer): Promise<AttemptResult[]> {
  const { rows: relations } = await inRolledBackTransaction(client, [builtInNames], () =>
    client.query<Relation>(readable),
  )
  const tried: AttemptResult[] = []
  for (const relation of relations) {
    const statement = `select ${relation.whole ? '*' : relation.columns.join(', ')} from ${relation.name}`
    const add = (before: string[], verdict: Verdict) =>
      tried.push({ login: viewer.login, statement: [...before, statement].join('; '), ...verdict })
    if (relation.beyond.length > 0) {
      const columns = relation.beyond.join(', ')
      add([], { outcome: 'succeeded', answer: `readable, and on a new server nobody’s: ${columns}` })
      continue
    }
    // PostgreSQL's public catalogs are the same for all logins, so only an analyst reads them.
    if (relation.catalog && !(viewer.bound && viewer.seesStudio)) continue
    add(viewer.enter, await readWhole(client, viewer, relation, viewer.enter))
    const forged = viewer.bound && !relation.catalog ? forgery(viewer.otherStudios) : []
    if (forged.length > 0) add(forged, await readWhole(client, viewer, relation, forged))
  }
  return tried
}

async function readWhole(client: Client, viewer: Viewer, relation: Relation, before: string[]): Promise<Verdict> {
  const finds = new ForeignValueCounter(viewer.otherStudios)
  try {
    const rows = await inRolledBackTransaction(client, before, async () => {
      await client.query(
        `declare found no scroll cursor for select ${relation.columns.join(', ')} from ${relation.name}`,
      )
      let read = 0
      for (;;) {
        const texts = await textsOf(client, `fetch ${fetchSize} from found`)
        for (const text of texts) finds.look(text)
        read += texts.length
        if (texts.length < fetchSize || read >= maxRows) return read
      }
    })
    const found = finds.verdict('row')
    if (found) return found
    if (rows >= maxRows) return await searchThere(client, viewer, relation, before)
    if (/^(?:api_v1|service)\./.test(relation.name)) return await compare(client, viewer, relation, before, rows)
    return { outcome: 'nothing', answer: `no foreign value in ${plural(rows, 'row')}` }
  } catch (error) {
    const state = stateOf(error)
    finds.look(wordsOf(error))
    return finds.verdict('error') ?? refused(state)
  }
}

/** With too many rows to fetch, the server searches the rest for other studios' ids. */
async function searchThere(client: Client, viewer: Viewer, relation: Relation, before: string[]): Promise<Verdict> {
  const ids = viewer.otherStudios.ids.join('|')
  const [count] = await inRolledBackTransaction(client, before, () =>
    textsOf(
      client,
      `select pg_catalog.count(*) from ${relation.name}
       where pg_catalog.concat_ws(' ', ${relation.columns.join(', ')}) operator(pg_catalog.~) '${ids}'`,
    ),
  )
  return count === '0'
    ? { outcome: 'nothing', answer: `no foreign value in the first ${maxRows} rows, and no foreign id in the others` }
    : { outcome: 'succeeded', answer: `${plural(Number(count), 'row')} with ids of other studios` }
}

/** The API's relations must show exactly the studio's rows. Compares again if they changed. */
async function compare(
  client: Client,
  viewer: Viewer,
  { name }: Relation,
  before: string[],
  rows: number,
): Promise<Verdict> {
  const wanted = viewer.seesStudio ? await viewer.otherStudios.count(name) : 0
  const again = async () =>
    Number(
      (
        await inRolledBackTransaction(client, before, () => textsOf(client, `select pg_catalog.count(*) from ${name}`))
      )[0],
    )
  const seen = rows === wanted ? rows : await again()
  const due = rows === wanted || !viewer.seesStudio ? wanted : await viewer.otherStudios.count(name)
  if (seen === due)
    return { outcome: 'nothing', answer: `no foreign value in ${plural(seen, 'row')}, all of them the studio’s` }
  // Fewer rows leak nothing, but prove nothing either.
  return {
    outcome: seen > due ? 'succeeded' : 'undecided',
    answer: `${plural(seen, 'row')}, where the studio has ${due}`,
  }
}

/** An unreadable relation showed nothing; a slow one was not searched. */
function refused(state: string): Verdict {
  if (state === '42501') return { outcome: 'denied', answer: `${state} as it is read` }
  return { outcome: state === '57014' ? 'undecided' : 'nothing', answer: `${state}: it cannot be read` }
}
