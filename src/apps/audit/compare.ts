import { type Extension, gatherExtensions, isPartOf, relationsOf, summaryOf } from './extensions.ts'
import type { Facts } from './facts.ts'
import type { Finding } from './finding.ts'
import type { Inventory, SystemThing } from './inventory.ts'
import { deviationsOf } from './logins.ts'
import { digestOf, isDigest, nameOf, type Reference, shortened, stateOf } from './reference.ts'
import { unsoundSettings } from './settings.ts'

/** What the comparison of what exists with what this release installs can find, and why it matters. */
export const comparisons = {
  not_installed_by_this_release:
    'What this release did not install was not tested with it: it may expose or change data that the rules isolate.',
  differs_from_this_release:
    'The guards were tested as this release installs them; in another state they may not work.',
  missing_here: 'Everything that this release installs has a purpose: a guard, a limit, a record of what was done.',
  system_object_changed:
    'Views, policies and the planner rely on what comes with the server: whoever changed it can see or do anything.',
  system_privileges_not_set:
    'This release revokes from everybody what comes with a server and no reader needs. That takes a superuser.',
  system_name_overloaded:
    'Where its types fit better it is used instead of what comes with the server, also by the queries of the audit: no other result of the audit of this database is reliable.',
  rules_not_asked:
    'The rules are views of the database, and run with the rights of whoever queries them. A modified one could misuse these rights.',
} as const

type Rule = keyof typeof comparisons

/**
 * A finding, and the state of its object: it changes with anything that is known of the object. `pinned` when nothing but
 * this state can be accepted.
 */
export type Compared = Finding & { state: string; pinned?: true }

/** Settings of roles that only Linux has (sql/roles.sql). */
const ofLinux = /^setting (tcp_|client_connection_check_interval)/

/** Compares what exists with what this release installs. One finding for each aspect that differs. */
export function compare(found: Inventory, reference: Reference, pristine: ReadonlySet<string> | undefined): Compared[] {
  return [
    ...found.overloads.map((name) =>
      finding(
        'system_name_overloaded',
        name,
        'can be taken for what comes with the server',
        stateOf([{ kind: 'overload', object: name, facts: {} }]),
      ),
    ),
    ...compareThings(found, reference),
    ...found.system.flatMap((thing) => compareSystem(thing, reference, pristine)),
    ...unsoundSettings(found.settings).map(({ name, value, wanted }) =>
      finding(
        'differs_from_this_release',
        name.includes(' ') ? name : `setting ${name}`,
        difference('value', value, wanted),
        stateOf([{ kind: 'setting', object: name, facts: { value } }]),
      ),
    ),
  ]
}

function compareThings({ things, linux }: Inventory, { things: expected }: Reference): Compared[] {
  const names = new Map(things.map((thing) => [nameOf(thing), thing]))
  const strangers = things.filter((thing) => expected[nameOf(thing)] === undefined)
  const extensions = gatherExtensions(strangers)
  const said = new Set(extensions.flatMap(({ members }) => members))
  const strangeRelations = relationsOf(strangers)
  const findings = things.flatMap((thing): Compared[] => {
    const { kind, object, facts } = thing
    const name = nameOf(thing)
    const state = stateOf([thing])
    const installed = expected[name]
    const here = shortened(facts)
    if (installed !== undefined) return differences(name, here, installed, linux, state)
    if (kind === 'role') {
      const deviations = deviationsOf(object, facts)
      if (deviations?.length === 0) return []
      if (deviations)
        return deviations.map((aspect) => finding('differs_from_this_release', name, unlikeOurs(aspect, here), state))
    }
    const extension = extensions.find((one) => one.thing === thing)
    if (extension !== undefined) return [strangeExtension(name, extension)]
    // A relation is said once, not again by each of its columns; what belongs to an extension, with the extension.
    if (said.has(thing) || isPartOf(thing, strangeRelations)) return []
    return [finding('not_installed_by_this_release', name, `is not of this release${summary(here)}`, state)]
  })
  const missing = Object.keys(expected).filter((name) => !names.has(name))
  return [
    ...findings,
    ...missing.map((name) => finding('missing_here', name, 'is installed by this release and not there', 'missing')),
  ]
}

