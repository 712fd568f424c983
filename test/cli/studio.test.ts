import { expect, test } from 'vitest'
import { withClient } from '../support/server.ts'
import { expectRefused, useCli } from './here.ts'
import { runCli } from './run.ts'

const cli = useCli()
const studio = (...args: string[]) => cli.run('studio', ...args)

test('a new studio is in the list, and its owner can get a token at once', async () => {
  const args = ['create', 'Attic Sound', '--owner-email', 'olga@attic.example', '--timezone', 'Asia/Tokyo']
  const made = await runCli(['studio', ...args], cli.env())
  expect(made.status).toBe(0)
  expect(made.stdout).toMatch(/^[0-9a-f-]{36}\n$/)
  const id = made.stdout.trim()
  expect(made.stderr).toBe(`A token to read it: studio-inventory token create --studio ${id} --name "First token"\n`)
  const token = await cli.run('token', 'create', '--studio', id, '--name', 'First')
  expect(token.stdout).toMatch(/^svc_studio_\w{32}\n$/)
  expect(await cli.json('studio', 'list')).toEqual([
    { id, name: 'Attic Sound', plan: 'studio', status: 'active', archived: false, timezone: 'Asia/Tokyo' },
  ])
  expect((await studio('list')).stdout.split('\n')[1]).toBe(`Attic Sound  studio  active  Asia/Tokyo  ${id}`)
})

test('a studio that is misspelt, or named by the beginning of its name, is suggested', async () => {
  await cli.newStudio('Harbour Light Pictures', 'hal@harbour.example')
  for (const wanted of ['Harbor Light Pictures', 'harbour li', 'Harbour']) {
    expectRefused(await studio('plan', wanted), `did you mean 'Harbour Light Pictures'?`)
  }
})

const owner = ['--owner-email', 'a@b.example']
test.each([
  [[' ', ...owner], 'Give a name.'],
  [['X'], "required option '--owner-email <email>' not specified"],
  [['X', '--owner-email', 'olga'], 'Write an e-mail such as olga@studio.example.'],
  [['X', ...owner, '--plan', 'gold'], 'pro, pro_insure, studio'],
  [['X', ...owner, '--currency', 'euro'], 'three capital letters such as EUR'],
  [['X', ...owner, '--currency', 'XYZ'], "'XYZ' is not an ISO 4217 currency code in use"],
  [['X', ...owner, '--timezone', 'Mars/Base'], 'Mars/Base'],
])('what cannot be is refused with a reason, and no studio is made: %j', async (args, says) => {
  expectRefused(await studio('create', ...args), says)
  expect(await cli.told(`select from app.studios where name in ('X', ' ')`)).toEqual([])
})

test('the public API of a studio is turned off and on', async () => {
  const id = await cli.newStudio('Flagged', 'flo@flagged.example')
  expect(await studio('public-api', 'flagged', 'off')).toMatchObject({ status: 0, stdout: 'The public API is off.\n' })
  const token = () => cli.run('token', 'create', '--studio', id, '--name', 'First')
  expectRefused(await token(), 'the public API is off for this studio')
  expect(await studio('public-api', id, 'on')).toMatchObject({ status: 0, stdout: 'The public API is on.\n' })
  expect((await token()).status).toBe(0)
  expectRefused(await studio('public-api', id, 'perhaps'), 'Allowed choices are on, off.')
})

test('naming a financial year changes the figures at once, and can be undone', async () => {
  const id = await cli.newStudio('Fiscal', 'fay@fiscal.example')
  const values = 'select current_estimated_value as value from app.item_valuations where studio_id = $1'
  const worth = async () => (await cli.told(values, [id]))[0]?.value
  const header =
    'external_key,name,purchase_price,depreciation_method,acquisition_date,useful_life_months,residual_value'
  const bought = `${new Date().getFullYear() - 2}-03-15`
  const file = await cli.file('desk.csv', `${header}\nA,Desk,110000,double_declining_balance,${bought},60,0\n`)
  await cli.run('import', 'items', file, '--studio', id)
  const byItsOwnYears = await worth()
  const year = (studioName: string, month: string) => studio('financial-year', '--studio', studioName, '--month', month)
  expect(await year('fiscal', '1')).toMatchObject({ status: 0, stdout: '1 item has a new value.\n' })
  expect(await worth()).not.toBe(byItsOwnYears)
  expect(await year(id, '1')).toMatchObject({ status: 0, stdout: '0 items have a new value.\n' })
  expect((await year(id, 'none')).status).toBe(0)
  expect(await worth()).toBe(byItsOwnYears)
  for (const month of ['0', '13', '4.5', 'April']) {
    expectRefused(await year(id, month), 'Write a month from 1 to 12, or none.')
  }
})

