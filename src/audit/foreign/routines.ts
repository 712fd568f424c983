import { builtInNames } from '../../database/client.ts'
import type { AttemptResult } from '../prove.ts'
import {
  type Client,
  ForeignValueCounter,
  forgery,
  inRolledBackTransaction,
  plural,
  stateOf,
  textsOf,
  type Verdict,
  type Viewer,
  wordsOf,
} from './look.ts'
import {
  type Argument,
  type ArgumentType,
  askForLiterals,
  combinations,
  isNull,
  readTypes,
  unusedId,
  valuesOf,
} from './values.ts'

type Routine = {
  name: string
  signature: string
  kind: 'f' | 'p' | 'a' | 'w'
  defaults: number
  variadic: boolean
  /** Whether the server does not run the routine when an argument is null. */
  strict: boolean
  /** Whether the caller must name the columns of its rows. */
  unknown: boolean
  types: ArgumentType[]
}

/** A routine in the catalog, with the oids of its types. */
type Found = Omit<Routine, 'types'> & { types: string[] }

/** How many calls one routine gets, and how many milliseconds all calls of a login may take. */
const maxCalls = 64
const maxTime = 120_000
const maxAnswers = 5_000

/** States of a call that the server rejects, or of a value outside a domain. */
const uncalled = ['42883', '42725', '42804', '42P18', '23514']

/** Only triggers and types use routines with these results, and nobody calls them. */
const uncallable = `array['trigger', 'event_trigger', 'internal', 'cstring', 'language_handler', 'fdw_handler',
  'index_am_handler', 'table_am_handler', 'tsm_handler']::pg_catalog.regtype[]`

/** Whether PostgreSQL or an extension took the right to execute from PUBLIC when it was
 * installed. */
const closed = `exists (
      select from pg_catalog.pg_init_privs i
      where i.classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass and i.objoid = p.oid and not exists (
        select from pg_catalog.aclexplode(i.initprivs) a where a.grantee = 0 and a.privilege_type = 'EXECUTE'))`

/** Routines beyond the server's own that the login may execute, with argument types. */
const callable = `
  select pg_catalog.format('%I.%I', n.nspname, p.proname) as name, p.oid::pg_catalog.regprocedure::text as signature,
    p.prokind as kind, p.pronargdefaults::integer as defaults, p.provariadic <> 0 as variadic,
    p.proisstrict as strict,
    p.proretset and p.prorettype = 'record'::pg_catalog.regtype and p.proallargtypes is null as unknown,
    (case when p.prokind = 'p' then coalesce(p.proallargtypes, p.proargtypes::oid[]) else p.proargtypes::oid[]
      end)::text[] as types
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where p.oid >= 16384::oid and not (n.nspname = 'pg_catalog' and ${closed})
    and pg_catalog.has_schema_privilege(n.oid, 'USAGE') and pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
    and p.prorettype <> all (${uncallable}) and not p.proargtypes::oid[] && ${uncallable}::oid[]
    and not exists (select from pg_catalog.pg_aggregate g where g.aggfnoid = p.oid and g.aggkind <> 'n')
  order by 1, 2`

/** PostgreSQL's own routines that a new server revokes. Not called: no rollback undoes them. */
const beyondNewServer = `
  select p.oid::pg_catalog.regprocedure::text as signature
  from pg_catalog.pg_proc p
  where p.pronamespace = 'pg_catalog'::regnamespace and pg_catalog.has_function_privilege(p.oid, 'EXECUTE') and ${closed}
  order by 1`

/** Calls each callable routine with own and foreign values, and looks for foreign rows. */
export async function tryRoutines(client: Client, viewer: Viewer): Promise<AttemptResult[]> {
  const typeOf = await readTypes(client)
  const found = await inRolledBackTransaction(client, [builtInNames], () => client.query<Found>(callable))
  const routines = found.rows.map((row): Routine => ({ ...row, types: row.types.map(typeOf) }))
  const powers = (
    await inRolledBackTransaction(client, [builtInNames], () => client.query<{ signature: string }>(beyondNewServer))
  ).rows
  const tried: AttemptResult[] = powers.map(({ signature }) => ({
    login: viewer.login,
    statement: `select ${signature}`,
    outcome: 'succeeded',
    answer: 'executable, and on a new server nobody’s (not called)',
  }))
  const end = Date.now() + maxTime
  for (const routine of routines) {
    const statement = `${routine.kind === 'p' ? 'call' : 'select'} ${routine.signature}`
    const verdict: Verdict =
      Date.now() > end
        ? { outcome: 'undecided', answer: `not called: ${maxTime / 1000} seconds were over` }
        : await callAll(client, viewer, routine)
    tried.push({ login: viewer.login, statement, ...verdict })
  }
  return tried
}

