import { connect, type Socket } from 'node:net'

/** An answer as it came: the body's length, what of it came first, and all of it where that was asked for. */
export type Answer = { status: number; announced: number | undefined; bytes: number; begins: boolean; body: string }

/** One connection that is kept alive, with one request at a time. */
export type Connection = {
  /**
   * @param request all of its bytes
   * @param contains text that the first part of the body has to contain; `begins` says whether it does
   * @param whole whether `body` is wanted; that of another status than 200 always comes
   */
  exchange(request: string, contains: string | undefined, whole: boolean): Promise<Answer>
  close(): void
}

/**
 * Opens a connection for a load generator: all it does is read the status, the length and the bytes, into one buffer, so that of the
 * processor it shares with the servers it takes as little as can be.
 */
export function openConnection(origin: string): Connection {
  const { hostname, port } = new URL(origin)
  let reading: Reading | undefined
  let failed: Error | undefined
  const socket: Socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback(length, buffer) {
        if (reading?.take(Buffer.from(buffer.buffer, buffer.byteOffset, length))) reading = undefined
        return true
      },
    },
  })
  const fail = (error: Error) => {
    failed = error
    reading?.fail(error)
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error(`${origin} closed the connection`)))
  return {
    exchange: (request, contains, whole) =>
      new Promise((resolve, reject) => {
        if (failed !== undefined) return reject(failed)
        reading = readAnswer(contains, whole, resolve, reject)
        socket.write(request, 'latin1')
      }),
    close: () => socket.destroy(),
  }
}

/** An answer that is being read; `take` says whether it is complete. What it is given is overwritten afterwards. */
type Reading = { take(part: Buffer): boolean; fail(error: Error): void }

const endOfHead = '\r\n\r\n'
const endOfChunks = '0\r\n\r\n'

function readAnswer(
  contains: string | undefined,
  whole: boolean,
  resolve: (answer: Answer) => void,
  fail: (error: Error) => void,
): Reading {
  const answer: Answer = { status: 0, announced: undefined, bytes: 0, begins: contains === undefined, body: '' }
  const parts: Buffer[] = []
  let head: Buffer | undefined

  function takeBody(part: Buffer): boolean {
    if (answer.bytes === 0 && contains !== undefined) answer.begins = part.includes(contains)
    answer.bytes += part.length
    if (whole || answer.status !== 200 || answer.announced === undefined) parts.push(Buffer.from(part))
    return answer.announced === undefined ? endChunks() : answer.bytes >= answer.announced && end(parts)
  }

  function endChunks(): boolean {
    const raw = Buffer.concat(parts)
    if (!raw.subarray(-endOfChunks.length).equals(Buffer.from(endOfChunks))) return false
    const body = withoutChunks(raw)
    answer.bytes = body.length
    return end([body])
  }

  function end(bodies: Buffer[]): true {
    answer.body = Buffer.concat(bodies).toString('utf8')
    resolve(answer)
    return true
  }

  return {
    take(part) {
      if (answer.status !== 0) return takeBody(part)
      const bytes = head === undefined ? part : Buffer.concat([head, part])
      const length = bytes.indexOf(endOfHead)
      if (length < 0) {
        head = Buffer.from(bytes)
        return false
      }
      const text = bytes.toString('latin1', 0, length)
      answer.status = Number(text.slice(9, 12))
      const announced = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
      if (announced !== undefined) answer.announced = Number(announced)
      const body = bytes.subarray(length + endOfHead.length)
      if (announced === '0' || answer.status === 304) return end([])
      return body.length > 0 && takeBody(body)
    },
    fail,
  }
}

/** What a chunked body says. */
function withoutChunks(raw: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const line = raw.indexOf('\r\n', at)
    const length = Number.parseInt(raw.toString('latin1', at, line), 16)
    if (!(length > 0)) return Buffer.concat(chunks)
    chunks.push(raw.subarray(line + 2, line + 2 + length))
    at = line + 2 + length + 2
  }
}
