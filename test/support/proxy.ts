import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A way to the database that can be listened to, closed and made to hang. */
export type DatabaseProxy = {
  /** The same connection string, led through here. */
  reach(url: string): string
  /** Everything that was sent to the database, as text. */
  sent(): string
  /** Cuts every connection and refuses new ones, as a server that is down does. */
  down(): Promise<void>
  /** Takes connections and bytes and passes nothing on, as a broken network does. */
  silence(): void
  /** Works again; what was held back is lost with its connections. */
  up(): Promise<void>
  close(): Promise<void>
}

/** Opens a way to the server of a connection string. */
export async function openProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { hostname, port: targetPort } = new URL(databaseUrl)
  const sent: Buffer[] = []
  const open = new Set<Socket>()
  let silent = false

  const server = createServer((client) => {
    const target = connect(Number(targetPort || 5432), hostname)
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(from)
      from.on('data', (chunk) => {
        if (silent) return
        if (from === client) sent.push(chunk)
        to.write(chunk)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  const port = await listenOn(server, 0)

  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  const stop = async () => {
    const closed = server.listening ? once(server, 'close') : Promise.resolve()
    server.close()
    cut()
    await closed
  }
  return {
    reach(url) {
      const led = new URL(url)
      led.hostname = '127.0.0.1'
      led.port = String(port)
      return led.href.replaceAll('+', '%20')
    },
    sent: () => Buffer.concat(sent).toString('latin1'),
    down: stop,
    silence() {
      silent = true
    },
    async up() {
      if (silent) cut()
      silent = false
      if (!server.listening) await listenOn(server, port)
    },
    close: stop,
  }
}

async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
