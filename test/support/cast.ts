import { asOwner } from '../../src/database/session.ts'
import { withStudioWriter } from '../../src/importer/staging.ts'
import { scramVerifier } from '../../src/migration/passwords.ts'
import { issueToken } from '../../src/tokens/issue-token.ts'
import { canary, expectNoMark, type Hand, markedHand, plainHand, unseen } from './canary.ts'
import { addInventory, type Inventory } from './cast-inventory.ts'
import { asAdmin, type TestDatabase } from './server.ts'

export type Person = { id: string; name: string; email: string }

export type CastToken = { id: string; prefix: string; token: string; secret: string }

/** A login of studio_analyst. */
export type Analyst = { login: string; url: string }

/** A studio on the Studio plan with one of everything, its owner's token, and its analyst. */
export type CastStudio = Inventory & {
  id: string
  name: string
  people: { owner: Person; admin: Person; member: Person }
  token: CastToken
  analyst: Analyst
}

export type Cast = {
  /** The studio whose people read. */
  a: CastStudio
  /** This studio must stay unseen. Every text of it has the canary, and every amount and day is like
   * no other. */
  b: CastStudio
  /** This user is a member of neither studio. */
  outsider: Person
  /** An analyst's login that is mapped to no studio. */
  unmapped: Analyst
  canary: string
  /** In what is kept but never shown, of A as well. */
  unseen: string
  /** Throws when bytes that A received contain a mark of B. Ids of B are not looked for:
   * A may have named them itself. */
  expectNoCanary(bytes: string | Uint8Array): void
}

/** Where studio B is, and nobody else. */
const farZone = 'Antarctica/Troll'

/** The cast's studios in a database, before there are analysts; it survives JSON. */
export type Studios = {
  a: Omit<CastStudio, 'analyst'>
  b: Omit<CastStudio, 'analyst'>
  outsider: Person
  /** Nothing that people of A receive may have these. */
  marks: string[]
}

/** Brings the cast into a database. */
export async function createCast(database: TestDatabase): Promise<Cast> {
  return withAnalysts(database, await createStudios(database))
}

/** Brings the studios of the cast into a database. */
export async function createStudios(database: TestDatabase): Promise<Studios> {
  const marks = new Set([canary, canary.toLowerCase(), unseen, farZone])
  const a = await createStudio(database, plainHand, { name: 'Attic Sound', timezone: 'Europe/Berlin', currency: 'EUR' })
  const b = await createStudio(database, markedHand(marks), { name: 'Barn', timezone: farZone, currency: 'XCD' })
  const outsider = await addOutsider(database)
  for (const value of await derivedValues(database, b.id)) marks.add(value)
  marks.add(b.token.secret)
  return { a, b, outsider, marks: [...marks] }
}

/** Gives the studios of a database their analysts. */
export async function withAnalysts(database: TestDatabase, { a, b, outsider, marks }: Studios): Promise<Cast> {
  const [analystA, analystB, unmapped] = await createAnalysts(database, [a.id, b.id])
  return {
    a: { ...a, analyst: analystA },
    b: { ...b, analyst: analystB },
    ...{ outsider, unmapped, canary, unseen },
    expectNoCanary: (bytes) => expectNoMark(bytes, marks),
  }
}

type Place = { name: string; timezone: string; currency: string }

async function createStudio(database: TestDatabase, hand: Hand, place: Place): Promise<Omit<CastStudio, 'analyst'>> {
  const name = hand.text(place.name)
  const person = (first: string) => {
    const full = hand.text(`${first} of ${place.name}`)
    return { name: full, email: `${full}@example.com`.replaceAll(' ', '.').toLowerCase() }
  }
  const [olga, adam, mia] = [person('Olga'), person('Adam'), person('Mia')]
  const created = await asOwner(database.adminUrl, async ({ query }) => {
    const values = [name, olga.email, olga.name, place.timezone, place.currency]
    const id = await one(query, `select access.create_studio($1, $2, $3, 'studio', $4, $5) as id`, values)
    const owner = { ...olga, id: await one(query, 'select access.owner_of($1) as id', [id]) }
    const add = (who: Omit<Person, 'id'>, role: string) =>
      one(query, 'select access.add_member($1, $2, $3, $4) as id', [id, who.email, who.name, role])
    const admin = { ...adam, id: await add(adam, 'admin') }
    const member = { ...mia, id: await add(mia, 'member') }
    return { id, name, people: { owner, admin, member } }
  })
  const inventory = await withStudioWriter(database.urlFor('studio_writer'), created.id, (transaction) =>
    addInventory(transaction, created.id, created.people.owner.id, hand),
  )
  await closeLastMonth(database, created.id)
  await inStudio(database, created.id, async (query) => {
    await query('delete from app.item_valuations where item_id = $1', [inventory.items.unprojected])
    await removeForGood(query, inventory.removed, hand)
  })
  const token = await createToken(database, created.id, created.people.owner.id, hand.text('Books'))
  return { ...created, ...inventory, token }
}

