import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { tokenOf, useGraphql } from './support.ts'

/** Of which one person has half. */
const poolSize = 2
const world = useGraphql({ poolSize })

const query = '{ policies(first: 1) { nodes { id } } }'

/** Sends a query and leaves before it is answered; resolves when the server has noticed that. */
async function leaveDuringQuery(queryDatabase: (sql: string) => Promise<unknown[]>): Promise<void> {
  const { port, listener } = world.graphql
  const headers = {
    Authorization: `Bearer ${await tokenOf(world.cast.a)}`,
    'Content-Type': 'application/json',
  }
  const received = once(listener.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  const sent = request({ host: '127.0.0.1', port, path: '/graphql', method: 'POST', headers, agent: false })
  sent.on('error', () => undefined)
  sent.end(JSON.stringify({ query }))
  const [, response] = await received
  const isWaiting = async () => {
    // What a transaction has seen of the sessions it sees until its end.
    await queryDatabase('select pg_stat_clear_snapshot()')
    const waiting =
      await queryDatabase(`select from pg_stat_activity where usename = 'studio_graphql' and wait_event_type = 'Lock'
        and datname = current_database()`)
    return waiting.length > 0
  }
  await vi.waitUntil(isWaiting, { timeout: 20_000 })
  const closed = once(response, 'close')
  sent.destroy()
  await closed
}

test('clients that leave during their queries keep no turn: the next query is answered', async () => {
  for (let count = 0; count <= poolSize; count++) {
    await world.asOwner(async (transaction) => {
      await transaction.query('lock table app.policies in access exclusive mode')
      await leaveDuringQuery(transaction.query)
    })
    const reply = await world.ask(query)
    expect([reply.status, reply.errors]).toEqual([200, undefined])
  }
})

test('one person has half of the connections: 20 more queries wait, the next is refused, and others are answered', async () => {
  const small = '{ account { name } }'
  const others = await tokenOf(world.cast.b)
  const waiting: ReturnType<typeof world.ask>[] = []
  await world.asOwner(async ({ query: run }) => {
    await run('lock table app.policies in access exclusive mode')
    waiting.push(...Array.from({ length: 22 }, () => world.ask(query)))
    const refused = await Promise.race(waiting)
    expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([503, 'busy'])
    expect(refused.headers['retry-after']).toBe('2')
    expect((await world.ask(small, { token: others })).status).toBe(200)
  })
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([...Array.from({ length: 21 }, () => 200), 503])
})
