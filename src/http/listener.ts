import { createServer as createTcpServer, type Server } from 'node:net'

/** The service cannot listen where it should. The message is one line that says what to do. */
export class ListenError extends Error {
  override name = 'ListenError'
}

/**
 * Starts to listen. Several workers share the port of the API; every other port belongs to one process.
 *
 * @param variable the environment variable that sets the port
 * @returns the port: the given one, or the one that the system chose for 0
 * @throws ListenError
 */
export async function listen(server: Server, host: string, port: number, variable = 'PORT'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(new ListenError(explain(error, host, port, variable)))
    server.once('error', fail)
    server.listen({ host, port, exclusive: variable !== 'PORT' }, () => {
      server.off('error', fail)
      resolve()
    })
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/**
 * Makes sure that the port is free before anything slower is started, and chooses a free one for 0.
 *
 * @throws ListenError
 */
export async function findPort(host: string, port: number, variable = 'PORT'): Promise<number> {
  const probe = createTcpServer()
  const found = await listen(probe, host, port, variable)
  await new Promise((resolve) => probe.close(resolve))
  return found
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
