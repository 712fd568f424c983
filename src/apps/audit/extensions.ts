import type { Facts } from './facts.ts'
import type { Thing } from './inventory.ts'
import { nameOf, stateOf } from './reference.ts'

/** An extension that is not of this release, with what belongs to it. */
export type Extension = { thing: Thing; members: Thing[]; state: string }

/**
 * Gathers what belongs to extensions, so that an extension is one finding and not hundreds. Its state is that of all
 * members: what somebody adds to an extension, or changes in it, makes it another than was accepted.
 *
 * @param strangers what this release does not install
 */
export function gatherExtensions(strangers: readonly Thing[]): Extension[] {
  return strangers
    .filter(({ kind }) => kind === 'extension')
    .map((thing) => {
      const own = strangers.filter(({ facts }) => facts.extension === thing.object)
      const relations = relationsOf(own)
      const parts = strangers.filter((other) => !own.includes(other) && isPartOf(other, relations))
      const members = [...own, ...parts]
      return { thing, members, state: stateOf([thing, ...members]) }
    })
}

/** What is worth knowing of an extension's members, in a line. */
export function summaryOf({ members }: Extension): string {
  const powerful = members.filter(({ facts }) => facts['runs with the rights of'] || facts.leakproof).map(nameOf)
  const among = powerful.length > 0 ? `, with the rights of their owner or leakproof: ${powerful.join(', ')}` : ''
  return `${members.length} object${members.length === 1 ? '' : 's'} of its own${among}`
}

/** Kinds of which others can be a part: a namesake of another kind, such as a collation, has none. */
const wholes = [
  'table',
  'view',
  'materialized view',
  'foreign table',
  'sequence',
  'composite type',
  'relation',
  'domain',
]

/** The names of those that columns, constraints, triggers, rules, policies and indexes belong to. */
export function relationsOf(things: readonly Thing[]): ReadonlySet<string> {
  return new Set(things.filter(({ kind }) => wholes.includes(kind)).map(({ object }) => object))
}

/** Columns, constraints and the like go without saying when what they belong to is said. */
export function isPartOf(
  { kind, object, facts }: { kind: string; object: string; facts: Facts },
  relations: ReadonlySet<string>,
): boolean {
  if (kind === 'column') return relations.has(object.slice(0, object.lastIndexOf('.')))
  if (kind === 'index') return relations.has(facts.of ?? '')
  return (
    ['constraint', 'trigger', 'policy', 'rule'].includes(kind) &&
    relations.has(object.slice(object.lastIndexOf(' on ') + 4))
  )
}