test("a new time zone is announced and moves its analysts' days; an unknown one changes nothing", async () => {
  const id = await cli.newStudio('Moving', 'mo@moving.example')
  const { url } = await cli.json('analyst', 'create', '--studio', id)
  const zone = () =>
    withClient(url, async (client) => (await client.query('show timezone')).rows[0] as Record<string, string>)
  expect(await zone()).toEqual({ TimeZone: 'UTC' })
  const moved = await studio('time-zone', 'moving', 'Asia/Tokyo', '--yes')
  expect(moved).toMatchObject({ status: 0, stdout: 'Time zone: Asia/Tokyo\n' })
  expect(moved.stderr).toContain('Moving: UTC becomes Asia/Tokyo.')
  expect(await zone()).toEqual({ TimeZone: 'Asia/Tokyo' })
  expectRefused(await studio('time-zone', 'moving', 'Mars/Base', '--yes'), "'Mars/Base' is not a known time zone")
  expect(await zone()).toEqual({ TimeZone: 'Asia/Tokyo' })
})

test('a corrected currency is announced; amounts stay the same numbers, and finer ones have to be rounded first', async () => {
  const id = await cli.newStudio('Yen', 'yu@yen.example')
  const bring = async (...prices: string[]) => {
    const lines = prices.map((price, at) => `A${at},Desk,${price}`)
    const file = await cli.file('yen.csv', `external_key,name,purchase_price\n${lines.join('\n')}\n`)
    return cli.run('import', 'items', file, '--studio', id)
  }
  const stored = 'select purchase_price as p from app.items where studio_id = $1 order by 1'
  const prices = async () => (await cli.told(stored, [id])).map(({ p }) => p)
  await bring('12000', '0.50')
  expectRefused(await studio('currency', 'yen', 'JPY', '--yes'), '1 amount has more decimals than JPY has: 0')
  await bring('12000', '1')
  expect((await studio('currency', 'yen', 'JPY')).stderr).toContain('Without a terminal, confirm it with --yes.')
  expect(await prices()).toEqual(['1.00', '12000.00'])
  const done = await studio('currency', 'yen', 'JPY', '--yes')
  expect(done).toMatchObject({ status: 0, stdout: 'Currency: JPY\n' })
  expect(done.stderr).toContain(
    'Yen: EUR becomes JPY. No amount is converted: 12000 EUR become 12000 JPY. Closed months keep EUR. ' +
      'Amounts get 0 decimals instead of 2, values are rounded to them, and clients that poll get all records again.',
  )
  expect(await prices()).toEqual(['1', '12000'])
  expect((await bring('2777.75')).stderr).toContain('has decimals, and the currency has none')
  expectRefused(await studio('currency', 'yen', 'XYZ', '--yes'), 'XYZ is not an ISO 4217 currency code in use')
})

test('the terms of a category change the figures at once', async () => {
  const id = await cli.newStudio('Rated', 'ray@rated.example')
  const header = 'external_key,name,category,purchase_price,acquisition_date,depreciation_method\n'
  const file = await cli.file('rated.csv', `${header}A,Mac,Computers & Software,10000,2020-01-01,declining_balance\n`)
  await cli.run('import', 'items', file, '--studio', id)
  const category = (...args: string[]) => studio('category', 'rated', 'computers & software', ...args)
  expect((await category('--rate', '10', '--switch', 'no')).stdout).toBe('1 item has a new value.\n')
  expect((await category('--rate', '10 %')).stdout).toBe('0 items have a new value.\n')
  expect((await category('--rate', 'none')).stdout).toBe('1 item has a new value.\n')
  expect((await category('--rate', '101')).stderr).toContain('Write a percentage above 0 and up to 100, or none.')
  const unknown = await studio('category', 'rated', 'Gramophones', '--rate', '10')
  expect(unknown.stderr).toMatch(/'Gramophones' is no category\n.*Use one of: Microphones;/s)
})

test('a market value is withdrawn after it was said what that changes, and earlier days keep it', async () => {
  const id = await cli.newStudio('Market', 'mo@market.example')
  const items = await cli.file(
    'market.csv',
    'external_key,name,purchase_price,acquisition_date\nA,Mic,100,2020-01-01\nB,Amp,5,\n',
  )
  const values = await cli.file('values.csv', 'item,value,as_of\nA,9999,2026-04-01\n')
  await cli.run('import', 'items', items, '--studio', id)
  await cli.run('import', 'market-values', values, '--studio', id)
  const withdraw = (...args: string[]) => studio('withdraw-market-value', 'market', ...args)
  expectRefused(await withdraw('A', 'B', '--yes'), 'B (Amp) has no market value; nothing was withdrawn')
  expectRefused(await withdraw('C', '--yes'), 'C is not an item of the studio; nothing was withdrawn')
  expectRefused(
    await withdraw('A'),
    'A, Mic: EUR 9999.00 of 2026-04-01 is withdrawn; it is worth EUR 100.00 then, purchase price. ' +
      'Days before today and closed months stay as they are. Nothing was changed.',
  )
  const worth = async (day: string) => {
    const text = `select set_config('studio.id', $1, false), (select current_estimated_value from api_v1.items_on($2::date)
      where name = 'Mic') as value`
    return (await cli.told(text, [id, day]))[0]?.value
  }
  expect((await withdraw('A', '--since', '2026-06-01', '--yes')).stdout).toBe('Withdrawn: 1 market value\n')
  expect([await worth('2026-03-31'), await worth('2026-05-31'), await worth('2026-06-01')]).toEqual([
    '100.00',
    '9999.00',
    '100.00',
  ])
  expectRefused(await withdraw('A', '--yes'), 'A (Mic) has no market value')
})
