import { connect } from 'node:net'
import type { Response } from './validator.ts'

/** Sends a request that names its host twice, which no HTTP client would, and reads the answer. */
export async function askWithTwoHosts(port: number, path: string): Promise<Response & { text: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: one.example\r\nHost: two.example\r\n\r\n`)
  const answer = Buffer.concat(await socket.toArray()).toString()
  const [head = '', text = ''] = answer.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(': ')
    return [name.toLowerCase(), value.join(': ')]
  })
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), json: JSON.parse(text), text }
}
