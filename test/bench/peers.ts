import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SignJWT } from 'jose'
import type { Dataset } from './dataset.ts'
import { type Running, start } from './processes.ts'
import type { Question, Wording } from './questions.ts'
import type { Scratch } from './scratch.ts'

/** Software of others that makes an API of the same tables. */
export type Peer = {
  name: string
  origin: string
  wording: Wording
  /** Keys of rows that it has no words for. */
  cannot: string[]
}

const packages = ['@platformatic/db@3.67.0', 'postgraphile@5.1.5', 'postgraphile-plugin-connection-filter@4.0.1']

/**
 * Installs the peers in the scratch folder and starts them. They read as the administrator, whom row-level security does
 * not bind, which is in their favour. Platformatic DB checks a JWT and reads the items of the studio that it names, and
 * nothing else; PostGraphile authenticates nobody.
 */
export async function startPeers(
  scratch: Scratch,
  { usual, large }: Dataset,
  closers: (() => unknown)[],
): Promise<Peer[]> {
  const folder = join(scratch.folder, 'peers')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  await promisify(execFile)('npm', ['install', ...quiet, ...packages], { cwd: folder })
  const run = async (name: string, answers: string): Promise<Running> => {
    await copyFile(join(import.meta.dirname, 'servers', `${name}.mjs`), join(folder, `${name}.mjs`))
    const running = await start({
      name,
      args: [`${name}.mjs`],
      folder,
      env: {
        DATABASE_URL: scratch.adminUrl,
        JWT_SECRET: scratch.secretKey,
        NODE_ENV: 'production',
        GRAPHILE_ENV: 'production',
      },
      logFile: join(scratch.folder, 'logs', `${name}.log`),
      answers,
    })
    closers.push(running.stop)
    return running
  }
  const platformatic = await run('platformatic', '/documentation/json')
  const postgraphile = await run('postgraphile', '/graphql')
  const tokens = new Map<string, string>()
  for (const { id } of [...usual, large]) tokens.set(id, await platformaticToken(scratch.secretKey, id))
  const wording = platformaticWording(tokens)
  return [
    { name: 'Platformatic DB', origin: platformatic.origin, wording, cannot: ['different'] },
    { name: 'PostGraphile', origin: postgraphile.origin, wording: postgraphileWording, cannot: ['different'] },
  ]
}

/** The fields of an item in the list. */
const fields = [
  ...['id', 'name', 'manufacturer', 'model', 'serialNumber', 'barcode', 'category', 'tags', 'purchasePrice'],
  ...['acquisitionDate', 'depreciationMethod', 'marketValueAsOf', 'reportedInsuredValue', 'locationId'],
  ...['createdAt', 'updatedAt'],
]

const fitting = ({ page = 1, perPage = 50 }: Question) => ({ limit: perPage, offset: (page - 1) * perPage })

/** A token of the role that may read items, for a studio. */
function platformaticToken(secret: string, studioId: string): Promise<string> {
  return new SignJWT({ 'X-PLATFORMATIC-ROLE': 'reader', 'X-STUDIO-ID': studioId })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1d')
    .sign(Buffer.from(secret))
}

const platformaticWording =
  (tokens: ReadonlyMap<string, string>): Wording =>
  (question) => {
    const { studio, item, updatedSince, first, empty } = question
    const headers = { authorization: `Bearer ${tokens.get(studio.id)}` }
    const selected = fields.map((name) => `fields=${name}`).join('&')
    if (item !== undefined) {
      return { path: `/appItems/appStudio/${studio.id}/id/${item}?${selected}`, headers, contains: item }
    }
    const { limit, offset } = fitting(question)
    const since = updatedSince === undefined ? '' : `&where.updatedAt.gte=${encodeURIComponent(updatedSince)}`
    const order = 'orderby.updatedAt=desc&orderby.id=desc&totalCount=true'
    return {
      path: `/appItems/?where.studioId.eq=${studio.id}&where.archivedAt.eq=null${since}&limit=${limit}&offset=${offset}&${order}&${selected}`,
      headers,
      contains: empty ? '[]' : (first ?? '[{"'),
      examine: (body) => {
        if ((body as unknown[]).length !== (empty ? 0 : limit)) throw new Error('not as many items as were asked for')
      },
    }
  }

const postgraphileFields = fields.map((name) => (name === 'id' ? 'rowId' : name)).join(' ')
const listQuery = `query ($studio: UUID!, $since: Datetime, $limit: Int!, $offset: Int!) {
  allItems(first: $limit, offset: $offset, orderBy: [UPDATED_AT_DESC, ROW_ID_DESC], filter: {
    studioId: { equalTo: $studio }, archivedAt: { isNull: true }, updatedAt: { greaterThanOrEqualTo: $since }
  }) { totalCount nodes { ${postgraphileFields} } }
}`
const itemQuery = `query ($studio: UUID!, $item: UUID!) {
  itemByStudioIdAndRowId(studioId: $studio, rowId: $item) { ${postgraphileFields} }
}`

const postgraphileWording: Wording = (question) => {
  const { studio, item, updatedSince = '2000-01-01T00:00:00Z', first, empty } = question
  const ask = (query: string, variables: Record<string, unknown>, contains: string) => ({
    path: '/graphql',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
    contains,
  })
  if (item !== undefined) return ask(itemQuery, { studio: studio.id, item }, item)
  const found = empty ? '"nodes":[]' : (first ?? '"nodes":[{')
  return ask(listQuery, { studio: studio.id, since: updatedSince, ...fitting(question) }, found)
}
