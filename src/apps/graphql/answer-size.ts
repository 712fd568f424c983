import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'postgraphile/graphql'
import { limits, TooMuch, tooLarge, tooManyGroups } from './limits.ts'

/**
 * Refuses an answer that is too large, before it is written as JSON: an alias repeats a long text that is in memory once.
 *
 * @throws TooMuch
 */
export function checkSize(data: unknown): void {
  let bytes = 0
  const measure = (value: unknown): void => {
    if (typeof value === 'string') bytes += Buffer.byteLength(value) + 3
    else if (typeof value !== 'object' || value === null) bytes += 6
    else {
      for (const name in value) {
        if (!Array.isArray(value)) bytes += name.length + 3
        measure((value as Record<string, unknown>)[name])
      }
    }
    if (bytes > limits.answerBytes) throw new TooMuch(tooLarge)
  }
  measure(data)
}

type Data = Record<string, unknown>

/**
 * Refuses lists of groups that are longer than they may be, where their page was not asked for: the plan reads one more.
 *
 * @throws TooMuch
 */
export function checkGroups(document: DocumentNode, selections: SelectionSetNode, data: unknown): void {
  for (const field of fieldsOf(document, selections)) {
    const value = (data as Data)[(field.alias ?? field.name).value]
    if (field.selectionSet === undefined || value === null || value === undefined) continue
    if (field.name.value === 'groupedAggregates') {
      if (Array.isArray(value) && value.length > limits.groups) throw new TooMuch(tooManyGroups)
      continue
    }
    for (const inner of Array.isArray(value) ? value : [value]) {
      if (inner !== null) checkGroups(document, field.selectionSet, inner)
    }
  }
}

function fieldsOf(document: DocumentNode, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection]
    if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(document, selection.selectionSet)
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    )
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? fieldsOf(document, fragment.selectionSet) : []
  })
}
