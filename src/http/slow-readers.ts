import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may take over one piece of an answer: all of it, or 64 kB of a photo. In milliseconds. */
const patience = 30_000
const lookEvery = 5_000

/**
 * Cuts connections whose client does not take what it asked for. Its answer waits in memory, and a client that takes a
 * byte now and then never looks idle.
 */
export function endSlowReaders(server: Server, patienceMs = patience, lookEveryMs = lookEvery): void {
  const open = new Set<Socket>()
  /** What was written to a connection when it was first seen to be behind, and when that was. */
  const behind = new Map<Socket, { written: number; since: number }>()

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
      const known = behind.get(socket)
      if (socket.writableLength === 0) behind.delete(socket)
      else if (known?.written !== socket.bytesWritten) behind.set(socket, { written: socket.bytesWritten, since: now })
      else if (now - known.since >= patienceMs) socket.destroy()
    }
  }, lookEveryMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}
