import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, environmentWith } from '../config/config.ts'
import { findPort } from '../http/listener.ts'
import type { Logger } from '../log.ts'

// Do not import PostGraphile here: the API's process would load it, too.

/** GraphQL's port with an embedded database: GRAPHQL_PORT, the API's plus 1, or any free port. */
export function findGraphqlPort({ host, port, graphql }: Config): Promise<number> {
  if (graphql.port !== undefined) return findPort(host, graphql.port, 'GRAPHQL_PORT')
  return findPort(host, port < 65535 ? port + 1 : 0).catch(() => findPort(host, 0))
}

const main = new URL(`../cli/main${extname(import.meta.filename)}`, import.meta.url)

/** The pause before a failed process starts again, in milliseconds. */
const restartAfterMs = 2_000

/** How much longer than its requests the process may take to end, in milliseconds. */
const killAfterMs = 3_000

/** Megabytes of JavaScript memory: for the process, and for each concurrent query. */
const memoryMb = { itself: 192, query: 80 }

/** Runs GraphQL in its own process. Restarts failed ones. `ready` resolves at its first answer. */
export function startGraphql(config: Config, port: number, log: Logger) {
  const answering = Promise.withResolvers<void>()
  const stopping = new AbortController()
  const execArgv = [
    ...process.execArgv,
    `--max-old-space-size=${memoryMb.itself + memoryMb.query * config.graphql.poolSize}`,
  ]
  // The admin port belongs to this process.
  const env = environmentWith({ PUBLIC_URL: config.publicUrl, GRAPHQL_PORT: String(port), METRICS_PORT: '' })
  let child: ChildProcess | undefined

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      child = fork(main, ['graphql'], { execArgv, env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      child.once('message', () => answering.resolve())
      const [code, signal] = await once(child, 'exit').catch((error: Error) => [error.message, null])
      // A Ctrl-C while the process loads ends it by the signal; that is not a failure.
      if (stopping.signal.aborted || code === 0 || signal === 'SIGINT' || signal === 'SIGTERM') return
      log.error({ code, signal }, 'the GraphQL process has failed; it is started again')
      await sleep(restartAfterMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
  }
  const running = run()
  const stop = async () => {
    stopping.abort()
    // The child ends when this channel closes, even if this process is killed.
    if (child?.connected) child.disconnect()
    await Promise.race([running, sleep(config.shutdownTimeoutMs + killAfterMs, undefined, { ref: false })])
    child?.kill('SIGKILL')
  }
  return { ready: answering.promise, stop }
}
