import { type Capacity, capacityOf, type Inputs, stepsOf } from './model.ts'

/** Two significant digits: nothing here is known better. */
function about(value: number): string {
  const rounded = Number(value.toPrecision(2))
  return rounded >= 10 ? Math.round(rounded).toLocaleString('en-US') : String(rounded)
}

const rows: [string, (capacity: Capacity, inputs: Inputs) => string][] = [
  ['requests a day', ({ requestsADay }) => about(requestsADay)],
  ['requests a second at the peak', ({ peakRequests }) => about(peakRequests)],
  ['cores of the service', ({ serviceCores }) => about(serviceCores)],
  ['machines of the service', ({ machines }) => String(machines)],
  ['connections to each primary without a pooler', ({ connections }) => about(connections)],
  ['PgBouncer', ({ needsPooler }) => (needsPooler ? 'needed' : 'not needed')],
  ['installations (cells)', ({ cells }) => String(cells)],
  ['cores of each primary, and of its standby', ({ primaryCores }) => String(primaryCores)],
  ['replicas that are read from, for each', ({ replicas }) => String(replicas)],
  ['data in PostgreSQL, all cells, once', ({ databaseGb }) => `${about(databaseGb)} GB`],
  ['photos', ({ photosGb }) => `${about(photosGb)} GB`],
  ['a month: service', ({ monthly }, { monthlyPrices }) => `${about(monthly.service)} ${monthlyPrices.currency}`],
  ['databases', ({ monthly }, { monthlyPrices }) => `${about(monthly.databases)} ${monthlyPrices.currency}`],
  ['storage', ({ monthly }, { monthlyPrices }) => `${about(monthly.storage)} ${monthlyPrices.currency}`],
  ['in total', ({ monthly }, { monthlyPrices }) => `${about(monthly.total)} ${monthlyPrices.currency}`],
  ['for one studio', (c, { monthlyPrices }) => `${(c.monthly.total / c.studios).toFixed(2)} ${monthlyPrices.currency}`],
]

/** What these numbers of studios need, as a table in Markdown. */
export function capacityTable(studios: readonly number[], inputs: Inputs): string {
  const needed = studios.map((count) => capacityOf(count, inputs))
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    line(['studios', ...studios.map((count) => count.toLocaleString('en-US'))]),
    line(['---', ...studios.map(() => '---:')]),
    ...rows.map(([title, text]) => line([title, ...needed.map((capacity) => text(capacity, inputs))])),
  ].join('\n')
}

/** At how many studios each part is needed, as a table in Markdown. */
export function stepsTable(inputs: Inputs): string {
  const { machines, pooler, replicas, cells } = stepsOf(inputs)
  const line = (what: string, studios: number | undefined) =>
    `| ${what} | ${studios === undefined ? 'not before cells' : about(studios)} |`
  return [
    '| step | needed from so many studios |',
    '| --- | ---: |',
    line('a third machine of the service, or a larger one', machines),
    line('PgBouncer', pooler),
    line('replicas that are read from', replicas),
    line('a second cell', cells),
  ].join('\n')
}
