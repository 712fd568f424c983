import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Facts } from './facts.ts'
import type { Inventory, SystemThing, Thing } from './inventory.ts'

/** What a database of this release contains: every object, and the system's objects whose privileges it changes. */
export type Reference = {
  things: Record<string, Facts>
  system: Record<string, { before: Facts; after: Facts }>
}

/** Where the reference is, and what this major version prints in another way. */
export const referenceFile = (major?: number) =>
  join(import.meta.dirname, 'reference', major === undefined ? 'installed.json' : `installed-${major}.json`)

/** One line for each object that comes with a server: its digest, and the major versions that have it, as bits. */
export const pristineFile = join(import.meta.dirname, 'reference', 'pristine.txt')

/** The first major version of which digests are kept; its bit is the lowest. */
export const firstMajor = 15

/** How an object is called in findings, and by which name it is accepted. */
export function nameOf({ kind, object }: { kind: string; object: string }): string {
  return `${kind} ${object}`.trim()
}

/** Long values are told apart by their digest. */
export function shortened(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([, value]) => value !== '')
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([aspect, value]) => [aspect, value.length > 100 || isDigest(value) ? `sha256:${digest(value)}` : value]),
  )
}

/** Whether a value stands for a longer one. What only looks so is shortened too. */
export function isDigest(value: string | undefined): boolean {
  return value?.startsWith('sha256:') ?? false
}

/** What is known of objects, in 84 bits. How long a login still lasts changes by itself. */
export function stateOf(things: readonly Thing[]): string {
  const known = things.map((thing) => {
    const { 'valid for': _, ...facts } = thing.facts
    return JSON.stringify([nameOf(thing), Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1))])
  })
  return digest(known.toSorted().join('\n'))
}

/** What an object that comes with the server is, in 84 bits. */
export function digestOf(thing: SystemThing, privileges: Facts = thing.privileges): string {
  const held = Object.entries(privileges).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return digest(JSON.stringify([thing.kind, thing.object, thing.definition, held]))
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 14)
}

/** Reads the reference for one major version. A later one than is known is expected to print like the last. */
export async function readReference(major: number): Promise<Reference> {
  const common: Reference = JSON.parse(await readFile(referenceFile(), 'utf8'))
  const own: Reference = JSON.parse(
    await readFile(referenceFile(major), 'utf8').catch(() => '{"things":{},"system":{}}'),
  )
  return merge(common, own)
}

/** What all major versions have in common, with what one of them prints in another way. */
export function merge(common: Reference, own: Reference): Reference {
  const things = { ...common.things }
  for (const [name, facts] of Object.entries(own.things)) things[name] = { ...things[name], ...facts }
  return { things, system: { ...common.system, ...own.system } }
}

/** The digests of what comes with a server of this major version; undefined where none are kept. */
export async function readPristine(major: number): Promise<Set<string> | undefined> {
  const bit = 1 << (major - firstMajor)
  const lines = (await readFile(pristineFile, 'utf8')).split('\n')
  const digests = lines.flatMap((line) => {
    const [value = '', majors] = line.split(' ')
    return Number(majors) & bit ? [value] : []
  })
  return digests.length > 0 ? new Set(digests) : undefined
}

/** Makes the reference from a database as the migrations make it, and from one as the server makes it. */
export function makeReference(installed: Inventory, pristine: Inventory): Reference {
  const before = new Map(pristine.system.map((thing) => [nameOf(thing), thing.privileges]))
  const changed = installed.system.flatMap((thing) => {
    const name = nameOf(thing)
    const was = before.get(name) ?? {}
    return JSON.stringify(was) === JSON.stringify(thing.privileges)
      ? []
      : [[name, { before: was, after: thing.privileges }] as const]
  })
  return { things: sorted(installed.things.filter(isOurs).map(entry)), system: sorted(changed) }
}

/** What differs in one reference from another: only that is kept for a major version. */
export function difference(own: Reference, common: Reference): Reference {
  const things = Object.entries(own.things).flatMap(([name, facts]) => {
    const other = common.things[name]
    const differing = Object.entries(facts).filter(([aspect, value]) => other?.[aspect] !== value)
    return differing.length > 0 ? [[name, Object.fromEntries(differing)] as const] : []
  })
  const system = Object.entries(own.system).filter(
    ([name, change]) => JSON.stringify(common.system[name]) !== JSON.stringify(change),
  )
  return { things: Object.fromEntries(things), system: Object.fromEntries(system) }
}

/** A line for each object, so that a difference can be read. */
export function print({ things, system }: Reference): string {
  const lines = (part: object) =>
    Object.entries(part)
      .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n')
  return `{\n  "things": {\n${lines(things)}\n  },\n  "system": {\n${lines(system)}\n  }\n}\n`
}

/** Roles of other databases and people are none of a release. */
function isOurs({ kind, object }: Thing): boolean {
  return kind !== 'role' || /^studio_(owner|api|recorder|writer|console|graphql|analyst|auditor)$/.test(object)
}

function entry(thing: Thing): readonly [string, Facts] {
  return [nameOf(thing), shortened(thing.facts)]
}

function sorted<Value>(entries: (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
