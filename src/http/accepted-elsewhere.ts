import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Prepares a server that listens on no port for connections that another process has accepted.
 *
 * @returns takes one of them, as if the server had accepted it
 */
export function takeConnections(server: Server): (socket: Socket) => void {
  const open = new Set<Socket>()
  server.getConnections = (callback) => {
    callback(null, open.size)
    return server
  }
  // From here on Node watches the time limits of connections.
  server.emit('listening')
  return (socket) => {
    if (open.size >= (server.maxConnections ?? Number.POSITIVE_INFINITY)) {
      socket.destroy()
      server.emit('drop')
      return
    }
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // What Node sets where it accepts connections of HTTP itself.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    server.emit('connection', socket)
  }
}
