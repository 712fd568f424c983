import type { Loaded } from './load.ts'
import type { Changed, Measured } from './measure.ts'
import type { Newcomer } from './newcomer.ts'
import type { Size } from './sizes.ts'

/** All that a run may have found; a part that was not asked for is missing. */
export type Found = {
  about: string[]
  loaded?: Loaded
  many?: Partial<Measured> | undefined
  empty?: Newcomer
  plain?: Partial<Measured> | undefined
  parts?: Partial<Measured> | undefined
}

/** The tables of a run, in Markdown. */
export function report({ about, loaded, many, empty, plain, parts }: Found): string {
  const texts = [about.join('\n')]
  if (loaded) texts.push(loadedText(loaded))
  if (many) texts.push(...manyTables(many, empty))
  if (plain && parts) texts.push(partsTable(plain, parts))
  return texts.filter((text) => text !== '').join('\n\n')
}

function loadedText({ studios, items, seconds, stopped }: Loaded): string {
  const end = stopped === undefined ? '' : `; stopped because ${stopped}`
  return `${count(studios)} studios, ${count(items)} items, loaded in ${Math.round(seconds / 60)} minutes${end}.`
}

function manyTables(
  { size, reads, plans, authentication, first, jobs, newcomer, whole, scattered }: Partial<Measured>,
  empty?: Newcomer,
) {
  const tables: string[] = []
  if (size) tables.push(sizesTable(size.sizes, size.items, size.database))
  if (reads) {
    const rows = reads.map(({ what, cold, cold95, coldBlocks, warm, warmBlocks, cpu }) => {
      const plan = plans?.find((one) => one.what === what)
      const found = plan ? (plan.flaws.length > 0 ? plan.flaws.join(', ') : plan.indexes.join(', ')) : ''
      return [what, micro(cpu), micro(warm), count(warmBlocks), micro(cold), micro(cold95), count(coldBlocks), found]
    })
    tables.push(
      table(['request', 'processor time', 'warm', 'blocks', 'cold', 'p95', 'blocks read', 'items are read by'], rows),
    )
  }
  const single: string[][] = []
  if (first) single.push(['the first list of a connection, inside PostgreSQL', micro(first)])
  if (authentication) {
    single.push([
      'authentication of a token, as a client sees it',
      `${micro(authentication.one)}, ${micro(authentication.cpu)} of processor time`,
    ])
    single.push(['of eight tokens in one statement', micro(authentication.eight)])
    single.push(['`select 1`', micro(authentication.nothing)])
  }
  if (newcomer)
    single.push(
      ['a studio is created', ms(newcomer.createMs)],
      [
        'its first 10,000 items',
        `${seconds(newcomer.importSeconds)}, ${seconds(newcomer.importCpu)} of processor time`,
      ],
    )
  if (empty)
    single.push(
      ['in an empty database: a studio', ms(empty.createMs)],
      ['its first 10,000 items', `${seconds(empty.importSeconds)}, ${seconds(empty.importCpu)} of processor time`],
    )
  if (jobs) single.push(...jobRows(jobs))
  if (single.length > 0) tables.push(table(['what', 'time'], single))
  if (whole && scattered)
    tables.push(
      vacuumTable([
        ['all items of 1 % of the studios', whole],
        ['1 % of the items of all studios', scattered],
      ]),
    )
  return tables
}

function jobRows({ looks, day, month, closing }: Measured['jobs']): string[][] {
  const pace = ({ studios, values, seconds: took, cpu }: Measured['jobs']['day']) =>
    `${count(values)} in ${seconds(took)}: ${count(values / took)}/s; processor time ${micro((cpu / values) * 1e6)} a value, ${ms((cpu / studios) * 1000)} a studio`
  return [
    ...looks.map(({ what, ms: took, cpuMs }) => [
      `one look for all studios, ${what}`,
      `${ms(took)}, ${ms(cpuMs)} of processor time`,
    ]),
    [`refresh of a day's values, ${count(day.studios)} studios`, pace(day)],
    [`refresh of a month's, ${count(month.studios)} studios`, pace(month)],
    [`closing of a month, ${count(closing.studios)} studios`, pace(closing)],
  ]
}

