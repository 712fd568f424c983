import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { optionsFor } from '../graphql/support.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-log-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)

/**
 * A program that asks GraphQL twice, and then ends its process as told; it writes the id of the first request, and the log.
 * A line is written once the answer is sent, which a client can read before: the second answer comes after the first line.
 */
async function program(name: string, end: string): Promise<string> {
  const file = join(folder, `${name}.ts`)
  const options = JSON.stringify(optionsFor(world.database))
  await writeFile(
    file,
    `import { startGraphql } from ${source('apps/graphql/process.ts')}
     import { makeLogger } from ${source('observability/log.ts')}
     const log = makeLogger({ level: 'silent' })
     const graphql = await startGraphql({ host: '127.0.0.1', port: 0, options: ${options}, logLevel: 'debug', log, waitMs: 60_000 })
     const ask = () => fetch(\`http://127.0.0.1:\${graphql.port}/graphql\`, { method: 'POST', body: '{}' })
     const reply = await ask()
     await ask()
     process.stdout.write(\`id: \${reply.headers.get('x-request-id')}\\n\`)
     const pid = graphql.pid() ?? 0
     ${end}
     while (true) {
       try { process.kill(pid, 0) } catch { process.exit() }
       await new Promise((resolve) => setTimeout(resolve, 10))
     }`,
  )
  return file
}

test.each([
  ['is ended', 'close', 'await graphql.close()'],
  ['is killed', 'kill', `process.kill(pid, 'SIGKILL')`],
])(
  'the line of a request before the last is in the log of a process that %s',
  async (_what, name, end) => {
    const child = spawn(process.execPath, [await program(name, end)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const output = String(Buffer.concat(await child.stdout.toArray()))
    const [, id] = /^id: (\S+)$/m.exec(output) ?? []
    const lines = output.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.map((line) => JSON.parse(line).request_id)).toContain(id)
  },
  120_000,
)
