import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const project = join(import.meta.dirname, '../..')
const text = (file: string) => readFile(join(project, file), 'utf8')
const [base, analysts] = await Promise.all(
  ['compose.yaml', 'docs/deployment/compose.analysts.yaml'].map(async (file) =>
    parse(await text(file), { merge: true }),
  ),
)

test('nothing is published but the API and GraphQL, and that on this machine only', () => {
  const published = Object.entries<{ ports?: string[] }>(base.services).filter(([, { ports }]) => ports !== undefined)
  expect(published.map(([name]) => name)).toEqual(['api', 'graphql'])
  for (const [, { ports = [] }] of published) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
})

test('asked for, PostgreSQL is published with TLS and the rules of pg_hba.conf', () => {
  const { command, ports, volumes } = analysts.services.postgres
  expect(ports).toHaveLength(1)
  expect(command).toEqual(expect.arrayContaining(['--ssl=on', '--hba_file=/etc/postgresql/pg_hba.conf']))
  expect(volumes).toContain('./docs/deployment/pg_hba.conf:/etc/postgresql/pg_hba.conf:ro')
})

test('what pg_hba.conf lets in without TLS is the network of the service, which stays internal', async () => {
  const [{ subnet }] = analysts.networks.back.ipam.config
  expect([base.networks.back.internal, analysts.networks.back.internal]).toEqual([true, true])
  const rules = (await text('docs/deployment/pg_hba.conf')).split('\n').filter((line) => /^(local|host)/.test(line))
  const open = rules.filter((rule) => /^host\s/.test(rule)).map((rule) => rule.split(/\s+/)[3])
  expect(open).toEqual(['127.0.0.1/32', subnet])
  expect(rules.at(-1)?.split(/\s+/)).toEqual(['hostssl', 'studio_inventory', '+studio_analyst', 'all', 'scram-sha-256'])
})
