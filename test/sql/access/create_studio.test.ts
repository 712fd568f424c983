import { describe, expect, test } from 'vitest'
import { useSql } from '../support.ts'

const sql = useSql()

/** Two ids whose studio_hash is the same: among 200,000 there are some. */
async function twins(): Promise<[string, string]> {
  const { ids } = await sql.admin.row<{ ids: [string, string] }>(
    `select array_agg(id::text) as ids from (select gen_random_uuid() as id from generate_series(1, 200000)) as made
     group by uuid_hash(id) >> 1 having count(*) = 2 limit 1`,
  )
  return ids
}

describe('two studios', () => {
  test('are both created when the id of the second meets the hash of the first', async () => {
    const [one, two] = await twins()
    await sql.admin.rows(`insert into app.studios (id, name) values ($1, 'First')`, [one])
    await sql.admin.rows(`create sequence app.tries`)
    await sql.admin.rows(
      `alter table app.studios alter column id
         set default (case when nextval('app.tries') = 1 then '${two}'::uuid else gen_random_uuid() end)`,
    )
    await sql.admin.rows('grant usage on sequence app.tries to studio_owner')
    const id = await sql.owner.value<string>(`select access.create_studio('Second', 'second@example.com', 'Sam')`)
    expect(id).not.toBe(two)
    expect(await sql.admin.value(`select last_value from app.tries`)).toBe('2')
    expect(await sql.admin.value('select count(*)::integer from app.locations where studio_id = $1', [id])).toBe(1)
  })
})
