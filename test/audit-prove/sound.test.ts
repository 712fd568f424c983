import { beforeAll, expect, it } from 'vitest'
import { exposedLogins, type Trial } from '../../src/apps/audit/proof.ts'
import { failures } from '../../src/apps/audit/prove.ts'
import { line, prove, useStudios, waysInto } from './support.ts'

const stage = useStudios()
let trials: Trial[]
let lines: string[]
beforeAll(async () => {
  trials = await prove({ ...waysInto(stage.database), analystUrl: stage.cast.b.analyst.url }, exposedLogins)
  lines = trials.flatMap((trial) => trial.tried).map(line)
}, 180_000)

it('in a sound database no login finds anything of another studio, and nothing is left untried', () => {
  expect(failures(trials.flatMap((trial) => trial.tried)).map(line)).toEqual([])
  expect(trials.map(({ as, reason, notes }) => ({ as, reason, notes }))).toEqual(
    exposedLogins.map((as) => ({ as, reason: undefined, notes: [] })),
  )
})

it.each(['studio_api', 'studio_graphql', 'studio_writer'])('%s is looked at as it serves a studio', (login) => {
  const entered = lines.filter((text) =>
    text.startsWith(`${login}: nothing: set local studio.id = '${stage.cast.a.id}'`),
  )
  const name = login === 'studio_writer' ? 'app.items' : 'api_v1.items'
  expect(entered.join('\n')).toMatch(new RegExp(`select .* from ${name} -- no foreign value in \\d+ rows`))
  expect(lines.join('\n')).toMatch(new RegExp(`^${login}: nothing: select access.current_studio_id\\(\\) -- no`, 'm'))
})

it('the analyst that is made and the one that is given are each asked by everything in reach', () => {
  for (const [login, rows] of [
    ['an analyst of a studio', 6],
    ['the analyst', 6],
  ]) {
    const asked = lines.filter((text) => text.startsWith(`${login}: `))
    const items = `select \\* from api_v1.items -- no foreign value in ${rows} rows, all of them the studio’s`
    expect(asked.join('\n')).toMatch(new RegExp(`: nothing: ${items}`))
    expect(asked.join('\n')).toMatch(new RegExp(`: nothing: set local studio.id = '.*'; ${items}`))
    expect(asked.join('\n')).toMatch(/select \* from pg_catalog\.pg_stats -- no foreign value in \d+ rows?$/m)
    expect(asked.join('\n')).toMatch(/select \* from information_schema\.columns -- no foreign value in \d+ rows$/m)
  }
})

it('nothing that is printed is a word, an amount or a day of another studio', () => {
  stage.cast.expectNoCanary(lines.filter((text) => !text.startsWith('the analyst: ')).join('\n'))
})
