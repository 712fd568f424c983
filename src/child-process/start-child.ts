import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { nodeEnvironment } from '../config/config.ts'

type ChildOptions = {
  /** How much memory the process's JavaScript may use, in megabytes. */
  memoryMb: number
  /** The process gets these variables besides those that Node needs, and nothing else of this
   * process's environment. */
  env?: Record<string, string>
  /** `captured`: standard error becomes a stream, and standard output is discarded. */
  output?: 'inherited' | 'captured'
}

/** The memory limit excludes young objects, and by default V8 lets them take another 100 MB,
 * whose survivors must fit at once. The second flag is as in src/service/service.ts. */
const heapFlags = ['--max-semi-space-size=8', '--heap-growing-percent=100']

/** Starts a Node process that runs a module, which calls `endWithParent` (end-with-parent.ts) first.
 * Requests have the processors before it. Messages keep Maps, Sets, bytes and undefined. */
function forkModule(file: URL, { memoryMb, env = {}, output = 'inherited' }: ChildOptions): ChildProcess {
  const child = fork(file, {
    env: { ...nodeEnvironment(), ...env },
    execArgv: [...process.execArgv, `--max-old-space-size=${memoryMb}`, ...heapFlags],
    serialization: 'advanced',
    stdio: output === 'inherited' ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  return child
}

/** Sends a message unless the process has ended, which its events report. */
function sendTo<Message extends object | string>(child: ChildProcess, message: Message): void {
  if (child.connected) child.send(message, () => undefined)
}

/** The process needed more memory than its limit. */
export class OutOfMemory extends Error {
  override name = 'OutOfMemory'
}

/** Too much work is running to begin more. With the reason `studio`, it runs for the same studio. */
export class Busy extends Error {
  override name = 'Busy'
  readonly reason: 'studio' | 'all'

  constructor(reason: 'studio' | 'all') {
    super('too much is running')
    this.reason = reason
  }
}

/** How much work of one kind runs at once. Each has its own process and connection. */
const maxConcurrency = 2

/** @param running by studio @throws Busy */
export function requireTurn(running: ReadonlyMap<string, unknown>, studioId: string): void {
  if (running.has(studioId)) throw new Busy('studio')
  if (running.size >= maxConcurrency) throw new Busy('all')
}

type Child<Sent extends object | string> = {
  pid: number | undefined
  send(message: Sent): void
  /** Kills the process, and resolves when it has ended. */
  end(): Promise<void>
}

/** How much of a process's standard error to keep, in characters. */
const maxOutput = 64_000

/** Starts a process for one piece of work. It ends by `end()`, or with this process. If it ends
 * otherwise, calls `failed` once, with OutOfMemory or an error that says how it ended. */
export function startChild<Sent extends object | string, Received>(
  file: URL,
  { memoryMb }: { memoryMb: number },
  on: { message: (message: Received) => void; failed: (error: Error) => void },
): Child<Sent> {
  const child = forkModule(file, { memoryMb, output: 'captured' })
  let output = ''
  let ending = false
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(0, maxOutput)
  })
  child.on('message', (message) => {
    if (!ending) on.message(message as Received)
  })
  const { promise: ended, resolve: settle } = Promise.withResolvers<void>()
  const fail = (error: Error) => {
    settle()
    if (ending) return
    ending = true
    on.failed(error)
  }
  child.once('error', fail)
  child.once('close', (code, signal) => {
    const isMemory = output.includes('heap out of memory')
    // V8's report of a full heap is of no use to operators. Anything else on standard error may be.
    if (!ending && !isMemory && output !== '') process.stderr.write(output)
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
    fail(isMemory ? new OutOfMemory(`it needed more than ${memoryMb} MB`) : new Error(`its process ${how}`))
  })
  return {
    pid: child.pid,
    send: (message) => sendTo(child, message),
    end() {
      ending = true
      child.kill('SIGKILL')
      return ended
    },
  }
}
