import { expect, test } from 'vitest'
import { asAdmin, withClient } from '../support/server.ts'
import { useCli } from './here.ts'
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
  const listed = JSON.parse((await studio('list', '--json')).stdout)
  expect(listed).toEqual([
    { id, name: 'Attic Sound', plan: 'studio', status: 'active', archived: false, timezone: 'Asia/Tokyo' },
  ])
  expect((await studio('list')).stdout.split('\n')[1]).toBe(`Attic Sound  studio  active  Asia/Tokyo  ${id}`)
})

test('a studio that is misspelt, or named by the beginning of its name, is suggested', async () => {
  await studio('create', 'Harbour Light Pictures', '--owner-email', 'hal@harbour.example')
  for (const wanted of ['Harbor Light Pictures', 'harbour lihgt', 'Harbur']) {
    const { status, stderr } = await studio('plan', wanted)
    expect([status, stderr]).toEqual([1, expect.stringContaining(`did you mean 'Harbour Light Pictures'?`)])
  }
})

test.each([
  { args: [' ', '--owner-email', 'a@b.example'], says: 'Give a name.' },
  { args: ['X'], says: "required option '--owner-email <email>' not specified" },
  { args: ['X', '--owner-email', 'olga'], says: 'Write an e-mail such as olga@studio.example.' },
  { args: ['X', '--owner-email', 'a@b.example', '--plan', 'gold'], says: 'pro, pro_insure, studio' },
  { args: ['X', '--owner-email', 'a@b.example', '--currency', 'euro'], says: 'three capital letters such as EUR' },
  {
    args: ['X', '--owner-email', 'a@b.example', '--currency', 'XYZ'],
    says: "'XYZ' is not an ISO 4217 currency code in use",
  },
  { args: ['X', '--owner-email', 'a@b.example', '--timezone', 'Mars/Base'], says: 'Mars/Base' },
])('what cannot be is refused with a reason, and no studio is made: $args', async ({ args, says }) => {
  const { status, stdout, stderr } = await studio('create', ...args)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(says)
  const made = await asAdmin(cli.database, (admin) => admin.query(`select from app.studios where name in ('X', ' ')`))
  expect(made.rowCount).toBe(0)
})

test('the public API of a studio is turned off and on', async () => {
  const { stdout } = await studio('create', 'Flagged', '--owner-email', 'flo@flagged.example')
  const id = stdout.trim()
  expect(await studio('public-api', 'flagged', 'off')).toMatchObject({ status: 0, stdout: 'The public API is off.\n' })
  const refused = await cli.run('token', 'create', '--studio', id, '--name', 'First')
  expect(refused.stderr).toContain('the public API is off for this studio')
  expect(await studio('public-api', id, 'on')).toMatchObject({ status: 0, stdout: 'The public API is on.\n' })
  expect((await cli.run('token', 'create', '--studio', id, '--name', 'First')).status).toBe(0)
  expect((await studio('public-api', id, 'perhaps')).stderr).toContain('Allowed choices are on, off.')
})

test('naming a financial year changes the figures at once, and can be undone', async () => {
  const id = (await studio('create', 'Fiscal', '--owner-email', 'fay@fiscal.example')).stdout.trim()
  const worth = () =>
    asAdmin(cli.database, async (admin) => {
      const { rows } = await admin.query(
        'select current_estimated_value as value from app.item_valuations where studio_id = $1',
        [id],
      )
      return rows[0].value
    })
  await asAdmin(cli.database, async (admin) => {
    await admin.query(`begin; set local studio.id = '${id}'`)
    await admin.query(
      `insert into app.items
         (studio_id, name, purchase_price, depreciation_method, acquisition_date, useful_life_months, residual_value)
       values ($1, 'desk', 110000, 'double_declining_balance',
         (date_trunc('year', now()) - interval '2 years' + interval '2 months 14 days')::date, 60, 0)`,
      [id],
    )
    await admin.query('commit')
  })
  const byItsOwnYears = await worth()
  const named = await studio('financial-year', '--studio', 'fiscal', '--month', '1')
  expect(named).toMatchObject({ status: 0, stdout: '1 item has a new value.\n' })
  expect(await worth()).not.toBe(byItsOwnYears)
  const again = await studio('financial-year', '--studio', id, '--month', '1')
  expect(again).toMatchObject({ status: 0, stdout: '0 items have a new value.\n' })
  expect((await studio('financial-year', '--studio', id, '--month', 'none')).status).toBe(0)
  expect(await worth()).toBe(byItsOwnYears)
  for (const month of ['0', '13', '4.5', 'April']) {
    const { status, stderr } = await studio('financial-year', '--studio', id, '--month', month)
    expect({ month, status }).toEqual({ month, status: 1 })
    expect(stderr).toContain('Write a month from 1 to 12, or none.')
  }
})

