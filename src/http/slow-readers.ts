import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What a client must take of an answer: all of it in half a minute, and longer where it is long. */
const standard = { stallTimeoutMs: 30_000, bytesPerSecond: 4_000, checkIntervalMs: 5_000 }

/**
 * Cuts connections whose client does not take what it asked for. Its answer waits in memory, and a client that takes a
 * byte now and then never looks idle.
 */
export function endSlowReaders(server: Server, { stallTimeoutMs, bytesPerSecond, checkIntervalMs } = standard): void {
  const open = new Set<Socket>()
  /** What had been written to a connection that is behind, and until when it may be. */
  const behind = new Map<Socket, { written: number; until: number }>()

  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      behind.delete(socket)
    })
  })

  const timer = setInterval(() => {
    const now = Date.now()
    for (const socket of open) {
      const { writableLength: pending, bytesWritten: written } = socket
      const known = behind.get(socket)
      if (pending === 0) behind.delete(socket)
      else if (known?.written !== written) {
        behind.set(socket, { written, until: now + stallTimeoutMs + (1000 * pending) / bytesPerSecond })
      } else if (now > known.until) socket.destroy()
    }
  }, checkIntervalMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}
