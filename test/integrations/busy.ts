import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service of which every third request is answered with 429, however slowly a tool asks. */
export async function makeBusy(url: string): Promise<{ address: string; close(): Promise<void> }> {
  let asked = 0
  const server = createServer(async (request, response) => {
    asked += 1
    if (asked % 3 === 0) {
      response.writeHead(429, { 'Content-Type': 'application/problem+json', 'Retry-After': '1' })
      response.end('{"status":429,"code":"rate_limited"}')
      return
    }
    const headers = { Authorization: request.headers.authorization ?? '' }
    const answer = await fetch(url + request.url, { headers })
    const kept = ['content-type', 'link', 'next-updated-since'].flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(kept)).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { address: `http://127.0.0.1:${port}`, close }
}
