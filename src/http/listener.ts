import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import type { Logger } from '../log.ts'

/** The service cannot listen. The message tells the operator in one line what to do. */
export class ListenError extends Error {
  override name = 'ListenError'
}

/** Node's errors when files or memory run short; it may accept the next connection. */
const shortages = ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']
const shortageAdvice = 'raise the limits of open files (ulimit -n, fs.file-max), or lower MAX_CONNECTIONS'

/** How often a shortage is logged, in milliseconds. */
const shortageIntervalMs = 10_000

/** Starts to listen. Logs connections that fail for want of files or memory. Without a log, and
 * for any other error of the listening socket, the process ends.
 * @param variable the environment variable that sets the port
 * @returns the given port, or the one that the system chose for 0
 * @throws ListenError */
export async function listen(
  server: Server,
  host: string,
  port: number,
  variable = 'PORT',
  log?: Logger,
): Promise<number> {
  server.listen({ host, port })
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new ListenError(explain(error, host, port, variable))
  })
  const listening = (server.address() as AddressInfo).port
  if (log) reportShortages(server, listening, log)
  return listening
}

/** Checks early that the port is free; for 0, finds a free one. @throws ListenError */
export async function findPort(host: string, port: number, variable = 'PORT'): Promise<number> {
  const probe = createTcpServer()
  const found = await listen(probe, host, port, variable)
  await new Promise((resolve) => probe.close(resolve))
  return found
}

function reportShortages(server: Server, port: number, log: Logger): void {
  let silentUntil = 0
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (!shortages.includes(error.code ?? ''))
      throw new ListenError(`port ${port} can no longer be listened on: ${error.message}`)
    if (Date.now() < silentUntil) return
    silentUntil = Date.now() + shortageIntervalMs
    log.error({ port, code: error.code, advice: shortageAdvice }, 'a connection could not be accepted')
  })
}

function explain(error: NodeJS.ErrnoException, host: string, port: number, variable: string): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `port ${port} is taken: set ${variable} to another, for example ${variable}=${port < 65535 ? port + 1 : 3000}`
    case 'EACCES':
      return `this user may not listen on port ${port}: set ${variable} to one above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine: set HOST to one, for example 127.0.0.1 or 0.0.0.0`
    default:
      return `cannot listen on ${host}, port ${port}: ${error.message}`
  }
}
