import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { listen } from '../../src/http/listener.ts'
import { asRole, type TestDatabase } from '../support/server.ts'
import type { TestService } from '../support/service.ts'

const any = (table: string, condition = 'true') =>
  `(select id from app.${table} where studio_id = access.current_studio_id() and ${condition} order by random() limit 1)`

/** What studios write, in one statement each. */
const writes = [
  `insert into app.items (studio_id, name) values (access.current_studio_id(), 'New')`,
  `update app.items set name = name || '.', purchase_price = purchase_price + 0.01 where id = ${any('items')}`,
  `update app.items set archived_at = now() where id = ${any('items', 'archived_at is null')}`,
  `update app.items set archived_at = null where id = ${any('items', 'archived_at is not null')}`,
  `update app.items set archived_at = now() where id in
   (select id from app.items where archived_at is null order by updated_at desc limit 3)`,
  `delete from app.maintenance_records where id = ${any('maintenance_records')}`,
  `insert into app.maintenance_records (studio_id, item_id, title)
   values (access.current_studio_id(), ${any('items')}, 'Check')`,
  `update app.policies set archived_at = case when archived_at is null then now() end where id = ${any('policies')}`,
  `update app.policies set effective_end = current_date - 1 where id = ${any('policies')}`,
  `update app.policies set effective_end = null, name = name || '.' where id = ${any('policies')}`,
  `update app.policies set effective_start = current_date + 1 where id = ${any('policies')}`,
  `update app.policies set effective_start = current_date where id = ${any('policies')}`,
  `delete from app.locations where id = ${any('locations', 'not is_default')}`,
  `insert into app.locations (studio_id, name) values (access.current_studio_id(), 'New')`,
]

/** Some transactions are short, one stays open for seconds, and one gives up. */
export async function writeAtOnce(database: TestDatabase, { id }: { id: string }): Promise<void> {
  const connected = (work: (client: pg.Client) => Promise<void>) => asRole(database, 'studio_writer', work)
  const begin = async (client: pg.Client) => {
    await client.query('begin')
    await client.query(`select set_config('studio.id', $1, true)`, [id])
  }
  const short = async (client: pg.Client) => {
    for (let round = 0; round < 60; round += 1) {
      await begin(client)
      // Two writers rarely conflict. Then one of them gives up, which is fine.
      const written = await client.query(writes[(round * 5) % writes.length] ?? '').catch(() => undefined)
      await client.query(written ? 'commit' : 'rollback')
      await sleep(40)
    }
  }
  const long = (end: string) => async (client: pg.Client) => {
    for (let round = 0; round < 2; round += 1) {
      await begin(client)
      await client.query(`insert into app.items (studio_id, id, name) values ($1, $2, 'Late')`, [id, randomUUID()])
      await sleep(1_800)
      await client.query(end)
    }
  }
  await Promise.all([connected(short), connected(short), connected(long('commit')), connected(long('rollback'))])
}

/** Loses the connection in the middle of each page of a list, once it is told to, until it is
 * repaired. */
export async function leakyProxy({ url }: TestService) {
  let lost: string | undefined
  const server = createServer(async (request, response) => {
    const headers = { Authorization: request.headers.authorization ?? '', 'Accept-Encoding': 'identity' }
    const answer = await fetch(url + request.url, { headers })
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': body.length })
    if (lost === undefined || !request.url?.startsWith(`/v1/${lost}`)) return void response.end(body)
    response.write(body.subarray(0, body.length / 2), () => response.destroy())
  })
  const port = await listen(server, '127.0.0.1', 0)
  return {
    url: `http://127.0.0.1:${port}`,
    lose: (list: string) => {
      lost = list
    },
    repair: () => {
      lost = undefined
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
