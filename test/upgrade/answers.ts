import pg from 'pg'
import { visitorOf } from '../console/support.ts'
import type { TestService } from '../support/service.ts'

/** A service with the demo, and the logins that read all of it. */
export type Installation = { url: string; graphqlUrl: string; token: string; identity: string; analyst: string }

/** What the last release was asked. Later releases may have more paths, fields and columns. */
export type Questions = { rest: string[]; graphql: string[]; sql: string[] }

/** Every answer, by its question. */
export type Answers = Record<string, string>

type Fields = { fields: { name: string; args: { type: { kind: string } }[]; type: Type }[] | null }
type Type = { kind: string; name: string | null; ofType?: Type }

const schemaQuery = `{ __schema { queryType { name } types { name fields {
  name args { type { kind } } type { kind name ofType { kind name } } } } } }`

/** Every path of the description, with each id of the list that it belongs to; every connection of
 * GraphQL with its plain fields; every view of analysts with its columns; the console's overview. */
export async function questionsFor(there: Installation): Promise<Questions> {
  const read = async (path: string) => JSON.parse(await get(there, path))
  const rest: string[] = []
  for (const path of Object.keys((await read('/openapi.json')).paths)) {
    const [list = '', ...below] = path.split('/{id}')
    if (below.length > 0) {
      const { data } = await read(`/v1${list}?per_page=100`)
      rest.push(...data.map(({ id }: { id: string }) => `/v1${list}/${id}${below.join('')}`))
    } else
      for (let page: number | null = 1; page !== null; ) {
        const paged: string = page === 1 ? `/v1${path}` : `/v1${path}?page=${page}`
        rest.push(paged)
        page = (await read(paged)).meta?.next_page ?? null
      }
  }
  const { __schema: schema } = JSON.parse(await ask(there, schemaQuery)).data
  const fieldsOf = (name: string | null | undefined) =>
    (schema.types as (Fields & { name: string })[]).find((type) => type.name === name)?.fields ?? []
  const isPlain = ({ kind, ofType }: Type) => [kind, ofType?.kind].some((each) => each === 'SCALAR' || each === 'ENUM')
  const graphql = fieldsOf(schema.queryType.name).flatMap(({ name, type }) => {
    const node = fieldsOf(fieldsOf(type.name).find((field) => field.name === 'nodes')?.type.ofType?.name)
    const plain = node.filter((field) => field.args.length === 0 && isPlain(field.type)).map((field) => field.name)
    return plain.length === 0 ? [] : [`{ ${name} { totalCount nodes { ${plain.join(' ')} } } }`]
  })
  const views = await rowsOf(
    there,
    `select table_name::text as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
    from information_schema.columns where table_schema = 'api_v1' group by 1 order by 1`,
  )
  const sql = views.map(({ name, columns }) => `select row(${columns})::text as row from api_v1.${name} order by 1`)
  return { rest, graphql, sql }
}

export async function answersOf(there: Installation, { rest, graphql, sql }: Questions): Promise<Answers> {
  const answers: Answers = {}
  for (const path of rest) answers[path] = (await get(there, path)).replaceAll(/(?<=\/photos\/)[^"]+/g, photoOf)
  for (const query of graphql) answers[query] = await ask(there, query)
  for (const query of sql) answers[query] = (await rowsOf(there, query)).map(({ row }) => row).join('\n')
  const visitor = visitorOf(there as unknown as TestService)
  const { text } = await visitor.get('/console/sign-in')
  await visitor.post('/console/sign-in/demo', { email: /name="email" value="([^"]+)"/.exec(text)?.[1] ?? '' })
  const overview = /\/console\/studios\/[-\w]{36}\/overview/.exec((await visitor.get('/console')).text)?.[0] ?? ''
  const page = await visitor.get(overview)
  if (page.status !== 200) throw new Error(`GET ${overview}: ${page.status}`)
  answers[overview] = /<main[\s>].*<\/main>/s.exec(page.text)?.[0].replaceAll(/ value="[^"]*"/g, '') ?? ''
  return answers
}

/** The key of a photo, in the place of its signature, which has the time of the request. */
const photoOf = (signature: string) =>
  JSON.parse(Buffer.from(signature.split('.')[1] ?? '', 'base64url').toString()).sub as string

/** The questions with other answers, at most some. */
export const differences = (before: Answers, after: Answers) =>
  Object.entries(before)
    .filter(([question, answer]) => after[question] !== answer)
    .slice(0, 5)
    .map(([question, was]) => ({ question, was, is: after[question] }))

async function get({ url, token }: Installation, path: string): Promise<string> {
  const response = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${text}`)
  return text
}

async function ask({ graphqlUrl, identity }: Installation, query: string): Promise<string> {
  const headers = { Authorization: `Bearer ${identity}`, 'Content-Type': 'application/json' }
  const response = await fetch(graphqlUrl, { method: 'POST', headers, body: JSON.stringify({ query }) })
  const text = await response.text()
  if (response.status !== 200 || 'errors' in JSON.parse(text)) throw new Error(`${query}: ${response.status} ${text}`)
  return text
}

async function rowsOf({ analyst }: Installation, text: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: analyst })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
