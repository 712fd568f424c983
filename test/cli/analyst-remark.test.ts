import { afterEach, expect, test, vi } from 'vitest'
import { remarkPlain } from '../../src/cli/analyst/options.ts'

afterEach(() => void vi.restoreAllMocks())

/** What is said of a connection string. */
function saidOf(url: string): string {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  remarkPlain(url)
  return written.mock.calls.map(([text]) => String(text)).join('')
}

const warning = 'It does not verify the server'

test.each([
  'postgresql://a@db.example/inventory',
  'postgresql:///inventory?host=db.example',
  'postgresql://a@localhost/inventory?host=db.example',
  'postgresql://a@127.evil.example/inventory',
])('%s leads to another machine unverified, and that is said', (url) => {
  expect(saidOf(url)).toContain(warning)
})

test.each([
  'postgresql://a@localhost/inventory',
  'postgresql://a@127.0.0.1:5433/inventory',
  'postgresql://a@[::1]/inventory',
  'postgresql:///inventory?host=/var/run/postgresql',
  'postgresql://a@%2Fvar%2Frun%2Fpostgresql/inventory',
])('%s does not', (url) => {
  expect(saidOf(url)).toBe('')
})
