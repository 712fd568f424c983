import fc from 'fast-check'
import { amount, cents, day, iso, type Method, method } from './valuation/exact.ts'

/** One statement; $1 is the studio. `by` says who may run it. */
export type Write = { by: 'writer' | 'owner'; text: string }

const categories = ['Microphones', 'computers & software', 'Outboard — Dynamics & EQ', 'OTHER / UNCATEGORISED'] as const

const category = fc.constantFrom(...categories)
const money = fc.oneof(
  fc.constant('0.00'),
  fc.constantFrom('0.01', '100.00', '5000.00'),
  cents.map((c) => amount(c)),
)
const date = fc.option(day(2015, 2027).map(iso))
const anyMethod = fc.oneof(method, fc.constant<Method>('none'))

/** Some of the studio's items, next to each other in the order of their ids. */
const some = fc
  .tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 5 }))
  .map(
    ([skipped, taken]) =>
      `(select id from app.items where studio_id = $1 order by id offset ${skipped} limit ${taken})`,
  )

const text = (value: string | null) => (value === null ? 'null' : `'${value}'`)
const writer = (text: string): Write => ({ by: 'writer', text })
const owner = (text: string): Write => ({ by: 'owner', text })
const set = (change: string, items: string) =>
  writer(`update app.items set ${change} where studio_id = $1 and id in ${items}`)

const writes: fc.Arbitrary<Write>[] = [
  fc
    .record({ n: fc.integer({ min: 1, max: 6 }), category, money, date, method: anyMethod, archived: fc.boolean() })
    .map((w) =>
      writer(
        `insert into app.items (studio_id, name, category, purchase_price, reported_insured_value, acquisition_date,
             depreciation_method, archived_at)
           select $1, 'item ' || n, ${text(w.category)}, ${w.money} * n / 7, 100 * n, ${text(w.date)}, '${w.method}',
             ${w.archived ? 'now()' : 'null'}
           from generate_series(1, ${w.n}) as n`,
      ),
    ),
  fc.record({ some, money }).map((w) => set(`reported_insured_value = ${w.money}`, w.some)),
  fc.record({ some, money }).map((w) => set(`manual_value = nullif(${w.money}, 100)`, w.some)),
  fc
    .record({ some, method: anyMethod, date })
    .map((w) => set(`depreciation_method = '${w.method}', acquisition_date = ${text(w.date)}`, w.some)),
  fc
    .record({ some, category, money })
    .map((w) => set(`category = '${w.category}', replacement_cost = ${w.money}, purchase_price = 0`, w.some)),
  fc.record({ some, name: fc.constantFrom('A', 'B', 'C') }).map((w) => set(`name = '${w.name}'`, w.some)),
  fc.record({ some, date: fc.constantFrom('now()', 'null') }).map((w) => set(`archived_at = ${w.date}`, w.some)),
  fc.record({ some, money }).map((w) =>
    writer(
      `insert into app.market_values as m (studio_id, item_id, value, as_of)
           select $1, id, ${w.money}, now() from ${w.some} as i
           on conflict (studio_id, item_id) do update set value = excluded.value, as_of = excluded.as_of`,
    ),
  ),
  some.map((items) => writer(`delete from app.market_values where item_id in ${items}`)),
  fc.record({ some, state: fc.constantFrom(`'completed', date '2026-01-01'`, `'scheduled', null::date`) }).map((w) =>
    writer(
      `insert into app.maintenance_records (studio_id, item_id, title, status, completed_date)
           select $1, id, 'check', ${w.state} from ${w.some} as i`,
    ),
  ),
  fc
    .record({
      some,
      change: fc.constantFrom(
        `status = 'completed', completed_date = '2026-02-02'`,
        'item_id = (select id from app.items order by id limit 1)',
      ),
    })
    .map((w) => writer(`update app.maintenance_records set ${w.change} where item_id in ${w.some}`)),
  some.map((items) => writer(`delete from app.maintenance_records where item_id in ${items}`)),
  some.map((items) => owner(`delete from app.items where studio_id = $1 and id in ${items}`)),
  some.map((items) => owner(`delete from app.item_valuations where item_id in ${items}`)),
  fc.option(fc.integer({ min: 1, max: 12 })).map((month) => owner(`select access.set_financial_year($1, ${month})`)),
]

/** A write that a studio, or the owner for it, may make at random. */
export const randomWrite: fc.Arbitrary<Write> = fc.oneof(...writes)

/** A write that a studio may make at random. */
export const randomWriteOfStudio = randomWrite.filter((drawn) => drawn.by === 'writer')
