import { expect, it } from 'vitest'
import { makeLogger, withoutSecrets } from '../src/log.ts'

function logged(level: string, write: (log: ReturnType<typeof makeLogger>) => void): string[] {
  const lines: string[] = []
  write(makeLogger({ level, stream: { write: (line) => void lines.push(line) } }))
  return lines
}

const token = `svc_studio_abcd${'X'.repeat(28)}`

it('writes one JSON object per line, with a time and a level by name', () => {
  const [line = ''] = logged('info', (log) => log.info({ requestId: 'r-1' }, 'served'))
  expect(JSON.parse(line)).toEqual({ level: 'info', time: expect.any(String), requestId: 'r-1', msg: 'served' })
})

it('leaves out what is below the level', () => {
  expect(logged('warn', (log) => log.info('quiet'))).toEqual([])
})

it('keeps no more of an access token than its display prefix, wherever it stands', () => {
  const lines = logged('trace', (log) => {
    log.info(`called with ${token}`)
    log.info({ url: `/v1/items?key=${token}`, deep: { list: [token] } }, 'x')
    log.error(new Error(`no ${token}`))
  })
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    expect(line).toContain('svc_studio_abcd…')
    expect(line).not.toContain('XXXX')
  }
})

it('masks passwords in URLs and fields named like a secret', () => {
  const lines = logged('trace', (log) => {
    log.error(new Error('connect postgres://studio_api:hunter2@db:5432/x failed'))
    log.info({ password: 'hunter2', request: { headers: { authorization: 'hunter2', cookie: 'hunter2' } } }, 'x')
    log.info(
      { raw: ['authorization', 'hunter3'], headers: { Authorization: ['hunter2', 'hunter2 "x]" hunter2'] } },
      'x',
    )
    log.info({ config: { secretKey: 'hunter2', connectionString: 'hunter2' } }, 'x')
  })
  for (const line of lines) expect(line).not.toContain('hunter2')
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow()
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({
    password: '[secret]',
    request: { headers: { cookie: '[secret]' } },
  })
  expect(lines[0]).toContain('postgres://studio_api:***@db:5432/x')
})

it('leaves ordinary text alone', () => {
  const text = 'GET http://localhost:3000/v1/items?since=10:20@x svc_pro_abcd mail a@b.c'
  expect(withoutSecrets(text)).toBe(text)
})
