/** What a process that was started by forkModule (child.ts) shares with the one that started it. */

/**
 * Calls `end` when the parent has ended, however it did. The signals that a terminal and a supervisor send to all processes of a
 * group are ignored: the parent says when this one ends.
 */
export function endWithParent(end: () => void = () => process.exit(0)): void {
  process.on('disconnect', end)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  if (!process.connected) end()
}

/** Sends a message to the parent, unless it has ended. */
export function sendToParent<Message extends object | string>(message: Message): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
