import type { RunningServer } from '../dev/embedded/running.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { identify } from './identity.ts'
import { repeat } from './repeat.ts'

/** How often it is checked whether the server still runs, in milliseconds. */
const intervalMs = 1_000

/**
 * Starts a server again when it has ended although it is in use: it was killed, by somebody or for want of memory, or it crashed.
 * Says so in the log. It comes back on its port, which connection strings name; when that is taken, the log says what to do.
 *
 * @param start finds or starts the server, also when another process does the same
 * @returns stops watching; resolves when no start is under way any more
 */
export function keepRunning(
  server: RunningServer,
  start: () => Promise<RunningServer>,
  log: Logger,
): () => Promise<void> {
  let { pid, port } = server
  let name: string | undefined
  return repeat(
    async () => {
      name ??= await identify(pid)
      if (name !== undefined && (await identify(pid)) === name) return
      log.error({ pid }, 'the embedded PostgreSQL has ended; it is started again')
      const found = await start()
      pid = found.pid
      name = await identify(pid)
      if (found.port === port) return log.info({ pid, port }, 'the embedded PostgreSQL runs again')
      log.error(
        { port, now: found.port },
        "the embedded PostgreSQL's port was taken: restart the service, which uses the old one",
      )
      port = found.port
    },
    intervalMs,
    { failed: (error) => log.error({ reason: messageOf(error) }, 'the embedded PostgreSQL cannot be started again') },
  )
}
