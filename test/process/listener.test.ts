import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findPort, ListenError, listen } from '../../src/http/listener.ts'
import { makeLogger } from '../../src/log.ts'

test('a taken port is refused in words that say what to do', async () => {
  const server = createServer()
  const port = await listen(server, '127.0.0.1', 0)
  await expect(findPort('127.0.0.1', port)).rejects.toThrow(ListenError)
  await expect(findPort('127.0.0.1', port)).rejects.toThrow(`port ${port} is taken: set PORT to another`)
  server.close()
})

test('an address of another machine is refused in words that say what to do', async () => {
  await expect(findPort('192.0.2.1', 0)).rejects.toThrow('192.0.2.1 is not an address of this machine: set HOST')
})

describe('once it listens', () => {
  const failed = (code: string) => Object.assign(new Error(`accept ${code}`), { code })
  async function listening() {
    const lines: string[] = []
    const log = makeLogger({ level: 'info', stream: { write: (line) => void lines.push(line) } })
    const server = createServer()
    const port = await listen(server, '127.0.0.1', 0, 'PORT', log)
    onTestFinished(() => void server.close())
    return { server, port, lines }
  }

  test.each(['EMFILE', 'ENOBUFS'])(
    'a connection that %s keeps from being accepted is logged with what to do, and the service continues',
    async (code) => {
      const { server, lines } = await listening()
      server.emit('error', failed(code))
      server.emit('error', failed(code))
      expect(lines).toHaveLength(1)
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        ...{ level: 'error', code, msg: 'a connection could not be accepted' },
        advice: expect.stringContaining('MAX_CONNECTIONS'),
      })
      expect(server.listening).toBe(true)
    },
  )

  test('any other error of the socket is thrown, in words that name the port', async () => {
    const { server, port, lines } = await listening()
    expect(() => server.emit('error', failed('EINVAL'))).toThrow(
      `port ${port} can no longer be listened on: accept EINVAL`,
    )
    expect(lines).toEqual([])
  })
})
