import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A recorded answer of the service. */
export type Recorded = { status: number; headers: string[]; body: string }

/** A server that replays recorded answers. */
export type Replay = { url: string; stop(): Promise<void> }

/** The request header that names the recorded answer. */
export const exchangeHeader = 'x-exchange'

/** Headers of a connection, not of an answer. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding']

/**
 * Starts the server. `PUT /<name>` stores an answer; any GET with `x-exchange: <name>` takes it, once.
 *
 * With it behind Prism, an exchange that has already happened passes through the validating proxy: the test gets the bytes
 * of the service, which Prism would reserialise, and the service gets one request.
 */
export async function startReplay(): Promise<Replay> {
  const recorded = new Map<string, Recorded>()
  const server = createServer(async (request, response) => {
    if (request.method === 'PUT') {
      const text = Buffer.concat(await request.toArray()).toString()
      recorded.set((request.url ?? '').slice(1), JSON.parse(text))
      response.end()
      return
    }
    const name = String(request.headers[exchangeHeader])
    const answer = recorded.get(name)
    recorded.delete(name)
    if (answer === undefined) {
      response.writeHead(404).end()
      return
    }
    response.sendDate = false
    for (let index = 0; index < answer.headers.length; index += 2) {
      const [header = '', value = ''] = answer.headers.slice(index, index + 2)
      if (!ofConnection.includes(header.toLowerCase())) response.appendHeader(header, value)
    }
    response.writeHead(answer.status).end(Buffer.from(answer.body, 'base64'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
