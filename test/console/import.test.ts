import { describe, expect, it } from 'vitest'
import { kinds } from '../../src/importer/kinds/index.ts'
import { csv, items, useImportConsole } from './import-here.ts'
import { consoleOf, signedIn } from './support.ts'

const { world, path, preview, named } = useImportConsole()
const by = signedIn(world, ['owner', 'admin', 'member'])

describe('an owner or an admin', () => {
  it.each(['owner', 'admin'] as const)('(%s) sees what would change, and imports it by confirming', async (role) => {
    const visitor = by[role]
    const name = `Ribbon of the ${role}`
    const shown = await preview(visitor, items({ [`new-${role}`]: name }))
    expect(shown.status, shown.text).toBe(200)
    expect(shown.text).toContain('1 row: 1 to add, 0 to change, 0 unchanged.')
    expect(shown.text).toContain(name)
    expect(await named(name)).toBe(0)
    const done = await visitor.post(shown.at)
    expect(done.status, done.text).toBe(303)
    const { text } = await visitor.get(done.location ?? '')
    const list = world.page('items?order=changed')
    expect(text).toContain(`Imported: 1 added, 0 changed. <a href="${list}">See the items</a>`)
    expect((await visitor.get(list)).text).toContain(name)
    expect(await named(name)).toBe(1)
    const log = (await visitor.get(world.page('audit-log'))).text
    expect(log).toMatch(/gear\.csv<[\s\S]*?items: 1 added, 0 changed/)
  })

  it('sees which columns of which rows would change, from what to what', async () => {
    await by.owner.post((await preview(by.owner, items({ moved: 'Before' }))).at)
    const shown = await preview(by.owner, items({ moved: 'After' }))
    expect(shown.text).toContain('<th scope="col" role="columnheader">name</th>')
    expect(shown.text).toContain('<span class="typed">Before → <strong>After</strong></span>')
    expect(shown.text).toContain('<span class="typed soft">Microphones</span>')
  })

  it('sees what was understood of the rows that stand out, with days and amounts in words, and all rows on demand', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => `odd-${at},Item ${at},${at + 1}.50,2024-03-${at + 10}`)
    const header = 'external_key,name,purchase_price,acquisition_date'
    const shown = await preview(by.owner, csv(header, ...rows, 'odd-old,Old one,3,1912-03-04'))
    expect(shown.text).toContain('12.50 EUR')
    expect(shown.text).toContain('new, earliest acquisition date</span>')
    expect(shown.text).toContain('4 March 1912')
    expect(shown.text).not.toContain('Item 9')
    const all = await by.owner.get(`${shown.at}?after=0`)
    expect(all.text.match(/<th scope="row"/g)).toHaveLength(13)
    expect(all.text.indexOf('Item 9')).toBeLessThan(all.text.indexOf('Old one'))
  })

  it('believes only this service about what was imported', async () => {
    const { text } = await by.owner.get(`${path()}?done=items-999999-0-${'A'.repeat(43)}`)
    expect(text).not.toContain('999999')
    expect((await by.owner.get(`${path()}?done=items-999999-0`)).text).not.toContain('999999')
  })

  it('downloads templates and examples, which can be imported', async () => {
    const links = [...(await by.owner.get(path())).text.matchAll(/href="([^"]*\/templates\/[^"]*)"/g)]
    expect(links).toHaveLength(2 * kinds.length)
    for (const [, link = ''] of links) {
      const { status, text } = await by.owner.get(link)
      expect([status, text.split('\r\n').length]).toEqual([200, link.includes('-example') ? 3 : 2])
    }
    expect((await by.owner.get(`${path()}/templates/tokens.csv`)).status).toBe(404)
  })

  it('sees all kinds of errors at once, and cannot confirm them', async () => {
    const rows = ['e1,,Microphones,1', 'e2,x,Zithers,1', 'e3,y,Zithers,abc']
    const shown = await preview(by.owner, csv('external_key,name,category,purchase_price', ...rows))
    for (const line of ['lines 3 and 4, category', 'line 4, purchase_price', 'line 2, name', 'Cannot be imported yet'])
      expect(shown.text).toContain(line)
    expect(shown.text).not.toContain('--map')
    expect((await by.owner.post(shown.at)).status).toBe(422)
    expect(await named('y')).toBe(0)
  })

  it('reads apart from the errors what else was noted, and that a column that is missing may be one of theirs', async () => {
    const { text } = await preview(by.owner, csv('external_key,Colour', 'n-1,red'))
    const [errors = '', notes = ''] = text.split('<p class="soft">Notes:</p>')
    expect(errors).toContain('add the column, or choose which one it is under “How the file is read”')
    expect(errors).not.toContain('ignored columns')
    expect(notes).toContain('ignored columns: &quot;Colour&quot;')
    expect(text).toContain('<button class="primary">Check again</button>')
  })
})

