import { expect, it } from 'vitest'
import { workbook } from '../support/workbook.ts'
import { csv, formOf, useImportConsole } from './import-here.ts'
import { type Page, signedIn } from './support.ts'

const { world, path, rows, named } = useImportConsole()
const by = signedIn(world, ['owner'])

/** A person at the console. Each choice, tick and button is a click. */
function person() {
  let clicks = 0
  let page: Page & { at: string } = { status: 0, text: '', at: '' } as never
  const follow = async (sent: Page) => {
    let location = sent.location ?? ''
    expect(sent.status, sent.text).toBe(303)
    page = { ...(await by.owner.get(location)), at: location }
    while (page.status === 303) {
      location = page.location ?? ''
      page = { ...(await by.owner.get(location)), at: location }
    }
  }
  return {
    clicks: () => clicks,
    text: () => page.text,
    /** Chooses a file, which the browser's own dialog counts for, and asks what would change. */
    async upload(file: Blob, name: string, chosen: Record<string, string> = {}) {
      clicks += 1 + Object.keys(chosen).length
      await follow(await by.owner.upload(path(), { kind: 'items', from: 'guess', ...chosen }, { name, file }))
    },
    async checkAgain(chosen: Record<string, string> = {}) {
      clicks += 1 + Object.keys(chosen).length
      const button = page.text.includes('Check again') ? 'Check again' : 'Use these columns'
      await follow(await by.owner.upload(`${page.at}/reading`, { ...formOf(page, button), ...chosen }))
    },
    async confirm() {
      clicks += 1
      await follow(await by.owner.post(page.at, formOf(page, /Import [\d,]+ rows?/.exec(page.text)?.[0] ?? '')))
    },
    /** The name of the field that asks what a category of the file stands for. */
    category(theirs: string): string {
      const at = new RegExp(`<input type="hidden" name="category-(\\d+)" value="${theirs}">`).exec(page.text)?.[1]
      return `ours-${at}`
    },
  }
}

/** A person's own spreadsheet: a title, odd headers, 150 rows of which one is 5 pieces, and a total. */
function spreadsheet(price: number) {
  const header = ['What', 'Maker', 'Serial No.', 'Where kept', 'Qty', 'Paid', 'Bought on', 'Group', 'Notes']
  const row = (at: number) => [
    ...[`Spreadsheet item ${at}`, 'Maker', at === 7 ? '' : `SP-${at}`, 'Somewhere', at === 7 ? 5 : 1],
    ...[at === 1 ? price : 100 + at, new Date(Date.UTC(2021, at % 12, 3)), at % 2 === 0 ? 'Mics' : 'Synths', ''],
  ]
  const items = Array.from({ length: 150 }, (_, at) => row(at + 1))
  const total = ['Total', '', '', '', '', { f: 'SUM(F4:F153)', v: '26325' }, '', '', '']
  return new Blob([new Uint8Array(workbook({ Gear: [['Everything in the studio'], [], header, ...items, total] }))])
}

it('a spreadsheet with odd headers, a title, quantities and a total is brought in with clicks alone, and corrected with two', async () => {
  const first = person()
  await first.upload(spreadsheet(101), 'gear.xlsx')
  expect(first.text()).toContain('adds up the rows above it; remove the row, or accept it under')
  expect(first.text()).toContain('is 5 pieces: one item would leave out 4 worth 428.00; correct it, or accept it')
  // The column of places is called like none of ours.
  const place = /<label for="(read-as-\d+)">Where kept/.exec(first.text())?.[1] ?? ''
  await first.checkAgain({
    'accept-total_rows': 'on',
    'accept-quantities': 'on',
    'make-locations': 'on',
    key: 'name',
    [place]: 'location',
  })
  expect(first.text()).toContain('154 rows: 154 to add')
  await first.confirm()
  expect(first.text()).toContain('Imported: 154 added')
  expect(first.clicks()).toBe(8)
  expect(await named('Spreadsheet item 7')).toBe(5)
  expect(await rows('category, manufacturer', 'Spreadsheet item 2')).toEqual([
    { category: 'Microphones', manufacturer: 'Maker' },
  ])

  const second = person()
  await second.upload(spreadsheet(2650), 'gear, corrected.xlsx')
  expect(second.text()).toContain('It is read like the last file with these columns.')
  expect(second.text()).toContain('154 rows: 0 to add, 1 to change, 153 unchanged')
  await second.confirm()
  expect(second.clicks()).toBe(2)
  expect(await rows('purchase_price', 'Spreadsheet item 1')).toEqual([{ purchase_price: 2650 }])
})

it('currency signs and thousands are read once the decimal mark is chosen', async () => {
  const one = person()
  await one.upload(csv('external_key,name,purchase_price', 'sign-1,With a sign,"€2,467.04"'), 'signs.csv')
  expect(one.text()).toContain('choose how the file writes amounts')
  await one.checkAgain({ decimal: 'point' })
  await one.confirm()
  expect(await rows('purchase_price', 'With a sign')).toEqual([{ purchase_price: 2467.04 }])
})
