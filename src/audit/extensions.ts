import { type Facts, type InventoryObject, stateOf } from './inventory.ts'

/** An extension from outside this release, with its members. */
export type Extension = { thing: InventoryObject; members: InventoryObject[]; state: string }

/** Makes one finding of each extension. Its state covers all members. */
export function gatherExtensions(things: readonly InventoryObject[]): Extension[] {
  return things
    .filter(({ kind }) => kind === 'extension')
    .map((thing) => {
      const own = things.filter(({ facts }) => facts.extension === thing.object)
      const relations = relationsOf(own)
      const parts = things.filter((other) => !own.includes(other) && isPartOf(other, relations))
      const members = [...own, ...parts]
      return { thing, members, state: stateOf([thing, ...members]) }
    })
}

/** Kinds that have parts. A namesake of another kind, such as a collation, has none. */
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

/** The names of what columns, constraints, triggers, rules, policies and indexes belong to. */
export function relationsOf(things: readonly InventoryObject[]): ReadonlySet<string> {
  return new Set(things.filter(({ kind }) => wholes.includes(kind)).map(({ object }) => object))
}

/** Omits columns, constraints and the like if the finding names their whole object. */
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
