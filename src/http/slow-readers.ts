import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How fast a client must read a response: all of it in half a minute, longer for a long one. */
const standard = { stallTimeoutMs: 30_000, bytesPerSecond: 4_000, checkIntervalMs: 5_000 }

/**
 * Cuts connections whose client does not read its response. The response waits in memory, and a client that reads a
 * byte now and then never appears idle.
 */
export function endSlowReaders(server: Server, { stallTimeoutMs, bytesPerSecond, checkIntervalMs } = standard): void {
  const open = new Set<Socket>()
  /** What had been written to a connection that is behind, and its deadline. */
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
