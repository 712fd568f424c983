import { beforeEach, describe, expect, it } from 'vitest'
import { useImportConsole } from './import-here.ts'
import { csv, formOf } from './import-support.ts'
import type { Page, Visitor } from './support.ts'

const { world, as, preview, named } = useImportConsole()

let owner: Visitor
beforeEach(async () => {
  owner = await as(world.cast.a.people.owner)
})

/** Presses “Check again” after some choices were changed, and follows the redirect. */
async function checkAgain(shown: Page & { at: string }, changed: Record<string, string> = {}) {
  const sent = await owner.upload(`${shown.at}/reading`, { ...formOf(shown, 'Check again'), ...changed })
  expect(sent.status, sent.text).toBe(303)
  const at = sent.location ?? ''
  return { ...(await owner.get(at)), at }
}

/** What each column is read as, as the page shows it. */
function columnsOf(shown: Page): Record<string, string> {
  const fields = formOf(shown, 'Check again')
  const numbers = Object.keys(fields).flatMap((name) => /^column-(\d+)$/.exec(name)?.[1] ?? [])
  return Object.fromEntries(numbers.map((at) => [fields[`column-${at}`], fields[`read-as-${at}`] ?? '']))
}

describe('check again', () => {
  const guessed = csv('Asset Tag,Names,Category,Serial,Colour,', 'g-1,Zither,Zithers,77,red,x')

  it('keeps the columns that were recognised', async () => {
    const shown = await preview(owner, guessed)
    const before = columnsOf(shown)
    expect(before).toMatchObject({ 'Asset Tag': 'external_key', Names: 'name', Serial: 'serial_number', Colour: '' })
    const again = await checkAgain(shown, { 'ours-0': 'Guitars & Basses' })
    expect(columnsOf(again)).toEqual(before)
    expect(again.text).toContain('1 row: 1 to add')
    expect((await owner.post(again.at)).status).toBe(303)
    expect(await named('Zither')).toBe(1)
  })

  it('leaves out a column that was recognised, and reads it again', async () => {
    const shown = await preview(owner, guessed)
    const at = Object.entries(formOf(shown, 'Check again')).find(([, value]) => value === 'Serial')?.[0] ?? ''
    const without = await checkAgain(shown, { [at.replace('column', 'read-as')]: '' })
    expect(columnsOf(without)).toEqual({ ...columnsOf(shown), Serial: '' })
    const again = await checkAgain(without, { [at.replace('column', 'read-as')]: 'serial_number' })
    expect(columnsOf(again)).toEqual(columnsOf(shown))
  })

  it('reads the export of a tool as before, but for what was changed', async () => {
    const file = csv('HB.asset_id,HB.name,HB.manufacturer,HB.model_number,HB.location', 'hb-2,Revox A77,Revox,A77,')
    const shown = await preview(owner, file)
    const again = await checkAgain(shown, { 'read-as-3': '' })
    expect(columnsOf(again)).toEqual({ ...columnsOf(shown), 'HB.model_number': '' })
    expect(again.text).toContain('exported from Homebox')
  })

  it('works for a file with very many columns, some of which have no name', async () => {
    const names = Array.from({ length: 600 }, (_, at) => (at % 10 === 0 ? '' : `Extra ${at}`))
    const cells = names.map((_, at) => `c${at}`)
    const shown = await preview(owner, csv(['Asset Tag', 'Title', ...names].join(), ['w-1', 'Wide', ...cells].join()))
    expect(shown.text).toContain('The first 500 of 542.')
    const again = await checkAgain(shown)
    expect(columnsOf(again)).toEqual(columnsOf(shown))
    expect(again.text).toContain('Cannot be imported yet')
  })
})
