import { type DestinationStream, destination, type Logger, pino } from 'pino'

export type { Logger }

export type LogOptions = {
  level: string
  /** 1 is standard output, 2 is standard error (for commands, whose standard output is their result). */
  fileDescriptor?: 1 | 2
  /** Writes each line at once: a process that may be killed or run out of memory then loses none. */
  unbuffered?: boolean
  /** An alternative destination; for tests. */
  stream?: DestinationStream
}

/** Makes the log: one JSON object per line, without the secret part of tokens, passwords and secret fields. */
export function makeLogger({ level, fileDescriptor = 1, unbuffered, stream }: LogOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${timeOf(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: withoutSecrets },
    },
    stream ?? (unbuffered ? destination({ fd: fileDescriptor, sync: true }) : inBlocks(fileDescriptor)),
  )
}

/** Makes a fast writer of request lines. It masks nothing, and may write later: the fields must be safe, and not change. */
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

/** The members of an object as JSON, each after a comma. */
function membersOf(fields: object): string {
  const json = JSON.stringify(fields).slice(1, -1)
  return json === '' ? '' : `,${json}`
}

/** RFC 3339 of a moment. The last text is kept: under load several lines are of one millisecond. */
function timeOf(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}

let last = { ms: 0, text: '' }

/** Lines are written once there are so many, or after so many milliseconds. The rest is written at exit. */
const blockLines = 64
const afterMs = 100

type LineStream = DestinationStream & {
  /** Writes a line that is made with its block: in a row, lines take a fraction of what one takes between other work. */
  writeLater?(line: () => string): void
}

const files = new Map<number, LineStream>()

/**
 * Writes lines in blocks: one write per line costs more than the request's own work. Writes are synchronous,
 * so an exit loses none; pino's buffer (`minLength`) would copy its content with every line.
 */
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

/** A field named like a secret, in a finished line. Far cheaper than looking through the object that is logged. */
const secretField =
  /("(?:password|secret|secretKey|secret_key|clientSecret|client_secret|idToken|id_token|access_token|token|authorization|cookie|connectionString)":)(?:"(?:[^"\\]|\\.)*"|\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])/gi
const accessToken = /(svc_[a-z]{1,16}_[0-9A-Za-z]{4})[0-9A-Za-z]+/g
const urlPassword = /([a-z][a-z0-9+.-]*:\/\/[^\s:/?#@"\\]*:)[^\s/?#@"\\]+@/gi

/** The text without the secret part of access tokens, passwords in URLs, and the values of fields named like secrets. */
export function withoutSecrets(text: string): string {
  const masked = text.replace(secretField, '$1"[secret]"')
  const withoutTokens = masked.includes('svc_') ? masked.replace(accessToken, '$1…') : masked
  return withoutTokens.includes('://') ? withoutTokens.replace(urlPassword, '$1***@') : withoutTokens
}
