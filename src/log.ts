import { styleText } from 'node:util'
import { type DestinationStream, destination, type Logger, pino } from 'pino'

export type { Logger }

type LogOptions = {
  level: string
  /** Writes short lines for people instead of JSON. */
  asText?: boolean
  /** 1 is standard output, 2 standard error, for commands that print their result. */
  fileDescriptor?: 1 | 2
  /** Writes each line at once: a process that is killed or out of memory loses none. */
  unbuffered?: boolean
  stream?: DestinationStream
}

/** Makes the log: one JSON object per line. Masks secrets in tokens, passwords and fields. */
export function makeLogger({ level, asText, fileDescriptor = 1, unbuffered, stream }: LogOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${timeOf(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: withoutSecrets },
    },
    stream ??
      (asText
        ? textOn(fileDescriptor)
        : unbuffered
          ? destination({ fd: fileDescriptor, sync: true })
          : inBlocks(fileDescriptor)),
  )
}

/** Writes request lines fast, perhaps later. It masks nothing: pass safe, constant fields. */
export function requestLines(log: Logger): (level: 'info' | 'error', fields: object) => void {
  const stream = (log as unknown as Record<symbol, LineStream | undefined>)[pino.symbols.streamSym]
  if (stream === undefined) throw new Error('pino does not say where it writes')
  const bound = membersOf(log.bindings())
  return (level, fields) => {
    if (!log.isLevelEnabled(level)) return
    const at = Date.now()
    const line = () => `{"level":"${level}","time":"${timeOf(at)}"${bound}${membersOf(fields)},"msg":"request"}\n`
    if (stream.writeLater === undefined) stream.write(line())
    else stream.writeLater(line)
  }
}

/** Writes errors of requests. An error that repeats is written once a second: in an outage each
 * request fails alike, and stacks would fill the disk. A line without a stack then tells how many were
 * left out; the line of each request has its status and id. */
export function requestErrors(log: Logger): (fields: object, reason: unknown, message: string) => void {
  const repeated = new Map<string, number>()
  return (fields, reason, message) => {
    const err = reason instanceof Error ? reason : new Error(String(reason))
    const kind = `${err.name}: ${err.message}`
    const leftOut = repeated.get(kind)
    if (leftOut !== undefined) return void repeated.set(kind, leftOut + 1)
    log.error({ ...fields, err }, message)
    repeated.set(kind, 0)
    const report = () => {
      const left_out = repeated.get(kind)
      repeated.delete(kind)
      if (left_out) log.error({ reason: kind, left_out }, message)
    }
    setTimeout(report, 1_000).unref()
  }
}

/** The members of an object as JSON, each after a comma. */
function membersOf(fields: object): string {
  const json = JSON.stringify(fields).slice(1, -1)
  return json === '' ? '' : `,${json}`
}

/** Keeps the text of the last millisecond, which several lines share under load. */
function timeOf(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}

let last = { ms: 0, text: '' }

/** Writes after this many lines or milliseconds, whichever comes first, and at exit. */
const blockLines = 64
const afterMs = 100

type LineStream = DestinationStream & {
  /** Makes the line when its block is written, because lines that are made in a row take a fraction
   * of the time. */
  writeLater?(line: () => string): void
}

const files = new Map<number, LineStream>()

/** Writes lines in blocks, because one write per line costs more than the request. Writes are
 * synchronous, so an exit loses none; pino's buffer (`minLength`) copies it with each line. */
function inBlocks(fd: number): LineStream {
  const opened = files.get(fd)
  if (opened) return opened
  const file = destination({ fd, sync: true })
  let lines: (string | (() => string))[] = []
  let isDue = false
  const flush = () => {
    if (lines.length === 0) return
    const block = lines.map((line) => (typeof line === 'string' ? line : line())).join('')
    lines = []
    file.write(block)
  }
  process.on('exit', () => {
    flush()
    file.flushSync()
  })
  const write = (line: string | (() => string)) => {
    lines.push(line)
    if (lines.length >= blockLines) return flush()
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      flush()
    }, afterMs).unref()
  }
  const stream = { write, writeLater: write }
  files.set(fd, stream)
  return stream
}

/** Writes each line at once, as a person reads it. */
function textOn(fd: 1 | 2): DestinationStream {
  const file = destination({ fd, sync: true })
  return { write: (line) => file.write(asText(line, fd === 1 ? process.stdout : process.stderr)) }
}

const colours = { warn: 'yellow', error: 'red', fatal: 'red' } as const

/** One line for people: the time, then a request's result, or a message with its fields.
 * @param line JSON, as the log has it */
export function asText(line: string, terminal?: NodeJS.WritableStream): string {
  const { level, time, msg, from, method, route, parameters, status, duration_ms: ms, ...fields } = JSON.parse(line)
  const clock = new Date(time).toTimeString().slice(0, 8)
  if (msg === 'request') return `${clock}  ${status} ${method} ${route}  ${Math.round(ms)} ms\n`
  const known = Object.entries(fields).map(([name, value]) => `${name} ${inWords(value)}`)
  const about = known.length === 0 ? '' : `: ${known.join(', ')}`
  const said = `${clock}  ${String(msg ?? level).replace(`${from}: `, '')}${about}`
  const colour = colours[level as keyof typeof colours]
  return `${colour ? styleText(colour, said, terminal && { stream: terminal }) : said}\n`
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(', ')
  const text = typeof value === 'object' && value !== null && 'stack' in value ? value.stack : value
  return typeof text === 'string' ? text : JSON.stringify(text)
}

/** A field named like a secret, in a finished line: cheaper than searching the logged object. */
const secretField =
  /("(?:password|secret|secretKeys?|otherSecretKeys|secret_key|clientSecret|client_secret|idToken|id_token|access_token|token|authorization|cookie|connectionString)":)(?:"(?:[^"\\]|\\.)*"|\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])/gi
const accessToken = /(svc_[a-z]{1,16}_[0-9A-Za-z]{4})[0-9A-Za-z]+/g
const urlPassword = /([a-z][a-z0-9+.-]*:\/\/[^\s:/?#@"\\]*:)[^\s/?#@"\\]+@/gi

/** Masks secrets in tokens, passwords in URLs, and the values of fields named like secrets. */
export function withoutSecrets(text: string): string {
  const masked = text.replace(secretField, '$1"[secret]"')
  const withoutTokens = masked.includes('svc_') ? masked.replace(accessToken, '$1…') : masked
  return withoutTokens.includes('://') ? withoutTokens.replace(urlPassword, '$1***@') : withoutTokens
}
