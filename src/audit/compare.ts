import { loginRoles } from '../database/roles.ts'
import type { Transaction } from '../database/session.ts'
import { analystsOwnChanges, deviationsOf } from './expected-logins.ts'
import { type Extension, gatherExtensions, isPartOf, relationsOf } from './extensions.ts'
import { type Facts, type Inventory, type InventoryObject, nameOf, stateOf, unsoundSettings } from './inventory.ts'
import type { Installed, NotInstalled } from './scratch.ts'
import { nameSystemObjects, type SystemObject, systemKeyOf } from './system-objects.ts'

/** A row of audit.findings, or a difference between the database and this release. */
export type Finding = {
  rule: string
  level: 'error' | 'warning'
  object: string
  finding: string
  why: string
  remedy: string
}

/** The findings of the comparison with this release, and why they matter. */
export const comparisons = {
  not_installed_by_this_release:
    'Nobody has tested this object with this release: it may expose or change data that the rules isolate.',
  differs_from_this_release:
    'The tests cover the guards as this release installs them; in another state they may not work.',
  missing_here: 'Everything that this release installs has a purpose: a guard, a limit, or a record.',
  not_compared: 'The rules find only known dangers. The comparison finds every other difference from this release.',
  system_object_changed:
    'Views, policies and the planner rely on the objects of the server: a person who changes one can see or do anything.',
  system_privileges_not_set:
    'This release revokes what a server grants to everybody and no reader needs. Only a superuser can do that.',
  system_name_overloaded:
    'PostgreSQL uses it instead of its own where its types fit better, in the queries of the audit too: no other result of the audit of this database is reliable.',
  rules_not_asked:
    'The rules are views of the database, and run with the rights of the role that queries them. A modified view could misuse these rights.',
} as const

type Rule = keyof typeof comparisons

/** `state` identifies the object's state. If `pinned` is set, `--accept` must name it. */
export type FindingWithState = Finding & { state: string; pinned?: true }

/** Compares the database with this release, in the transaction that read `found`. Each difference in
 * an aspect of an object is a finding of its own. */
export async function compare(
  transaction: Transaction,
  found: Inventory,
  installed: Installed | NotInstalled,
): Promise<FindingWithState[]> {
  return [
    ...found.overloads.map((name) =>
      finding(
        'system_name_overloaded',
        name,
        'can be mistaken for an object of the server',
        stateOf([{ kind: 'overload', object: name, facts: {} }]),
      ),
    ),
    ...('reason' in installed
      ? [notCompared(installed)]
      : [
          ...compareThings(found, installed.things),
          ...(await compareSystem(transaction, found.system, installed.system)),
        ]),
    ...unsoundSettings(found.settings).map(({ name, value, wanted, object }) =>
      finding(
        'differs_from_this_release',
        object,
        difference('value', value, wanted),
        stateOf([{ kind: 'setting', object: name, facts: { value } }]),
      ),
    ),
  ]
}

/** The remedy for what an analyst changed on its own login. It affects nobody else, so it is a
 * warning. */
const takenBack = 'as an administrator: select * from access.reset_analysts()'

function notCompared({ reason }: NotInstalled): FindingWithState {
  return {
    rule: 'not_compared',
    level: 'warning',
    object: 'database',
    finding: `was not compared with this release: ${reason}`,
    why: comparisons.not_compared,
    remedy:
      'run the audit with the connection string of an administrator; if the rules are enough, --accept not_compared',
    state: 'unknown',
  }
}

function compareThings({ things, ownSettings }: Inventory, expected: Installed['things']): FindingWithState[] {
  const isOwn = analystsOwnChanges(things, ownSettings)
  const levelled = (thing: InventoryObject, aspect: string | undefined, found: FindingWithState): FindingWithState =>
    isOwn(thing, aspect)
      ? {
          ...found,
          level: 'warning',
          remedy: `${takenBack}; or accept its current state with ${accepting(found.object, found.state)}`,
        }
      : found
  const names = new Set(things.map(nameOf))
  const unexpected = things.filter((thing) => !expected.has(nameOf(thing)))
  const extensions = gatherExtensions(unexpected)
  const inExtensions = new Set(extensions.flatMap(({ members }) => members))
  const unexpectedRelations = relationsOf(unexpected)
  const findings = things.flatMap((thing): FindingWithState[] => {
    const { kind, object, facts } = thing
    const name = nameOf(thing)
    const state = stateOf([thing])
    const installed = expected.get(name)
    if (installed !== undefined)
      return differences(name, facts, installed, state).map(({ aspect, ...found }) => levelled(thing, aspect, found))
    if (kind === 'role') {
      const deviations = deviationsOf(object, facts)
      if (deviations)
        return deviations.map((aspect) =>
          levelled(thing, aspect, finding('differs_from_this_release', name, unlikeOurs(aspect, facts), state)),
        )
    }
    const extension = extensions.find((one) => one.thing === thing)
    if (extension !== undefined) return [strangeExtension(name, extension)]
    // One finding for a relation covers its columns; one for an extension covers its objects.
    if (inExtensions.has(thing) || isPartOf(thing, unexpectedRelations)) return []
    const strange = finding('not_installed_by_this_release', name, `is not of this release${summary(facts)}`, state)
    return [levelled(thing, undefined, strange)]
  })
  const missing = [...expected.keys()].filter((name) => !names.has(name))
  return [
    ...findings,
    ...missing.map((name) => finding('missing_here', name, 'is missing, and this release installs it', 'missing')),
  ]
}

