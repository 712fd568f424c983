import { connect } from 'node:net'
import { median } from './bar.ts'

/** A request, and a text that every right answer contains. */
export type Ask = { path: string; token: string; contains: string }

/** One round: requests a second, and the median latency in milliseconds. */
export type Round = { perSecond: number; p50: number }

/** The round ends after so many milliseconds and at least `least` answers. */
type Load = { origin: string; next: Next; connections?: number; ms: number; least?: number }

/** The next request of a connection, whose last answer had this head. */
export type Next = (connection: number, head: string) => Ask

/** Sends one request at a time over each connection. Throws at the first wrong answer. */
export function load({ origin, next, connections = 16, ms, least = 0 }: Load) {
  const { hostname, port, host } = new URL(origin)
  const latencies: number[] = []
  let open = connections
  const began = performance.now()
  return new Promise<Round>((resolve, reject) => {
    const sockets = Array.from({ length: connections }, (_, connection) => {
      let [ask, sent, head, length, received, found] = [{ path: '', token: '', contains: '' }, 0, '', -1, 0, false]
      const socket = connect({
        ...{ host: hostname, port: Number(port), noDelay: true },
        onread: {
          buffer: Buffer.allocUnsafe(64 * 1024),
          callback(bytes, buffer) {
            take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
            return true
          },
        },
      })
      const send = () => {
        if (performance.now() - began >= ms && latencies.length >= least) {
          open -= 1
          if (open === 0) end()
          return void socket.destroy()
        }
        ask = next(connection, head)
        ;[sent, head, length, received, found] = [performance.now(), '', -1, 0, false]
        const fields = `Host: ${host}\r\nAuthorization: Bearer ${ask.token}\r\n`
        socket.write(`GET ${ask.path} HTTP/1.1\r\n${fields}\r\n`, 'latin1')
      }
      const take = (part: Buffer) => {
        found ||= part.includes(ask.contains)
        received += part.length
        if (length < 0) {
          head += part.toString('latin1')
          const body = head.indexOf('\r\n\r\n') + 4
          if (body < 4) return
          length = Number(/\r\ncontent-length: *(\d+)/i.exec(head.slice(0, body))?.[1])
          received = head.length - body
          if (!head.startsWith('HTTP/1.1 200')) end(`${ask.path}: ${head}`)
          if (Number.isNaN(length)) end(`${ask.path}: an answer without its length`)
        }
        if (received < length) return
        if (received > length) end(`${ask.path}: ${received} bytes instead of ${length}`)
        if (!found) end(`${ask.path}: does not contain ${ask.contains}`)
        latencies.push(performance.now() - sent)
        send()
      }
      socket.on('connect', send)
      socket.on('error', (error) => end(error.message))
      socket.on('end', () => end(`${origin} closed the connection`))
      return socket
    })
    const end = (wrong?: string) => {
      for (const socket of sockets) socket.destroy()
      if (wrong !== undefined) return reject(new Error(wrong))
      const seconds = (performance.now() - began) / 1_000
      resolve({ perSecond: latencies.length / seconds, p50: median(latencies) })
    }
  })
}

export async function answerTo(origin: string, { path, token }: Pick<Ask, 'path' | 'token'>): Promise<string> {
  const response = await fetch(origin + path, { headers: { Authorization: `Bearer ${token}` } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
  return text
}

/** One server in a contest, and what it is asked; `from` begins each round. */
export type Contestant = { name: string; origin: string; from(): Next; least?: number }

export type Pace = { rounds: number; ms: number; warmUpMs: number; deepPages: number }

/** Lets the servers answer in turns, each time in another order. */
export async function contest(
  contestants: Contestant[],
  pace: Pace,
  { connections = 16, before = async () => undefined }: { connections?: number; before?(): Promise<unknown> } = {},
): Promise<Map<string, Round[]>> {
  const rounds = new Map(contestants.map(({ name }) => [name, [] as Round[]]))
  for (let round = 0; round < pace.rounds; round++) {
    await before()
    for (let turn = 0; turn < contestants.length; turn++) {
      const { name, origin, from, least = 0 } = contestants[(turn + round) % contestants.length] as Contestant
      const next = from()
      // The first requests of a turn meet closed connections and plans that nobody has made.
      await load({ origin, connections, next, ms: pace.warmUpMs })
      rounds.get(name)?.push(await load({ origin, connections, next, ms: pace.ms, least }))
    }
  }
  return rounds
}

/** The ratio of the two, round by round. */
export function ratios(one: number[], other: number[]): number[] {
  return one.map((value, round) => value / (other[round] ?? Number.NaN))
}
