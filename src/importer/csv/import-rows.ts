import type { BulkTransaction, Transaction } from '../../database/session.ts'
import { minorUnits } from '../../domain/vocabulary.ts'
import { amountOf } from '../cells.ts'
import { readChanges } from '../changes.ts'
import { means, otherCurrency } from '../currency.ts'
import { calendarOf } from '../foreign/formats.ts'
import type { ImportPlan } from '../import-job.ts'
import { type Column, type Kind, layoutOf } from '../kinds/kind.ts'
import { plausibility } from '../plausibility.ts'
import { counted, type Progress } from '../progress.ts'
import type { Reading } from '../read-cell.ts'
import { makeLocations, resolving, resolvingByContent } from '../references.ts'
import { quoted, type RowError, UnreadableFile } from '../row-errors.ts'
import { keyNotes, keysAmong, numberRows, reportMissingKey } from '../row-keys.ts'
import { checking } from '../rules.ts'
import { type StagedRow, stageErrors, stageRows } from '../staging.ts'
import { idsOf, writing } from '../write.ts'
import type { Header, KeyChoice } from './header.ts'
import type { PiecesTally } from './pieces.ts'
import { rowReader, type Tally } from './rows.ts'
import type { Source } from './source.ts'

/** How to read a file, beyond its kind. */
type FileReading = Reading & {
  /** Makes locations that rows name and the studio lacks. */
  makeLocations?: boolean
  /** See ImportJob. */
  idsFrom?: string | undefined
  key?: KeyChoice
}

/** Imports a file of rows after its header. */
export function rowsImport(kind: Kind, source: Source, reading: FileReading = {}): ImportPlan {
  const { header } = source
  const keyColumn = kind.columns.find(({ name }) => name === kind.key)
  const layout = layoutOf(kind, [...(header.numbered ? [keyColumn] : []), ...header.places.map(({ column }) => column)])
  const studioReading: Reading = { ...reading, cleaned: new Map(), exact: header.exact ?? false }
  const reader = rowReader(header, studioReading)
  const ids = idsOf(kind, layout, reading.idsFrom)
  const places = reading.makeLocations ? layout.columns.filter(isPlace) : []
  // The list of a policy's items has no keys.
  const isByContent = header.own !== undefined && kind.name === 'assignments' && !layout.has(kind.key)
  const keys = async (transaction: Transaction) => [
    ...(await keysAmong(transaction, kind, layout)),
    ...reader.spareKeys(),
  ]
  return {
    table: kind.table,
    nouns: kind.nouns,
    stage: (transaction, progress, { timezone, currency }) => {
      studioReading.calendar = calendarOf(timezone)
      studioReading.amount = amountOf(minorUnits(currency))
      studioReading.decimals = minorUnits(currency)
      studioReading.currency = currency
      return stage(transaction, source, reader, progress, currency)
    },
    prepare: async (transaction) => {
      const made: string[] = []
      for (const column of places) made.push(...(await makeLocations(transaction, kind, column)))
      if (!layout.has(kind.key) && !isByContent)
        await reportMissingKey(transaction, kind, header.line, await keys(transaction))
      return [...summaryOf(kind, header, reader, studioReading), ...made]
    },
    keys,
    resolving: [
      ...(header.numbered ? [numberRows(kind)] : []),
      ...ids.resolving,
      ...(isByContent ? resolvingByContent(kind, layout) : resolving(kind, layout, header.own !== undefined)),
    ],
    checking: [
      ...(isByContent ? [] : checking(kind, layout)),
      ...(header.exact ? [] : plausibility(kind, layout, { numbered: header.numbered, accepted: reading.accepted })),
    ],
    writing: writing(kind, layout, ids.columns),
    changes: (transaction, shown) => readChanges(transaction, kind, layout, shown),
    notes: [...keyNotes(kind, layout, reading.key), ...(kind.notes?.(layout) ?? [])],
  }
}

const isPlace = (column: Column) => column.refersTo === 'locations' && column.name === 'location'

/** Copies rows in chunks, so that memory does not grow with the file. Reads one while the database
 * takes the one before. */
async function stage(
  transaction: BulkTransaction,
  source: Source,
  reader: ReturnType<typeof rowReader>,
  progress: Progress,
  currency: string,
): Promise<void> {
  const copy = async (staged: StagedRow[], errors: readonly RowError[]) => {
    await stageRows(transaction, reader.columns, staged)
    await stageErrors(transaction, errors)
  }
  let rows = 0
  let copied = Promise.resolve()
  await copy([], [...source.header.errors, ...otherCurrencies(source.header, currency)])
  try {
    for await (const { records, errors } of source.batches) {
      const found: RowError[] = [...errors]
      const staged = records.flatMap((record) => reader.read(record, found))
      await copied
      copied = copy(staged, found)
      copied.catch(() => undefined) // the next await throws it
      rows += records.length
      progress.at(source.read(), rows)
    }
  } catch (error) {
    await copied
    if (!(error instanceof UnreadableFile)) throw error
    await copy([], [unreadable(error)])
  }
  await copied
}