/** Closes the month before this one: what is removed afterwards is a correction of it. */
export async function closeLastMonth(database: TestDatabase, studioId: string): Promise<void> {
  await asOwner(database.adminUrl, async ({ query }) => {
    await query(`update app.studios set closes_since = current_date - 40 where id = $1`, [studioId])
    await query(`select valuation.close_month(valuation.next_to_close()) from generate_series(1, 8)`, [])
  })
}

/** Issues a token. The secret is known to the test. */
export async function createToken(
  database: TestDatabase,
  studioId: string,
  issuedBy: string,
  name = 'Books',
  scopeUserId: string | null = null,
): Promise<CastToken> {
  const issued = await asOwner(database.adminUrl, (transaction) =>
    issueToken(transaction, { studioId, issuedBy, name, scopeUserId }),
  )
  return { ...issued, secret: issued.token.slice(-32) }
}

/** Maps an analyst's login to a studio. */
export async function mapAnalyst(database: TestDatabase, login: string, studioId: string): Promise<void> {
  await asOwner(database.adminUrl, (transaction) =>
    transaction.query(
      `insert into access.analyst_logins (login, studio_id) values ($1, $2)
       on conflict (login) do update set studio_id = excluded.studio_id`,
      [login, studioId],
    ),
  )
}

const analystPassword = 'a password for tests, known to everybody'
const verifier = scramVerifier(analystPassword)

/** Three analysts' logins, two of them mapped. They are the test file's own: a watchdog ends what a
 * login of its database does in another. They are dropped with the database. */
async function createAnalysts(database: TestDatabase, studios: [string, string]): Promise<[Analyst, Analyst, Analyst]> {
  const analyst = (number: number) => {
    const login = `${database.name}_analyst_${number}`
    return { login, url: loginUrl(database, login, analystPassword) }
  }
  const analysts: [Analyst, Analyst, Analyst] = [analyst(1), analyst(2), analyst(3)]
  const statements = analysts.map(
    ({ login }, at) => `create role ${login} login password '${verifier}' in role studio_analyst
        connection limit 3 valid until '2100-01-01';
      alter role ${login} set temp_file_limit = '1GB';
      alter role ${login} set statement_timeout = '5min';
      ${studios[at] ? `insert into access.analyst_logins (login, studio_id) values ('${login}', '${studios[at]}')` : ''}`,
  )
  await asAdmin(database, (admin) => admin.query(statements.join(';')))
  return analysts
}

/** The connection string of a login in the test's database. */
export function loginUrl(database: TestDatabase, login: string, password: string): string {
  return Object.assign(new URL(database.adminUrl), { username: login, password }).href
}

async function addOutsider(database: TestDatabase): Promise<Person> {
  const person = { name: 'Otto Outsider', email: 'otto@example.com' }
  return asOwner(database.adminUrl, async ({ query }) => ({
    ...person,
    id: await one(query, 'insert into access.users (email) values ($1) returning id', [person.email]),
  }))
}

/** Runs work as studio_owner in the session of a studio. */
const inStudio = <Result>(database: TestDatabase, id: string, work: (query: Query) => Promise<Result>) =>
  asOwner(database.adminUrl, async ({ query }) => {
    await query(`select set_config('studio.id', $1, true)`, [id])
    return work(query)
  })

/** Deletes records on days of their own, because the database would use today. */
async function removeForGood(query: Query, removed: Inventory['removed'], hand: Hand): Promise<void> {
  for (const [resource, table, id, day] of [
    ['item', 'items', removed.item, hand.day('2026-03-03')],
    ['location', 'locations', removed.location, hand.day('2026-03-04')],
    ['maintenance', 'maintenance_records', removed.maintenance, hand.day('2026-03-05')],
    ['policy', 'policies', removed.policy, hand.day('2026-03-06')],
  ] as const) {
    await query(`delete from app.${table} where id = $1`, [id])
    const text = `update app.removals set removed_at = $3 where resource = $1 and id = $2 and reason = 'deleted'`
    await query(text, [resource, id, `${day}T12:00:00Z`])
  }
}

/** Amounts computed from marked ones, if they are long enough to be like no other. */
async function derivedValues(database: TestDatabase, studioId: string): Promise<string[]> {
  const text = `select current_estimated_value::text as value from app.item_valuations
    union select gap_amount::text from app.item_valuations`
  const rows = await inStudio(database, studioId, (query) => query<{ value: string | null }>(text))
  return rows.flatMap(({ value }) => (value !== null && value.length >= 7 ? [value] : []))
}

type Query = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>

async function one(query: Query, text: string, values: readonly unknown[]): Promise<string> {
  const [row] = await query<{ id: string }>(text, values)
  if (!row) throw new Error(`no row: ${text}`)
  return row.id
}
