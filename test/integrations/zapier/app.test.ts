import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { generous } from '../../support/service.ts'
import { startTool, useTool } from '../demo.ts'
import { recipes, run } from '../tools.ts'

const demo = useTool({ limits: generous })
let folder: string
beforeAll(async () => {
  folder = demo.folder
  await cp(join(recipes, 'zapier'), folder, { recursive: true })
  await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
})

type Step = [kind: 'authentication' | 'triggers' | 'searches', key?: string, input?: Record<string, string>]
type Found = { id: string; name: string; updated_at: string; coverage_state: string; reason: string }

/** What each step gives: a list, or the error of it. */
async function runSteps(steps: Step[], env: { TOKEN?: string; API_URL?: string } = {}): Promise<Found[][]> {
  const program = join(import.meta.dirname, 'run.cjs')
  const address = { API_URL: demo.service.url, TOKEN: demo.token, ...env }
  const { status, stdout, stderr } = await run(process.execPath, [program, folder, JSON.stringify(steps)], {
    env: address,
  })
  expect(status, stdout + stderr).toBe(0)
  const [{ invalid }, ...results] = JSON.parse(stdout)
  expect(invalid).toEqual([])
  return results
}

test('the connection is called as the studio is', async () => {
  expect(await runSteps([['authentication']])).toEqual([expect.objectContaining({ name: 'Northlight Studios' })])
})

test('an item that changes triggers again, newest first, and nothing else does', async () => {
  const keys = (items: Found[] = []) => items.map(({ id, updated_at }) => `${id} ${updated_at}`)
  // All of them have changed since yesterday: three pages.
  await demo.sql(`update app.items set model = model || $$ $$ || $$II$$ where archived_at is null returning id`)
  const [before] = await runSteps([['triggers', 'item_updated', {}]])
  expect(before).toHaveLength(250)
  expect(before?.map(({ updated_at }) => updated_at)).toEqual(
    before
      ?.map(({ updated_at }) => updated_at)
      .toSorted()
      .reverse(),
  )
  await demo.sql(`update app.items set name = 'Renamed' where id = '${before?.[50]?.id}' returning id`)
  const [after] = await runSteps([['triggers', 'item_updated', {}]])
  const seen = keys(before)
  expect(keys(after).filter((key) => !seen.includes(key))).toEqual(keys(after?.slice(0, 1)))
  expect(after?.[0]).toMatchObject({ id: before?.[50]?.id, name: 'Renamed' })
})

test('a trigger can be limited to a category and a coverage state', async () => {
  const limits = { category: 'Microphones', coverage_state: 'uninsured' }
  const [{ items }] = await demo.sql<{ items: number }>(
    `select count(*)::int as items from api_v1.items where category = 'Microphones' and coverage_state = 'uninsured'`,
  )
  expect((await runSteps([['triggers', 'item_updated', limits]]))[0]).toHaveLength(items)
})

test('an item that is archived triggers once', async () => {
  const [[newest]] = (await runSteps([['triggers', 'item_updated', {}]])) as [[Found]]
  const [before = []] = await runSteps([['triggers', 'item_removed', {}]])
  await demo.sql(`update app.items set archived_at = now() where id = '${newest.id}' returning id`)
  const [after = []] = await runSteps([['triggers', 'item_removed', {}]])
  expect(after).toHaveLength(before.length + 1)
  expect(after[0]).toMatchObject({ id: newest.id, reason: 'archived', resource: 'item' })
})

test('an item is found by id, barcode or serial number, with the others empty', async () => {
  const [{ id }] = await demo.sql<{ id: string }>(`select id from api_v1.items where barcode = 'NL-1130'`)
  const empty = { id: '', barcode: '', serial_number: '' }
  const found = await runSteps([
    ['searches', 'find_item', { ...empty, id }],
    ['searches', 'find_item', { ...empty, barcode: 'NL-1130' }],
    ['searches', 'find_item', { ...empty, serial_number: 'DW9971454' }],
    ['searches', 'find_item', { ...empty, serial_number: 'DW9971454', barcode: 'other' }],
    ['searches', 'find_item', { ...empty, id: 'nonsense/?' }],
    ['searches', 'find_item', empty],
  ])
  const drums = expect.objectContaining({ id, coverage_state: 'uninsured' })
  expect(found).toEqual([[drums], [drums], [drums], [], [], expect.objectContaining({ name: 'HaltedError' })])
})

test('what is throttled is repeated when the service says, and a refused token is an error', async () => {
  const [refused] = await runSteps([['authentication']], { TOKEN: 'svc_studio_nothing' })
  expect(refused).toMatchObject({ message: expect.stringContaining('401') })
  const fast = await startTool()
  const steps: Step[] = Array.from({ length: 8 }, () => ['triggers', 'item_removed', {}])
  const results = await runSteps(steps, { API_URL: fast.service.url, TOKEN: fast.token })
  await fast.close()
  const throttled = results.find((result) => !Array.isArray(result)) as unknown as { name: string; message: string }
  expect(throttled.name).toBe('ThrottledError')
  expect(JSON.parse(throttled.message)).toMatchObject({ delay: 1 })
})
