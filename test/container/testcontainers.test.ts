import { expect, it } from 'vitest'
import { run } from './engine.ts'

it('npm test takes its database from a container where an engine answers', async () => {
  const files = ['test/migration/migrate.test.ts', 'test/rest/account.test.ts']
  const { code, output } = await run('npx', 'vitest', 'run', '--reporter=default', ...files)
  expect(output).toMatch(/tests run on PostgreSQL 18\S* \(container postgres:18\)/)
  expect(code).toBe(0)
  expect(output).not.toContain('failed')
})
