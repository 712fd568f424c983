import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let console: Session
let graphql: Session

beforeAll(async () => {
  studio = await sql.studio()
  console = await sql.connect('studio_console')
  graphql = await sql.connect('studio_graphql')
})

const join = (email: string) =>
  sql.owner.value('select access.add_member($1, $2, $3, $4)', [studio.id, email, email, 'member'])

/** Whoever is found by an e-mail, at each place that looks for one; null where nobody is. */
async function findEverywhere(email: string) {
  const session = randomBytes(32)
  const nobody = (error: { code?: string }) => {
    if (error.code !== 'SI404') throw error
    return null
  }
  const found = await sql.owner.value('select access.find_user($1)', [email]).catch(nobody)
  const signedIn = await console
    .rows('select console.sign_in($1, $2, now() + interval $$1 minute$$, $3, now() + interval $$1 hour$$)', [
      email,
      randomBytes(32),
      session,
    ])
    .then(() => sql.admin.value('select user_id from access.console_sessions where digest = $1', [session]))
    .catch(nobody)
  const status = await graphql.value<number>('select status from access.open_analyst_session($1, null, $2)', [
    studio.id,
    email,
  ])
  return { found, signedIn, status }
}

test('a person is found by their e-mail in any case of ASCII letters', async () => {
  const person = await join('Jonas.K@Kanal9.example')
  for (const email of ['jonas.k@kanal9.example', 'JONAS.K@KANAL9.EXAMPLE', 'Jonas.K@Kanal9.example']) {
    expect(await findEverywhere(email)).toEqual({ found: person, signedIn: person, status: 200 })
    expect(await join(email)).toBe(person)
  }
})

describe('letters that become ASCII when their case is folded are other letters', () => {
  const pairs = [
    ['kelvin@kanal9.example', '\u212aelvin@kanal9.example'],
    ['ÄNNE@studio.example', 'änne@studio.example'],
  ] as const

  test.each(pairs)('%s is not %s', async (one, other) => {
    const person = await join(one)
    expect(await findEverywhere(other)).toEqual({ found: null, signedIn: null, status: 401 })
    const another = await join(other)
    expect(another).not.toBe(person)
    expect(await findEverywhere(one)).toEqual({ found: person, signedIn: person, status: 200 })
    expect(await findEverywhere(other)).toEqual({ found: another, signedIn: another, status: 200 })
  })
})
