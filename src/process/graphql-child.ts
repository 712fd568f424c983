import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, environmentWith } from '../config/config.ts'
import { findPort } from '../http/listener.ts'
import type { Logger } from '../log.ts'

// Nothing here may import PostGraphile: the process of the API would load it too.

/** The port of GraphQL with an embedded database: GRAPHQL_PORT, else the next after the API's, else any free one. */
export function findGraphqlPort({ host, port, graphql }: Config): Promise<number> {
  if (graphql.port !== undefined) return findPort(host, graphql.port, 'GRAPHQL_PORT')
  return findPort(host, port < 65535 ? port + 1 : 0).catch(() => findPort(host, 0))
}

const main = new URL(`../cli/main${extname(import.meta.filename)}`, import.meta.url)

/** How long a process that has failed is left alone before it is started again, in milliseconds. */
const restartAfterMs = 2_000

/** How much longer than requests under way the process may take to end, in milliseconds. */
const killAfterMs = 3_000

/** Megabytes of JavaScript memory: for the process, and for each query that runs at a time. */
const memoryMb = { itself: 192, query: 80 }

/** Runs GraphQL in another process, and restarts it when it fails. `ready` resolves at its first answer. */
export function startGraphql(config: Config, port: number, log: Logger) {
  const answering = Promise.withResolvers<void>()
  const stopping = new AbortController()
  const execArgv = [
    ...process.execArgv,
    `--max-old-space-size=${memoryMb.itself + memoryMb.query * config.graphql.poolSize}`,
  ]
  // The admin port is this process's.
  const env = environmentWith({ PUBLIC_URL: config.publicUrl, GRAPHQL_PORT: String(port), METRICS_PORT: '' })
  let child: ChildProcess | undefined

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      child = fork(main, ['graphql'], { execArgv, env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      child.once('message', () => answering.resolve())
      const [code, signal] = await once(child, 'exit').catch((error: Error) => [error.message, null])
      // A Ctrl-C that reaches it while it loads ends it by the signal: it was told to end, and has not failed.
      if (stopping.signal.aborted || code === 0 || signal === 'SIGINT' || signal === 'SIGTERM') return
      log.error({ code, signal }, 'the GraphQL process has failed; it is started again')
      await sleep(restartAfterMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
  }
  const running = run()
  const stop = async () => {
    stopping.abort()
    // It ends when the channel to this process is closed, also when this process is killed.
    if (child?.connected) child.disconnect()
    await Promise.race([running, sleep(config.shutdownTimeoutMs + killAfterMs, undefined, { ref: false })])
    child?.kill('SIGKILL')
  }
  return { ready: answering.promise, stop }
}