async function callAll(client: Client, viewer: Viewer, routine: Routine): Promise<Verdict> {
  const { otherStudios, bound } = viewer
  if (routine.unknown)
    return { outcome: 'undecided', answer: 'not called: it does not say which columns it answers with' }
  const finds = new ForeignValueCounter(otherStudios)
  const notice = (message: { message?: string | undefined }) => finds.look(message.message ?? '', supplied)
  let supplied: string[] = []
  let [calls, refused, made] = [0, 0, 0]
  client.on('notice', notice)
  try {
    for (const type of routine.types) await askForLiterals(client, type)
    const lists = routine.types.map((type) => valuesOf(type, otherStudios.own, viewer.asks))
    const required = lists.slice(0, lists.length - routine.defaults)
    const asked = [
      ...combinations(lists, maxCalls),
      ...(routine.defaults > 0 ? combinations(required, maxCalls / 4) : []),
    ]
    for (const before of bound ? [viewer.enter, forgery(otherStudios)] : [viewer.enter]) {
      for (const values of asked) {
        supplied = values.flatMap((value) => value.supplied)
        const { answers, state } = await call(client, before, routine, values)
        for (const answer of answers) finds.look(answer, supplied)
        calls += 1
        if (state !== '') refused += 1
        if (!uncalled.includes(state) && !(routine.strict && values.some(isNull))) made += 1
        if (state === '57014') return { outcome: 'undecided', answer: 'it took too long to be looked at' }
      }
    }
    const oracle = await tellsApart(client, viewer, routine, lists)
    const proved = finds.verdict('answer') ?? oracle
    if (proved) return proved
    // Null arguments alone do not show all that a routine can return.
    const unknown = required.findIndex((list) => list.every(isNull))
    if (unknown >= 0) return { outcome: 'undecided', answer: `no value of ${routine.types[unknown]?.written} is known` }
    if (calls > 0 && made === 0)
      return { outcome: 'undecided', answer: 'never called: it takes no value that was tried' }
    return { outcome: 'nothing', answer: `no foreign value in ${plural(calls, 'call')}, ${refused} of them an error` }
  } finally {
    client.off('notice', notice)
  }
}

/** Whether a routine answers differently for another studio's id and an id of nobody. */
async function tellsApart(
  client: Client,
  { otherStudios, enter, asks }: Viewer,
  routine: Routine,
  lists: Argument[][],
): Promise<Verdict | undefined> {
  if (!routine.types.some(({ base }) => base === 'uuid')) return undefined
  const ask = async (id: string) => {
    const values = routine.types.map(({ base, written }, place) =>
      base === 'uuid'
        ? { text: `'${id}'::${written}`, supplied: [] }
        : (lists[place]?.[1] ?? { text: 'null', supplied: [] }),
    )
    const { answers, state } = await call(client, enter, routine, values)
    return [state, ...answers].join('\n').replaceAll(id, '?')
  }
  const usual = await ask(unusedId)
  for (const id of asks.uuids) {
    if ((await ask(id)) !== usual && (await ask(unusedId)) === usual) {
      const column = otherStudios.markers.get(id)
      return {
        outcome: 'succeeded',
        answer: `answers otherwise about a value of ${column} than about one that nobody has`,
      }
    }
  }
  return undefined
}

/** One call in its own transaction: the answer, or the text of the error. */
async function call(client: Client, before: readonly string[], routine: Routine, values: readonly Argument[]) {
  const all = routine.variadic && values.length === routine.types.length
  const list = values.map(({ text }, place) => (all && place === values.length - 1 ? `variadic ${text}` : text))
  const called = `${routine.name}(${list.join(', ')})`
  const statement = {
    f: `select ${called} limit ${maxAnswers}`,
    a: `select ${called}`,
    w: `select ${called} over ()`,
    p: `call ${called}`,
  }[routine.kind]
  try {
    const limits = [...before, `set local statement_timeout = '5s'`]
    return { answers: await inRolledBackTransaction(client, limits, () => textsOf(client, statement)), state: '' }
  } catch (error) {
    return { state: stateOf(error), answers: [wordsOf(error)] }
  }
}
