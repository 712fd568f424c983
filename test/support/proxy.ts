import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A way to the database that a test can listen to, close and let hang. */
export type DatabaseProxy = {
  /** The same connection string, led through here. */
  reach(url: string): string
  /** Everything that was sent to the database, as text. */
  sent(): string
  /** Cuts every connection and refuses new ones, as a server that is down does. */
  down(): Promise<void>
  /** Takes connections and bytes and passes nothing on, as a broken network does. */
  silence(): void
  /** Passes answers on so many milliseconds late; 0 at once. */
  delay(milliseconds: number): void
  /** Lets the database forget every connection without telling the client. New connections work. */
  halfOpen(): void
  /** Works again; buffered data are lost with its connections. */
  up(): Promise<void>
  close(): Promise<void>
}

/** Opens a way to the server of a connection string, at an address. */
export async function openProxy(databaseUrl: string, address = '127.0.0.1'): Promise<DatabaseProxy> {
  const { hostname, port: targetPort } = new URL(databaseUrl)
  const sent: Buffer[] = []
  const open = new Set<Socket>()
  /** Ends connections whose other end has gone without telling them. */
  const orphans = new Set<Socket>()
  const targets = new Set<Socket>()
  let silent = false
  let late = 0

  const server = createServer((client) => {
    const target = connect(Number(targetPort || 5432), hostname)
    targets.add(target)
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(from)
      from.on('data', (chunk) => {
        if (silent || orphans.has(from)) return
        if (from === client) sent.push(chunk)
        if (late > 0 && from === target) setTimeout(() => to.writable && to.write(chunk), late)
        else to.write(chunk)
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        open.delete(from)
        targets.delete(from)
        if (!orphans.has(to)) to.destroy()
      })
    }
  })
  const port = await listenOn(server, 0, address)

  const forget = () => {
    for (const socket of open) if (!targets.has(socket)) orphans.add(socket)
    for (const socket of targets) socket.destroy()
  }
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
      led.hostname = address
      led.port = String(port)
      return led.href.replaceAll('+', '%20')
    },
    sent: () => Buffer.concat(sent).toString('latin1'),
    down: stop,
    silence() {
      silent = true
    },
    delay(milliseconds) {
      late = milliseconds
    },
    halfOpen: forget,
    async up() {
      if (silent) cut()
      silent = false
      if (!server.listening) await listenOn(server, port, address)
    },
    close: stop,
  }
}

async function listenOn(server: Server, port: number, address: string): Promise<number> {
  server.listen(port, address)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