/** Refuses columns of amounts whose names say another currency or unit: `Price (USD)`, `Price (cents)`. */
function otherCurrencies({ line, names, places }: Header, currency: string): RowError[] {
  return places.flatMap(({ column, indexes }) => {
    if (column.cell.reads !== 'amount') return []
    return indexes.flatMap((index) => {
      const name = names[index] ?? ''
      const problem = `counts in ${otherUnit.exec(name)?.[0]}`
      if (otherUnit.test(name))
        return [{ line, column: column.name, value: name, problem, remedy: `write ${currency}` }]
      const sign = /(?:^|[\s([])([A-Z]{3}|\p{Sc}|[A-Z]{1,2}\p{Sc})[\])]?\s*$/u.exec(name)?.[1]
      if (sign === undefined || !isCurrency(sign) || means(sign, currency)) return []
      return [{ line, column: column.name, value: name, ...otherCurrency(sign, currency) }]
    })
  })
}

/** Cents, thousands and the like in the name of a column. */
const otherUnit =
  /(?<!\p{L})(?:cents?|pence|rappen|öre|thousands?|tausend|tsd|k\p{Sc}|k(?:EUR|USD|GBP)|x ?1[.,]?000)(?!\p{L})/iu
const currencies = new Set(Intl.supportedValuesOf('currency'))
const isCurrency = (sign: string) => !/^[A-Z]{3}$/.test(sign) || currencies.has(sign)

/** Tells a person what the import left out, split into pieces or cleaned. */
function summaryOf(kind: Kind, header: Header, reader: ReturnType<typeof rowReader>, reading: Reading): string[] {
  const { ignored, only, except, own, above, checked } = header
  const { otherRows, exceptRows, noRecords, remarks, firstOfSeveral, gone, states }: Tally = reader.tally
  const { pieces } = reader
  const rows = (count: number) => (count === 1 ? '1 row' : `${counted(count)} rows`)
  const first = (line: number) => `(first: line ${line})`
  const notes: (string | false)[] = [
    own !== undefined && `read as ${kind.nouns[1]} ${own}`,
    above !== undefined && `${rows(above)} above the header left out`,
    ignored.length > 0 && own === undefined && `ignored columns: ${ignored.map(quoted).join(', ')}`,
    otherRows > 0 && `${rows(otherRows)} left out: not ${only?.values.map(quoted).join(' or ')}`,
    exceptRows > 0 && `${rows(exceptRows)} left out: ${except?.what}`,
    noRecords.rows > 0 && `${rows(noRecords.rows)} left out: the header again, or only zeros ${first(noRecords.line)}`,
    remarks.rows > 0 && `${rows(remarks.rows)} left out: totals, headings or remarks ${first(remarks.line)}`,
    pieces.rows > 0 && aboutPieces(pieces, reading),
    firstOfSeveral > 0 && `${rows(firstOfSeveral)} with several codes in one cell: the first is read`,
    gone > 0 && `${rows(gone)} archived, because their state says that they are gone`,
    states.size > 0 && `states that are read as owned: ${[...states].slice(0, 10).map(quoted).join(', ')}`,
    checked.states.length > 0 &&
      !reading.accepted?.has('states') &&
      `columns that are only checked: ${checked.states.map(({ name }) => quoted(name.trim())).join(', ')}`,
    ...[...(reading.cleaned ?? [])].map(
      ([what, { cells, line }]) =>
        `cleaned ${cells === 1 ? '1 cell' : `${counted(cells)} cells`}: ${what} ${first(line)}`,
    ),
  ]
  return notes.filter((note) => note !== false)
}

function aboutPieces({ rows, pieces, missing, value }: PiecesTally, { accepted, currency }: Reading): string {
  const worth = value > 0 ? `, worth ${value.toFixed(2)} ${currency ?? ''}`.trimEnd() : ''
  const what = `${rows === 1 ? '1 row has' : `${counted(rows)} rows have`} ${counted(pieces)} pieces`
  return accepted?.has('quantities')
    ? `${what}: an item for each; the second has the key of the row and /2`
    : `${what}: ${counted(missing)} of them would be missing${worth}`
}

/** Turns the refusal of a whole file into an error like the others. */
export function unreadable({ line, message, hint }: UnreadableFile): RowError {
  return { line, column: null, value: null, problem: message, remedy: hint }
}