test("a new time zone is announced and moves its analysts' days; an unknown one changes nothing", async () => {
  const id = (await studio('create', 'Moving', '--owner-email', 'mo@moving.example')).stdout.trim()
  const made = await cli.run('analyst', 'create', '--studio', id, '--json')
  const { url } = JSON.parse(made.stdout)
  const zone = () =>
    withClient(url, async (client) => (await client.query('show timezone')).rows[0] as Record<string, string>)
  expect(await zone()).toEqual({ TimeZone: 'UTC' })
  const moved = await studio('time-zone', 'moving', 'Asia/Tokyo', '--yes')
  expect(moved).toMatchObject({ status: 0, stdout: 'Time zone: Asia/Tokyo\n' })
  expect(moved.stderr).toContain('Moving: UTC becomes Asia/Tokyo.')
  expect(await zone()).toEqual({ TimeZone: 'Asia/Tokyo' })
  const refused = await studio('time-zone', 'moving', 'Mars/Base', '--yes')
  expect(refused).toMatchObject({ status: 1, stdout: '' })
  expect(refused.stderr).toContain("'Mars/Base' is not a known time zone")
  expect(await zone()).toEqual({ TimeZone: 'Asia/Tokyo' })
})

test('a corrected currency is announced; amounts stay the same numbers, and finer ones have to be rounded first', async () => {
  const id = (await studio('create', 'Yen', '--owner-email', 'yu@yen.example')).stdout.trim()
  const bring = async (...prices: string[]) => {
    const lines = prices.map((price, at) => `A${at},Desk,${price}`)
    const file = await cli.file('yen.csv', `external_key,name,purchase_price\n${lines.join('\n')}\n`)
    return cli.run('import', 'items', file, '--studio', id)
  }
  const prices = async () =>
    (await cli.told('select purchase_price as p from app.items where studio_id = $1 order by 1', [id])).map(
      ({ p }) => p,
    )
  await bring('12000', '0.50')
  const finer = await studio('currency', 'yen', 'JPY', '--yes')
  expect(finer).toMatchObject({ status: 1, stdout: '' })
  expect(finer.stderr).toContain('1 amount has more decimals than JPY has: 0')
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
  expect((await studio('currency', 'yen', 'XYZ', '--yes')).stderr).toContain(
    'XYZ is not an ISO 4217 currency code in use',
  )
})

test('the terms of a category change the figures at once', async () => {
  const id = (await studio('create', 'Rated', '--owner-email', 'ray@rated.example')).stdout.trim()
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
  const id = (await studio('create', 'Market', '--owner-email', 'mo@market.example')).stdout.trim()
  const items = await cli.file(
    'market.csv',
    'external_key,name,purchase_price,acquisition_date\nA,Mic,100,2020-01-01\nB,Amp,5,\n',
  )
  const values = await cli.file('values.csv', 'item,value,as_of\nA,9999,2026-04-01\n')
  await cli.run('import', 'items', items, '--studio', id)
  await cli.run('import', 'market-values', values, '--studio', id)
  const withdraw = (...args: string[]) => studio('withdraw-market-value', 'market', ...args)
  expect((await withdraw('A', 'B', '--yes')).stderr).toContain('B (Amp) has no market value; nothing was withdrawn')
  expect((await withdraw('C', '--yes')).stderr).toContain('C is not an item of the studio; nothing was withdrawn')
  const asked = await withdraw('A')
  expect(asked.stderr).toContain(
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
  expect((await withdraw('A', '--yes')).stderr).toContain('A (Mic) has no market value')
})
