import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { CommandError, Interrupted } from './failure.ts'
import { remark } from './output.ts'

/** The terminal for questions; undefined: there is none. */
export type Terminal = { input: NodeJS.ReadableStream; output: NodeJS.WritableStream } | undefined

function terminal(): Terminal {
  return process.stdin.isTTY && process.stderr.isTTY ? { input: process.stdin, output: process.stderr } : undefined
}

/** A person's answer; empty at the end of input. @throws Interrupted on Ctrl-C */
async function answerTo(question: string, tty: NonNullable<Terminal>, interruptedMessage: string): Promise<string> {
  const dialogue = createInterface(tty)
  let interrupted = false
  // In a dialogue, Ctrl-C is a key, not a signal.
  dialogue.on('SIGINT', () => {
    interrupted = true
    dialogue.close()
  })
  try {
    const ended = once(dialogue, 'close').then(() => '')
    const answer = await Promise.race([dialogue.question(question), ended])
    if (interrupted) {
      remark('')
      throw new Interrupted('SIGINT', interruptedMessage)
    }
    return answer.trim()
  } finally {
    dialogue.close()
  }
}

type Confirmation = {
  /** What will happen, in full sentences. */
  what: string
  yes: boolean
  tty?: Terminal
  /** What the person must type. Undefined: y. */
  typed?: string
  /** What did not happen if the person refuses. */
  nothing?: string
}

/** Says what will happen, and continues when a person agrees or has given --yes.
 * @throws CommandError when they refuse or cannot be asked; Interrupted on Ctrl-C */
export async function requireConsent({
  what,
  yes,
  tty = terminal(),
  typed,
  nothing = 'Nothing was changed.',
}: Confirmation): Promise<void> {
  if (yes) return remark(what)
  if (tty === undefined) throw new CommandError(`${what} ${nothing}`, 'Without a terminal, confirm it with --yes.')
  const question = typed === undefined ? `${what} Go on? [y/N] ` : `${what}\nType ${typed} to confirm: `
  const answer = await answerTo(question, tty, nothing)
  if (typed === undefined ? /^y(?:es)?$/i.test(answer) : answer === typed.trim()) return
  throw new CommandError(typed === undefined || answer === '' ? nothing : `${answer} is not ${typed}. ${nothing}`)
}
