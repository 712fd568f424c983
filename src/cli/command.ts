import { styleText } from 'node:util'
import { Command, Help, InvalidArgumentError, Option } from 'commander'
import { isDay } from '../domain/dates.ts'
import type { Context, Session } from './session.ts'

/** A command with notes and examples after its help, within the terminal's width. */
class ProgramCommand extends Command {
  notes(text: string): this {
    return this.addHelpText('after', () => fitted(text, columns()))
  }
}

/** How wide the terminal is; 80 without one. */
const columns = () => process.stdout.columns || 80

/** Wraps paragraphs. Indented lines are examples, and continue as in a shell. */
function fitted(text: string, width: number): string {
  const paragraphs = text.replace(/(?<=\S)\n(?=\S)/g, ' ').split('\n')
  return paragraphs.map((line) => wrapped(line, width)).join('\n')
}

function wrapped(line: string, width: number): string {
  if (line.length <= width) return line
  const isExample = line.startsWith('  ')
  // Breaks an example before an option or an operator, and never within quotes.
  const pieces = isExample
    ? line.trim().split(/ (?=--|[|&<>]|[A-Z_]+=|studio-inventory )|(?<=") (?=\w)/)
    : line.split(' ')
  const [indent, goesOn] = isExample ? ['  ', ' \\\n    '] : ['', '\n']
  let left = width - indent.length
  const [first = '', ...rest] = pieces
  left -= first.length
  return rest.reduce((done, piece) => {
    left -= piece.length + 1
    if (left >= goesOn.indexOf('\n')) return `${done} ${piece}`
    left = width - (isExample ? 4 : 0) - piece.length
    return `${done}${goesOn}${piece}`
  }, `${indent}${first}`)
}

/** A command of the program. Wrong use points to its help. */
export function command(name: string): ProgramCommand {
  return new ProgramCommand(name)
    .showHelpAfterError('Add --help to see its usage.')
    .configureHelp({
      minWidthToWrap: 20,
      styleTitle: (title) => styleText('bold', title, { stream: process.stdout }),
      commandUsage: (each) => wrapped(new Help().commandUsage(each), columns() - 7).replaceAll('\n', '\n       '),
    })
    .configureOutput({ outputError: (text, write) => write(styleText('red', text, { stream: process.stderr })) })
}

/** Makes a command print one JSON document on standard output, and nothing if it fails. Lists
 * are arrays, everything else is an object; names are in snake_case, timestamps RFC 3339 in
 * UTC. */
export function jsonOption(): Option {
  return new Option('--json', 'print the result as JSON').default(false)
}

/** Options of a command that acts in a person's name. */
export type ActorOptions = { by?: string; json: boolean }

/** An action on the database in use. Loads its code when it runs, so that help is fast. */
export function onDatabase<Args extends unknown[]>(
  context: Context,
  work: (session: Session, ...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const { withDatabase } = await import('./session.ts')
    await withDatabase(context, (session) => work(session, ...args))
  }
}

/** Reads a day as YYYY-MM-DD. @throws InvalidArgumentError */
export function day(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('Write a day such as 2027-01-31.')
  return text
}

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max)) {
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`)
    }
    return number
  }
}
