import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { type Account, refusalOf } from './sigv4.ts'

export type Fetched = { status: number; type: string | undefined; body: string }

export type Storage = {
  endpoint: string
  /** Stores an object, without a signature. */
  put(key: string, content: string): Promise<void>
  /** Fetches a URL from this storage, whatever host it names. */
  get(url: string, method?: string): Promise<Fetched>
  close(): Promise<void>
}

/**
 * An S3-compatible storage (s3rver). It takes any Signature Version 4 for good, so a check comes before it: GET and
 * HEAD pass with a presigned URL that `refusalOf` believes, and nothing else does.
 */
export async function startStorage(bucket: string, account: Account, now: () => number): Promise<Storage> {
  const directory = await mkdtemp(join(tmpdir(), 'storage-'))
  // Its accounts are fixed; by then the check has verified the credentials, so they are not sent.
  const s3rver = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket, configs: [] }] })
  await s3rver.configureBuckets()
  const answer = s3rver.callback()
  const server = createServer((request, response) => {
    const { method = '', url: target = '', headers } = request
    const refusal = method === 'PUT' ? null : refusalOf({ method, target, host: headers.host ?? '' }, account, now())
    if (refusal !== null) {
      response.writeHead(403, { 'Content-Type': 'application/xml' }).end(`<Error><Code>${refusal}</Code></Error>`)
      return
    }
    request.url = target.split('?')[0] ?? '/'
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    endpoint: `http://127.0.0.1:${port}`,
    async put(key, content) {
      const path = `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
      const { status, body } = await ask(port, 'PUT', path, `127.0.0.1:${port}`, content)
      if (status !== 200) throw new Error(`could not store ${key}: ${body}`)
    },
    get(url, method = 'GET') {
      const { host } = new URL(url)
      return ask(port, method, url.slice(url.indexOf(host) + host.length), host)
    },
    async close() {
      server.close()
      server.closeAllConnections()
      s3rver.logger.exceptions.unhandle()
      s3rver.logger.close()
      await rm(directory, { recursive: true })
    },
  }
}

/** Sends the path unchanged: a URL object or fetch could normalize it. */
async function ask(port: number, method: string, path: string, host: string, content?: string): Promise<Fetched> {
  const headers = { Host: host, ...(content !== undefined && { 'Content-Type': 'image/png' }) }
  const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }).end(content)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks = await response.toArray()
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'],
    body: Buffer.concat(chunks).toString(),
  }
}
