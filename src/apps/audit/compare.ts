import type { Finding } from './finding.ts'
import type { Facts, Inventory, SystemThing } from './inventory.ts'
import { judgeLogin } from './logins.ts'
import { digestOf, nameOf, type Reference, shortened } from './reference.ts'

/** What the comparison of what exists with what this release installs can find, and why it matters. */
export const comparisons = {
  not_installed_by_this_release:
    'What this release did not install was not judged with it: it may show, change or pass on what the rules keep apart.',
  differs_from_this_release: 'The guards hold as they were installed and tested, and may not as they are now.',
  missing_here: 'What this release installs is there for a reason: a guard, a limit, a record of what was done.',
  system_object_changed:
    'Views, policies and the planner rely on what comes with the server: whoever changed it can see or do anything.',
  system_privileges_not_set:
    'This release takes from everybody what comes with a server and no reader needs. It takes a superuser.',
} as const

type Rule = keyof typeof comparisons

/** Settings of the server, as they are in one that loads nothing of others and lets policies and triggers hold. */
const soundSettings: Facts = {
  allow_system_table_mods: 'off',
  dynamic_library_path: '$libdir',
  extension_control_path: '$system',
  jit_provider: 'llvmjit',
  local_preload_libraries: '',
  oauth_validator_libraries: '',
  password_encryption: 'scram-sha-256',
  'replication slots': '',
  row_security: 'on',
  session_preload_libraries: '',
  session_replication_role: 'origin',
  shared_preload_libraries: '',
}

/** Settings of roles that only Linux has (sql/roles.sql). */
const ofLinux = /^setting (tcp_|client_connection_check_interval)/

/** Compares what exists with what this release installs. One finding for each aspect that differs. */
export function compare(found: Inventory, reference: Reference, pristine: ReadonlySet<string> | undefined): Finding[] {
  return [
    ...compareThings(found, reference),
    ...found.system.flatMap((thing) => compareSystem(thing, reference, pristine)),
    ...Object.entries(found.settings).flatMap(([name, value]) =>
      (soundSettings[name] ?? '') === value
        ? []
        : [
            finding(
              'differs_from_this_release',
              `setting ${name}`,
              difference('value', value, soundSettings[name] ?? ''),
            ),
          ],
    ),
  ]
}

function compareThings({ things, linux }: Inventory, { things: expected }: Reference): Finding[] {
  const names = new Map(things.map((thing) => [nameOf(thing), thing]))
  const strangers = things.filter((thing) => expected[nameOf(thing)] === undefined)
  const strangeRelations = new Set(strangers.filter(({ facts }) => facts.owner).map(({ object }) => object))
  const findings = things.flatMap(({ kind, object, facts }): Finding[] => {
    const name = nameOf({ kind, object })
    const installed = expected[name]
    const here = shortened(facts)
    if (installed !== undefined) return differences(name, here, installed, linux)
    if (kind === 'role') {
      const deviations = judgeLogin(object, facts)
      if (deviations?.length === 0) return []
      if (deviations)
        return deviations.map((aspect) => finding('differs_from_this_release', name, unlikeOurs(aspect, here)))
    }
    // A relation is said once, not again by each of its columns.
    if (isPartOf(kind, object, facts, strangeRelations)) return []
    return [finding('not_installed_by_this_release', name, `is not of this release${summary(here)}`)]
  })
  const missing = Object.keys(expected).filter((name) => !names.has(name))
  return [
    ...findings,
    ...missing.map((name) => finding('missing_here', name, 'is installed by this release and not there')),
  ]
}

function differences(name: string, here: Facts, installed: Facts, linux: boolean): Finding[] {
  const aspects = [...new Set([...Object.keys(installed), ...Object.keys(here)])].toSorted()
  return aspects.flatMap((aspect) => {
    const [value, wanted] = [here[aspect], installed[aspect]]
    if (value === wanted) return []
    if (value === undefined && !linux && ofLinux.test(aspect)) return []
    // Whoever migrates owns the database, or made it for the owner of everything in it.
    if (name === 'database' && aspect === 'owner' && value === 'studio_owner') return []
    return [finding('differs_from_this_release', name, difference(aspect, value, wanted))]
  })
}

function compareSystem(
  thing: SystemThing,
  { system }: Reference,
  pristine: ReadonlySet<string> | undefined,
): Finding[] {
  if (pristine === undefined) return []
  const name = nameOf(thing)
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
      ),
    ]
  }
  if (change === undefined) return []
  const [here, before] = [JSON.stringify(shortened(thing.privileges)), JSON.stringify(shortened(change.before))]
  if (here === JSON.stringify(shortened(change.after))) return []
  if (here === before) return [finding('system_privileges_not_set', name, 'has the privileges that it comes with')]
  return [
    finding(
      'differs_from_this_release',
      name,
      `privileges${summary(thing.privileges)}; this release sets${summary(change.after) || ': none'}`,
    ),
  ]
}

/** Columns, constraints and the like go without saying when what they belong to is said. */
function isPartOf(kind: string, object: string, facts: Facts, relations: ReadonlySet<string>): boolean {
  if (kind === 'column') return relations.has(object.slice(0, object.lastIndexOf('.')))
  if (kind === 'index') return relations.has(facts.of ?? '')
  return (
    ['constraint', 'trigger', 'policy', 'rule'].includes(kind) &&
    relations.has(object.slice(object.lastIndexOf(' on ') + 4))
  )
}

function difference(aspect: string, value: string | undefined, wanted: string | undefined): string {
  const said = (text: string | undefined) =>
    text === undefined || text === '' ? 'none' : text.startsWith('sha256:') ? 'another' : text
  if (value?.startsWith('sha256:') && wanted?.startsWith('sha256:'))
    return `${aspect}: another than this release installs`
  return `${aspect}: ${said(value)}; this release: ${wanted?.startsWith('sha256:') ? 'another' : said(wanted)}`
}

function unlikeOurs(aspect: string, here: Facts): string {
  return `${aspect}: ${here[aspect] ?? 'none'}; access.create_analyst makes another, or none`
}

/** What is worth knowing of something that should not be there, in a line. */
function summary(facts: Facts): string {
  const said = Object.entries(facts).filter(([, value]) => !value.startsWith('sha256:'))
  return said.length === 0 ? '' : `: ${said.map(([aspect, value]) => `${aspect} ${value}`).join('; ')}`
}

function finding(rule: Rule, object: string, text: string): Finding {
  const quoted = `--accept '${object.replaceAll("'", "'\\''")}'`
  const remedy =
    rule === 'not_installed_by_this_release'
      ? `drop it, or take its rights away; what you know and want is accepted by ${quoted}`
      : `put it back as sql/ and migrations/ of this release have it, or accept it by ${quoted}`
  return { rule, level: 'error', object, finding: text, why: comparisons[rule], remedy }
}
