import { expect } from 'vitest'
import { inStudio, parsed, type Sql, type Studio } from '../support.ts'

export type Removal = { resource: string; id: string; reason: string; removed_at: string }

const filters: Record<string, unknown[]> = {
  list_items: [null, null],
  list_locations: [],
  list_maintenance: [null, null],
  list_policies: [],
}

/** Questions about what is in the lists of a test's studio, and about what has left them. */
export function removalsOf(sql: Sql, current: () => Studio) {
  const removals = async (of = current(), since: string | null = null) =>
    parsed<Removal>(await of.ask('list_removals', 1, 100, since))
  /** Why a record is away; none: it is not. */
  const reasons = async (id: string, of = current()) =>
    (await removals(of)).filter((removal) => removal.id === id).map(({ resource, reason }) => `${resource} ${reason}`)
  const listed = async (operation: string, since: string | null = null, of = current()) =>
    parsed<{ id: string }>(await of.ask(operation, 1, 100, ...(filters[operation] ?? []), since)).map(({ id }) => id)
  /** Deletes as the owner: a writer archives. */
  const remove = (table: string, id: string) =>
    inStudio(sql.owner, current(), (s) => s.rows(`delete from app.${table} where id = $1`, [id]))
  /** Runs what brings a record back, and expects its updated_at to have moved: a poll finds it. */
  async function comesBack(table: string, id: string, work: () => Promise<unknown>): Promise<void> {
    const before = await current().updatedAt(table, id)
    await work()
    expect(await current().updatedAt(table, id)).toBeGreaterThan(before)
    expect(await reasons(id)).toEqual([])
  }
  return { removals, reasons, listed, remove, comesBack }
}