function strangeExtension(name: string, extension: Extension): Compared {
  const { thing, state } = extension
  const text = `is not of this release${summary(shortened(thing.facts))}; ${summaryOf(extension)}`
  return {
    ...finding('not_installed_by_this_release', name, text, state),
    remedy: `drop it; what you know and want is accepted, with all that belongs to it as it is now, by ${accepting(name, state)}`,
    pinned: true,
  }
}

function differences(name: string, here: Facts, installed: Facts, linux: boolean, state: string): Compared[] {
  const aspects = [...new Set([...Object.keys(installed), ...Object.keys(here)])].toSorted()
  return aspects.flatMap((aspect) => {
    const [value, wanted] = [here[aspect], installed[aspect]]
    if (value === wanted) return []
    if (value === undefined && !linux && ofLinux.test(aspect)) return []
    // Whoever migrates owns the database, or made it for the owner of everything in it.
    if (name === 'database' && aspect === 'owner' && value === 'studio_owner') return []
    return [finding('differs_from_this_release', name, difference(aspect, value, wanted), state)]
  })
}

function compareSystem(
  thing: SystemThing,
  { system }: Reference,
  pristine: ReadonlySet<string> | undefined,
): Compared[] {
  if (pristine === undefined) return []
  const name = nameOf(thing)
  const state = digestOf(thing)
  const change = system[name]
  if (!pristine.has(digestOf(thing, change?.before))) {
    const asByDefault = pristine.has(digestOf(thing, {}))
    const says = asByDefault
      ? `has other privileges${summary(thing.privileges)}`
      : 'is not as this major version comes with it'
    return [
      finding(
        'system_object_changed',
        name,
        change === undefined ? says : 'is not as this major version comes with it',
        state,
      ),
    ]
  }
  if (change === undefined) return []
  const [here, before] = [JSON.stringify(shortened(thing.privileges)), JSON.stringify(shortened(change.before))]
  if (here === JSON.stringify(shortened(change.after))) return []
  if (here === before)
    return [finding('system_privileges_not_set', name, 'has the privileges that it comes with', state)]
  return [
    finding(
      'differs_from_this_release',
      name,
      `privileges${summary(thing.privileges)}; this release sets${summary(change.after) || ': none'}`,
      state,
    ),
  ]
}

function difference(aspect: string, value: string | undefined, wanted: string | undefined): string {
  const said = (text: string | undefined) =>
    text === undefined || text === '' ? 'none' : isDigest(text) ? 'another' : text
  if (isDigest(value) && isDigest(wanted)) return `${aspect}: another than this release installs`
  return `${aspect}: ${said(value)}; this release: ${said(wanted)}`
}

function unlikeOurs(aspect: string, here: Facts): string {
  return `${aspect}: ${here[aspect] ?? 'none'}; access.create_analyst makes another, or none`
}

/** What is worth knowing of something that should not be there, in a line. */
function summary(facts: Facts): string {
  const said = Object.entries(facts).filter(([, value]) => !isDigest(value))
  return said.length === 0 ? '' : `: ${said.map(([aspect, value]) => `${aspect} ${value}`).join('; ')}`
}

function finding(rule: Rule, object: string, text: string, state: string): Compared {
  const accepted = accepting(object, state)
  const remedy =
    rule === 'not_installed_by_this_release' || rule === 'system_name_overloaded'
      ? `drop it, or take its rights away; what you know and want is accepted as it is now by ${accepted}`
      : `put it back as sql/ and migrations/ of this release have it, or accept it as it is now by ${accepted}`
  return { rule, level: 'error', object, finding: text, why: comparisons[rule], remedy, state }
}

function accepting(object: string, state: string): string {
  return `--accept '${`${object}@${state}`.replaceAll("'", "'\\''")}'`
}
