import { styleText } from 'node:util'

export function print(...lines: string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}

/** Writes a line to standard error, next to an answer. */
export function remark(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Writes a warning to standard error: yellow on a terminal. */
export function warn(line: string): void {
  remark(styleText('yellow', line, { stream: process.stderr }))
}

/** Writes to standard error why a command failed and what to do: red on a terminal. */
export function complain([why = '', ...hints]: readonly string[]): void {
  remark(styleText('red', why, { stream: process.stderr }))
  for (const hint of hints) remark(hint)
}

/** Formats the last line of an answer: green on a terminal if it went well, else red. */
export const ending = (line: string, well: boolean): string =>
  styleText(well ? 'green' : 'red', line, { stream: process.stdout })

/** Writes to standard output that a command is done: green on a terminal. */
export function printDone(line: string): void {
  print(ending(line, true))
}

export const heading = (text: string): string => styleText('bold', text, { stream: process.stdout })

/** Answers as JSON for programs, or as a line for people. */
export function printResult(json: boolean, value: object, line: string): void {
  if (json) printJson(value)
  else printDone(line)
}

export const newValues = (items: number): string =>
  items === 1 ? '1 item has a new value.' : `${items} items have a new value.`

/** Writes a value to standard output as one JSON document. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** A timestamp for people: to the second, in UTC. */
export function readable(timestamp: string | null, absent = '-'): string {
  return timestamp === null ? absent : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} UTC`
}