function sizesTable(sizes: Size[], items: number, database: number): string {
  const rows = sizes
    .filter(({ bytes }) => bytes > items)
    .map(({ table: name, index, bytes, heap }) => [
      index === null ? `**${name}**` : index,
      gigabytes(bytes),
      index === null ? gigabytes(heap) : '',
      count(bytes / items),
    ])
  return table(
    ['table or index', 'GB', 'its rows', 'bytes for each item'],
    [...rows, ['the database', gigabytes(database), '', count(database / items)]],
  )
}

function vacuumTable(all: [string, Changed][]): string {
  return table(
    [
      'changed',
      'items',
      'an update: time',
      'processor',
      'HOT',
      'vacuum',
      'processor',
      'index scans',
      'pages read',
      'written',
      'autovacuum waits besides',
    ],
    all.map(([what, { updated, vacuumed }]) => [
      what,
      count(updated.items),
      micro((updated.seconds / updated.items) * 1e6),
      micro((updated.cpu / updated.items) * 1e6),
      `${Math.round(updated.hot * 100)} %`,
      seconds(vacuumed.seconds),
      seconds(vacuumed.cpu),
      String(vacuumed.indexScans),
      count(vacuumed.reads + vacuumed.hits),
      count(vacuumed.dirtied),
      seconds(vacuumed.waits),
    ]),
  )
}

function partsTable(plain: Partial<Measured>, parts: Partial<Measured>): string {
  const rows: string[][] = []
  const add = (what: string, of: (measured: Partial<Measured>) => string | undefined) => {
    const [one, other] = [of(plain), of(parts)]
    if (one !== undefined && other !== undefined) rows.push([what, one, other])
  }
  add('the database', ({ size }) => size && gigabytes(size.database))
  add(
    'items with their indexes',
    ({ size }) => size && gigabytes(size.sizes.find((one) => one.table === 'items' && one.index === null)?.bytes ?? 0),
  )
  for (const { what } of plain.reads ?? []) {
    add(what, ({ reads }) => reads && micro(reads.find((read) => read.what === what)?.cpu ?? Number.NaN))
  }
  add('first list of a connection', ({ first }) => (first === undefined ? undefined : micro(first)))
  add('authentication', ({ authentication }) => authentication && micro(authentication.cpu))
  add('10,000 new items', ({ newcomer }) => newcomer && seconds(newcomer.importCpu))
  add('one look of the refresh', ({ jobs }) => jobs && ms(jobs.looks[0]?.cpuMs ?? Number.NaN))
  add('refresh of a value', ({ jobs }) => jobs && micro((jobs.month.cpu / jobs.month.values) * 1e6))
  for (const [what, which] of [
    ['of 1 % of the studios', 'whole'],
    ['1 % of all', 'scattered'],
  ] as const) {
    add(`items ${what}: an update`, (measured) =>
      micro(((measured[which]?.updated.cpu ?? 0) / (measured[which]?.updated.items ?? 1)) * 1e6),
    )
    add('the vacuum after it', (measured) => seconds(measured[which]?.vacuumed.cpu ?? Number.NaN))
    add('pages that it looks at', (measured) =>
      count((measured[which]?.vacuumed.reads ?? 0) + (measured[which]?.vacuumed.hits ?? 0)),
    )
  }
  return table(['', 'one table', '16 partitions'], rows)
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, n) => (n === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

const count = (value: number) => Math.round(value).toLocaleString('en-US')
const micro = (value: number) => (value < 10_000 ? `${count(value)} µs` : ms(value / 1_000))
const ms = (value: number) =>
  value < 10_000 ? `${value < 10 ? value.toFixed(1) : count(value)} ms` : seconds(value / 1_000)
const seconds = (value: number) => `${value < 10 ? value.toFixed(2) : count(value)} s`
const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 1)
