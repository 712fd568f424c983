import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { purgeUploads } from '../../src/process/jobs.ts'
import { useSql } from '../sql/support.ts'

const sql = useSql()

/** Stores an upload that expires in so many seconds. */
async function upload(seconds: number): Promise<void> {
  const studio = await sql.studio()
  await sql.admin.rows(
    `insert into access.console_uploads (studio_id, user_id, digest, content, choices, expires_at)
     values ($1, $2, $3, 'a,b', '{}', now() + make_interval(secs => $4))`,
    [studio.id, studio.owner, randomBytes(32), seconds],
  )
}

test('expired uploads are deleted without another upload; the others stay', async () => {
  const lines: Record<string, unknown>[] = []
  const log = makeLogger({ level: 'info', stream: { write: (line) => void lines.push(JSON.parse(line)) } })
  const recorder = await sql.connect('studio_recorder')
  const pool = {
    query: async (text: string | { text: string }) => recorder.rows(typeof text === 'string' ? text : text.text),
  }
  for (const seconds of [-1, -3600, 3600]) await upload(seconds)
  const stop = purgeUploads(pool as Parameters<typeof purgeUploads>[0], log, 1)
  const left = () => sql.admin.value<number>('select count(*)::int from access.console_uploads')
  await expect.poll(left, { timeout: 30_000 }).toBe(1)
  await upload(-1)
  await expect.poll(left, { timeout: 30_000 }).toBe(1)
  await stop()
  expect(lines.map(({ msg, uploads }) => [msg, uploads])).toEqual([
    ['deleted expired uploads', 2],
    ['deleted expired uploads', 1],
  ])
})
