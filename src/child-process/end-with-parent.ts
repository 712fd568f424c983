/** Processes that forkModule (start-child.ts) starts use this file: it is their connection to
 * their parent. */

/** Calls `end` when the parent has ended in any way. Ignores the signals that a terminal or
 * supervisor sends to the whole process group: the parent decides when this process ends. */
export function endWithParent(end: () => void = () => process.exit(0)): void {
  process.on('disconnect', end)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  if (!process.connected) end()
}

/** Sends a message to the parent, unless it has ended. */
export function sendToParent<Message extends object | string>(message: Message): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}
