import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestService } from '../support/service.ts'

/** Loses the connection in the middle of the removals until it is repaired. */
export async function leakyProxy({ url }: TestService) {
  let leaks = true
  const server = createServer(async (request, response) => {
    const headers = { Authorization: request.headers.authorization ?? '', 'Accept-Encoding': 'identity' }
    const answer = await fetch(url + request.url, { headers })
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': body.length })
    if (!leaks || !request.url?.startsWith('/v1/removals')) return void response.end(body)
    response.write(body.subarray(0, body.length / 2), () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    repair: () => {
      leaks = false
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
