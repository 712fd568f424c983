import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'postgraphile/graphql'

type Data = Record<string, unknown>

/**
 * Puts the groups of every `groupedAggregates` into the order of their keys, null last: PostgreSQL gives them in any
 * order, and the plans cannot request one. Groups whose keys were not requested stay in that order.
 */
export function orderGroups(document: DocumentNode, selections: SelectionSetNode, data: unknown): void {
  for (const field of fieldsOf(document, selections)) {
    const value = (data as Data)[nameOf(field)]
    if (field.selectionSet === undefined || value === null || value === undefined) continue
    if (field.name.value === 'groupedAggregates' && Array.isArray(value)) {
      const keys = fieldsOf(document, field.selectionSet).find((inner) => inner.name.value === 'keys')
      if (keys) value.sort((a, b) => compare(a[nameOf(keys)], b[nameOf(keys)]))
    } else {
      for (const inner of Array.isArray(value) ? value : [value]) {
        if (inner !== null) orderGroups(document, field.selectionSet, inner)
      }
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

function nameOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value
}

function compare(a: readonly (string | null)[], b: readonly (string | null)[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? null
    if (one === other) continue
    if (one === null) return 1
    if (other === null) return -1
    return one < other ? -1 : 1
  }
  return 0
}
