import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { findPort, ListenError, listen } from '../../src/http/listener.ts'

test('port 0 is any free port, another port is kept when it is free', async () => {
  const port = await findPort('127.0.0.1', 0)
  expect(port).toBeGreaterThan(0)
  expect(await findPort('127.0.0.1', port)).toBe(port)
})

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