function strangeExtension(name: string, { thing, members, state }: Extension): FindingWithState {
  const powerful = members.filter(({ facts }) => facts['runs with the rights of'] || facts.leakproof).map(nameOf)
  const among = powerful.length > 0 ? `, with the rights of their owner or leakproof: ${powerful.join(', ')}` : ''
  const own = `${members.length} object${members.length === 1 ? '' : 's'} of its own${among}`
  return {
    ...finding('not_installed_by_this_release', name, `is not of this release${summary(thing.facts)}; ${own}`, state),
    remedy: `drop it; or, if you know and want it, accept its current state and all that belongs to it with ${accepting(name, state)}`,
    pinned: true,
  }
}

function differences(
  name: string,
  here: Facts,
  installed: Facts,
  state: string,
): (FindingWithState & { aspect: string })[] {
  const aspects = [...new Set([...Object.keys(installed), ...Object.keys(here)])].toSorted()
  return aspects.flatMap((aspect) => {
    const [value = '', wanted = ''] = [here[aspect], installed[aspect]]
    if (value === wanted) return []
    // This role either owns the database, or made it for the owner of everything in it.
    if (name === 'database' && aspect === 'owner' && value === 'studio_owner') return []
    if (name === 'role studio_owner' && (ofWatcher[aspect] === value || isWatched(aspect, value))) return []
    // Analysts may connect where the server's functions are closed, or where the operator lets them.
    if (name === 'database' && aspect === 'privileges of studio_analyst' && ['', 'CONNECT'].includes(value)) return []
    if (isReserved(name, aspect, value)) return []
    return [{ aspect, ...finding('differs_from_this_release', name, difference(aspect, value, wanted), state) }]
  })
}

/** Only a superuser can change this, and the administrator may not be one
 * (sql/grants/studio_owner.sql). */
const ofWatcher: Facts = {
  inherits: 'yes',
  'member of pg_read_all_stats': 'inherits, may become it',
  'member of pg_signal_backend': 'inherits, may become it',
}

/** Without these rights the owner watches the analysts by being a member of their logins. */
const isWatched = (aspect: string, value: string) =>
  /^member of analyst_[0-9a-f]{12}$/.test(aspect) && value === 'inherits, may become it'

/** Needs a superuser, too (audit.set_server_rights): connections that are reserved for the service. */
const isReserved = (name: string, aspect: string, value: string) =>
  loginRoles.some((role) => name === `role ${role}`) &&
  aspect === 'member of pg_use_reserved_connections' &&
  value === 'inherits'

/** Reads the names of those objects only that differ. */
async function compareSystem(
  transaction: Transaction,
  things: readonly SystemObject[],
  expected: Installed['system'],
): Promise<FindingWithState[]> {
  const there = new Set(things.map(systemKeyOf))
  const deviations = things.flatMap((thing) => {
    const deviation = deviationOf(thing, expected.get(systemKeyOf(thing)))
    return deviation === undefined ? [] : [{ thing, ...deviation }]
  })
  const missing = [...expected.values()].filter((thing) => !there.has(systemKeyOf(thing)))
  const names = await nameSystemObjects(transaction, [...deviations.map(({ thing }) => thing), ...missing])
  return [
    ...deviations.map(({ thing, rule, says }, at) => {
      const facts = { ...thing.privileges, rows: thing.rows.join() }
      return finding(rule, names[at] ?? '', says, stateOf([{ kind: '', object: systemKeyOf(thing), facts }]))
    }),
    ...missing.map((_, at) =>
      finding(
        'system_object_changed',
        names[deviations.length + at] ?? '',
        'comes with the server and is missing',
        'missing',
      ),
    ),
  ]
}

type Expected = { rows: string[]; before: Facts; after: Facts }

function deviationOf(
  { rows, privileges }: SystemObject,
  expected: Expected | undefined,
): { rule: Rule; says: string } | undefined {
  if (expected?.rows.join() !== rows.join())
    return { rule: 'system_object_changed', says: 'is not as the server comes with it' }
  const [here, before, after] = [privileges, expected.before, expected.after].map((facts) => JSON.stringify(facts))
  if (here === after) return undefined
  if (here === before) return { rule: 'system_privileges_not_set', says: 'has the privileges that it comes with' }
  if (before === after) return { rule: 'system_object_changed', says: `has other privileges${summary(privileges)}` }
  const wanted = summary(expected.after) || ' those by default'
  return { rule: 'differs_from_this_release', says: `privileges${summary(privileges)}; this release sets${wanted}` }
}

/** A longer value is cut off in the finding. */
const maxShown = 100

function difference(aspect: string, value: string, wanted: string): string {
  const shown = (text: string) => (text === '' ? 'none' : text.length > maxShown ? 'another' : text)
  if (value.length > maxShown && wanted.length > maxShown) return `${aspect}: another than this release installs`
  return `${aspect}: ${shown(value)}; this release: ${shown(wanted)}`
}

function unlikeOurs(aspect: string, here: Facts): string {
  return `${aspect}: ${here[aspect] ?? 'none'}; access.create_analyst makes another, or none`
}

/** Describes an unexpected object in one line. */
function summary(facts: Facts): string {
  const details = Object.entries(facts)
    .filter(([, value]) => value !== '' && value.length <= maxShown)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return details.length === 0 ? '' : `: ${details.map(([aspect, value]) => `${aspect} ${value}`).join('; ')}`
}

function finding(rule: Rule, object: string, text: string, state: string): FindingWithState {
  const accepted = accepting(object, state)
  const remedy =
    rule === 'not_installed_by_this_release' || rule === 'system_name_overloaded'
      ? `drop it, or revoke its rights; or, if you know and want it, accept its current state with ${accepted}`
      : `restore it as in sql/ and migrations/ of this release, or accept its current state with ${accepted}`
  return { rule, level: 'error', object, finding: text, why: comparisons[rule], remedy, state }
}

function accepting(object: string, state: string): string {
  return `--accept '${`${object}@${state}`.replaceAll("'", "'\\''")}'`
}
