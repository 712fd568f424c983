import { beforeAll, expect, it } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { asAdmin, asRole, withClient } from '../support/server.ts'
import { useCast } from './support.ts'

const stage = useCast()

type Assignment = { policy_id: string; policy_name: string | null }

let before: Assignment[]
beforeAll(async () => {
  before = await assignments()
  expect(before.map((assignment) => assignment.policy_name)).not.toContain(null)
  await asAdmin(stage.database, async (admin) => {
    await admin.query(
      `create policy "This one is hidden" on app.policies as restrictive
       using (id <> '${stage.cast.a.policies.archived}')`,
    )
    // Gone without its assignments: as a superuser can, past every trigger and foreign key.
    await admin.query('set session_replication_role = replica')
    await admin.query('delete from app.policies where id = $1', [stage.cast.a.policies.expired])
  })
})

it('an assignment whose policy is gone or hidden is shown with a null name and the rest whole', async () => {
  const { expired, archived } = stage.cast.a.policies
  const nameless = before.map((assignment) =>
    [expired, archived].includes(assignment.policy_id) ? { ...assignment, policy_name: null } : assignment,
  )
  expect(nameless).not.toEqual(before)
  expect(await assignments()).toEqual(nameless)
})

it('analysts see the same', async () => {
  const rows = await withClient(stage.cast.a.analyst.url, async (client) => {
    const answer = await client.query<Assignment>(
      'select policy_id, policy_name from api_v1.assignments where item_id = $1',
      [stage.cast.a.items.microphone],
    )
    return answer.rows
  })
  const names = (list: Assignment[]) =>
    Object.fromEntries(list.map(({ policy_id, policy_name }) => [policy_id, policy_name]))
  expect(names(rows)).toEqual(names(await assignments()))
})

it('the item is shown as before', async () => {
  const answer = await ask('get_item')
  expect(answer).toMatchObject({ status: 200 })
  expect(JSON.parse(answer.data)).toMatchObject({ id: stage.cast.a.items.microphone, name: 'Large microphone' })
})

async function assignments(): Promise<Assignment[]> {
  const answer = await ask('list_item_policies')
  expect(answer.status).toBe(200)
  return JSON.parse(`[${answer.data}]`)
}

/** Asks as the service does, about the microphone of A. */
function ask(operation: string): Promise<{ status: number; data: string }> {
  return asRole(stage.database, 'studio_api', async (client) => {
    const { rows } = await client.query(`select status, data from api_v1.${operation}($1, $2)`, [
      digestOf(stage.cast.a.token.token),
      stage.cast.a.items.microphone,
    ])
    return rows[0]
  })
}
