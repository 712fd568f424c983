import { type ChildProcess, fork } from 'node:child_process'
import { nodeEnvironment } from '../config/config.ts'

export type ChildOptions = {
  /** How much memory JavaScript in the process may use before it is ended, in megabytes. */
  memoryMb: number
  /** Beyond what Node itself needs; it gets nothing else of this process's environment. */
  env?: Record<string, string>
  /** `captured`: what it writes to standard error is a stream, and its standard output is discarded. */
  output?: 'inherited' | 'captured'
}

/**
 * The first: young objects are not part of the limit, and V8's default lets them take another 100 MB, of which those that survive
 * must fit in it at once. The second as in src/process/heap.ts.
 */
const heapFlags = ['--max-semi-space-size=8', '--heap-growing-percent=100']

/**
 * Starts a process of Node which runs a module. Messages are copied with Maps, Sets, bytes and undefined, as they are. Such a process
 * calls endWithParent (parent.ts) first.
 */
export function forkModule(file: URL, { memoryMb, env = {}, output = 'inherited' }: ChildOptions): ChildProcess {
  return fork(file, {
    env: { ...nodeEnvironment(), ...env },
    execArgv: [...process.execArgv, `--max-old-space-size=${memoryMb}`, ...heapFlags],
    serialization: 'advanced',
    stdio: output === 'inherited' ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** Sends a message to a process, unless it has ended: that is noticed by itself. */
export function sendTo<Message extends object | string>(child: ChildProcess, message: Message): void {
  if (child.connected) child.send(message, () => undefined)
}

/** The process needed more memory than it may have. */
export class OutOfMemory extends Error {
  override name = 'OutOfMemory'
}

/** Work for a studio is not begun because too much is running: `studio` is work for the same one. */
export class Busy extends Error {
  override name = 'Busy'
  readonly reason: 'studio' | 'all'

  constructor(reason: 'studio' | 'all') {
    super('too much is running')
    this.reason = reason
  }
}

/** How much work of one kind a process does at once: each has a process and a connection of its own. */
const maxConcurrency = 2

/** @param running by the studio that it is for @throws Busy */
export function requireTurn(running: ReadonlyMap<string, unknown>, studioId: string): void {
  if (running.has(studioId)) throw new Busy('studio')
  if (running.size >= maxConcurrency) throw new Busy('all')
}

/** A process of its own for one piece of work. */
export type Task<Sent extends object | string> = {
  pid: number | undefined
  send(message: Sent): void
  /** Kills the process, and resolves when it has ended. */
  end(): Promise<void>
}

/** How much of what a process writes to standard error is kept, in characters. */
const maxOutput = 64_000

/**
 * Starts a process for one piece of work. It ends by `end()`, or with this process. `failed` is called once if it ends in any other
 * way: with OutOfMemory, or an error that says how it ended.
 */
export function startTask<Sent extends object | string, Received>(
  file: URL,
  { memoryMb }: { memoryMb: number },
  on: { message: (message: Received) => void; failed: (error: Error) => void },
): Task<Sent> {
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
    // V8's own report of a full heap is of no use to an operator; everything else may be.
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
