import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probablyMeant } from '../../src/domain/nearest.ts'
import { asOwner, createTestDatabase, type TestDatabase } from '../support/server.ts'
import { runHere } from './here.ts'
import { envFor } from './run.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  await asOwner(database, (owner) =>
    owner.query(`select access.create_studio('Northlight Studios', 'priya@northlight.example', 'Priya')`),
  )
})
afterAll(() => database.drop())

const run = (...args: string[]) => runHere(args, envFor(database))
const studio = ['--studio', 'Northlight Studios']

describe('a name with a typing error', () => {
  test('of a studio is answered with the studio that was probably meant', async () => {
    for (const wrong of ['Northlight Studio', 'northlihgt studios', 'Northlight']) {
      const { status, stderr } = await run('token', 'list', '--studio', wrong)
      expect(status).toBe(1)
      expect(stderr).toContain(`there is no studio '${wrong}': did you mean 'Northlight Studios'?`)
    }
  })

  test('of a user, a token and a login too', async () => {
    await run('token', 'create', ...studio, '--name', 'Accounting')
    const login = JSON.parse((await run('analyst', 'create', ...studio, '--json')).stdout).login
    const says = async (...args: string[]) => (await run(...args)).stderr
    expect(await says('token', 'revoke', ...studio, 'Acounting')).toContain("no such token: did you mean 'Accounting'?")
    expect(await says('token', 'activity', ...studio, 'acc')).toContain("did you mean 'Accounting'?")
    expect(await says('analyst', 'token', ...studio, '--for', 'prya@northlight.example')).toContain(
      "did you mean 'priya@northlight.example'?",
    )
    expect(await says('analyst', 'drop', `${login.slice(0, -1)}x`)).toContain(`did you mean '${login}'?`)
    await run('analyst', 'drop', login)
  })

  test('that is like nothing is only answered with where to look', async () => {
    const { stderr } = await run('token', 'list', '--studio', 'Elsewhere')
    expect(stderr).toBe(
      "studio-inventory: there is no studio 'Elsewhere'\nTo list them: studio-inventory studio list\n",
    )
  })
})

test.each([
  ['Attic Sond', ['Attic Sound', 'Basement'], 'Attic Sound'],
  ['serial', ['model', 'serial_number'], 'serial_number'],
  ['cost', ['name', 'tags'], undefined],
  ['ab', ['abcdefgh'], undefined],
  ['two', ['two rooms', 'two floors'], undefined],
  ['', ['a'], undefined],
  ['x', [], undefined],
])('of %j in %j is meant %j', (text, values, meant) => {
  expect(probablyMeant(text, values)).toBe(meant)
})
