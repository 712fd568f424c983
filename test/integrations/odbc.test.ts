import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { useTool } from './demo.ts'

/** The way of Excel, Power BI, LibreOffice and other programs that take ODBC: PostgreSQL's own driver, asked by unixODBC. */
const demo = useTool({ analyst: true })

/** Runs statements in isql as the analyst, each on a line; the lines of their rows, with their columns separated by |. */
async function isql(...statements: string[]): Promise<string[]> {
  const { hostname, port, pathname, username, password } = new URL(demo.analystUrl)
  const parts = {
    Driver: 'PostgreSQL Unicode',
    Server: hostname,
    Port: port,
    Database: pathname.slice(1),
    UID: username,
    PWD: decodeURIComponent(password),
  }
  const connection = Object.entries(parts).map(([name, value]) => `${name}=${name === 'Driver' ? `{${value}}` : value}`)
  const child = spawn('isql', ['-k', connection.join(';'), '-b', '-v', '-d|', '-x0x7c'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let said = ''
  const hear = (chunk: Buffer) => {
    said += chunk
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.stdin.end(`${statements.join('\n')}\n`)
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  expect(status, said).toBe(0)
  expect(said).not.toContain('[ISQL]ERROR')
  return said.split('\n').filter((line) => line.includes('|'))
}

test('sums are exact and those of the studio', async () => {
  const query = 'select count(*), sum(purchase_price), sum(current_estimated_value) from items'
  const [{ count, paid, value }] = await demo.sql<Record<'count' | 'paid' | 'value', string>>(
    `select count(*)::text, sum(purchase_price)::text as paid, sum(current_estimated_value)::text as value from api_v1.items`,
  )
  expect(await isql(query)).toEqual([`${count}|${paid}|${value}`])
})

test('the views that the driver lists in the schema are those that answer', async () => {
  const listed = (await isql('help')).map((line) => line.split('|')).filter(([, schema]) => schema === 'api_v1')
  const views = listed.map(([, , name]) => name)
  expect(views).toEqual(expect.arrayContaining(['items', 'policies', 'locations', 'account']))
  for (const view of views) expect((await isql(`select count(*), 'rows' from api_v1.${view}`)).length, view).toBe(1)
})