describe('what is confirmed', () => {
  it('is the file that was shown: another upload takes its place', async () => {
    const first = await preview(by.owner, items({ first: 'First' }))
    await preview(by.owner, items({ second: 'Second' }))
    expect(await by.owner.post(first.at)).toMatchObject({ status: 404, text: expect.stringContaining('No such file') })
    expect(await named('First')).toBe(0)
  })

  it('is imported once', async () => {
    const shown = await preview(by.owner, items({ once: 'Once' }))
    const done = await by.owner.post(shown.at)
    expect(done.status).toBe(303)
    // A second confirmation says what the first one imported.
    expect((await by.owner.post(shown.at)).location).toBe(done.location)
    expect(await named('Once')).toBe(1)
    expect((await by.owner.get(shown.at)).status).toBe(404)
  })

  it("is not another person's file", async () => {
    const shown = await preview(by.owner, items({ mine: 'Mine' }))
    expect((await by.admin.get(shown.at)).status).toBe(404)
    expect((await by.admin.post(shown.at)).status).toBe(404)
  })
})

describe('an upload is refused', () => {
  const file = items({ a: 'b' })
  const upload = (visitor = by.owner, fields: object = {}, headers = {}, at = path(), sent: Blob = file) =>
    visitor.upload(at, { kind: 'items', ...fields }, { name: 'x.csv', file: sent }, headers)

  it('from a member, who does not see the tab either', async () => {
    expect((await by.member.get(path())).status).toBe(403)
    expect((await upload(by.member)).status).toBe(403)
    expect((await by.member.get(world.tokens())).text).not.toContain('>Import<')
  })

  it('for a studio of others', async () => {
    const foreign = path(world.cast.b.id)
    expect((await by.owner.get(foreign)).status).toBe(404)
    expect((await upload(by.owner, {}, {}, foreign)).status).toBe(404)
  })

  it('without the token of the form, or from another origin', async () => {
    expect((await upload(by.owner, { csrf_token: 'forged' })).status).toBe(403)
    expect((await upload(by.owner, {}, { Origin: 'https://evil.example' })).status).toBe(403)
  })

  it('beyond 10 MB, with what to do instead', async () => {
    const sent = await upload(by.owner, {}, {}, path(), new Blob([new Uint8Array(10 * 2 ** 20 + 1)]))
    expect(sent.status).toBe(413)
    expect(sent.text).toContain('a file may have 10 MB, and a ZIP archive of photos 1 GB')
  })

  it.each([
    [{ kind: 'guitars' }, 'Choose what the file contains.'],
    [{ from: 'excel' }, 'Choose one of the values'],
    [{ kind: 'locations', from: 'homebox' }, 'Exports of Homebox contain items'],
  ])('with %j', async (fields, why) => {
    expect(await upload(by.owner, fields)).toMatchObject({ status: 422, text: expect.stringContaining(why) })
  })

  it('without a file', async () => {
    const refused = { status: 422, text: expect.stringContaining('Choose a file.') }
    expect(await by.owner.upload(path(), { kind: 'items' })).toMatchObject(refused)
  })
})

it('where imports are off the page says who turns them on, and nothing is received', async () => {
  const visitor = await world.as(world.cast.a.people.owner, await world.start({ console: consoleOf() }))
  const page = await visitor.get(path())
  expect(page.text).toContain('CONSOLE_IMPORT=true')
  expect(page.text).not.toContain('type="file"')
  expect((await visitor.upload(path(), { kind: 'items' }, { name: 'x.csv', file: items({ a: 'b' }) })).status).toBe(404)
})
