import type { Sums } from '../domain/sums.ts'
import type { Heading } from './heading.ts'
import { type BookYear, bookAmounts, type Totals } from './totals.ts'
import { dayInWords, policyLabel, sourceLabels, underPolicies } from './words.ts'

/** `width` in points, in the PDF; columns without one share the rest. */
export type Column = { header: string; kind: 'text' | 'day' | 'whole' | 'money'; width?: number }

/** Amounts are decimals as text, days `YYYY-MM-DD`. */
type Row = { cells: readonly (string | number | null)[]; sum?: boolean }

/** A table of a report, the same in PDF and XLSX, where `sheet` says on which sheet it is. */
export type Table = {
  title: string
  sheet: string
  columns: readonly Column[]
  rows: readonly Row[]
  notes: readonly string[]
}

/** The tables that follow the items, if they have rows. A report without items has one table of
 * sums. */
export function tablesOf(heading: Heading, totals: Totals): Table[] {
  const sums = sumsOf(heading)
  return [
    categories(totals, sums),
    ...(totals.all.items === 0 ? [] : [sources(totals, sums), policies(heading, totals)]),
    locations(totals, sums),
    missing(totals),
    books(heading, totals),
  ].filter(({ rows }) => rows.length > 0)
}

const sumsOf = (heading: Heading): readonly Column[] => [
  { header: 'Items', kind: 'whole', width: 34 },
  { header: 'Purchase price', kind: 'money', width: 62 },
  { header: 'Replacement cost', kind: 'money', width: 62 },
  { header: 'Value', kind: 'money', width: 62 },
  { header: 'Reported as insured', kind: 'money', width: 62 },
  { header: 'Under-Declared', kind: 'money', width: 62 },
  { header: 'Not Declared', kind: 'money', width: 62 },
  { header: 'Over-declared', kind: 'money', width: 62 },
  { header: 'Without value', kind: 'whole', width: 42 },
  { header: 'Reported for them', kind: 'money', width: 58 },
  { header: underPolicies(heading), kind: 'money', width: 62 },
]

const cellsOf = (each: Sums) => [
  ...[each.items, each.purchase_price, each.replacement_cost, each.estimated_value, each.reported_insured_value],
  ...[each.under_declared, each.not_declared, each.over_declared, each.without_value_items],
  ...[each.without_value_declared, each.declared_under_policies],
]

const categories = (totals: Totals, sums: readonly Column[]): Table => ({
  title: 'Totals by category',
  sheet: 'Totals',
  columns: [{ header: 'Category', kind: 'text' }, ...sums],
  rows: [
    ...totals.categories.map((each) => ({ cells: [each.key, ...cellsOf(each)] })),
    { cells: ['All items', ...cellsOf(totals.all)], sum: true },
  ],
  notes: [
    'Value less what is reported as insured, but for items without a value, is Under-Declared and Not Declared less over-declared. Replacement cost is of the items that have one recorded.',
  ],
})

const sources = (totals: Totals, sums: readonly Column[]): Table => ({
  title: 'Totals by source of the value',
  sheet: 'Totals',
  columns: [{ header: 'Source', kind: 'text' }, ...sums],
  rows: [
    ...totals.sources.map((each) => ({ cells: [sourceLabels[each.key ?? 'unknown'] ?? each.key, ...cellsOf(each)] })),
    { cells: ['All items', ...cellsOf(totals.all)], sum: true },
  ],
  notes: [],
})

/** An amount of a policy's terms, or words for a missing one. */
const recorded = (amount: string | null): string => amount ?? 'Not recorded'

function policies({ policy }: Heading, totals: Totals): Table {
  const { uncovered } = totals
  const repeated = totals.all.repeated_items ?? 0
  return {
    title: policy === null ? 'Totals by policy' : 'The policy',
    sheet: 'Totals',
    columns: [
      { header: 'Policy', kind: 'text' },
      { header: 'Items', kind: 'whole', width: 34 },
      { header: 'Value of its items', kind: 'money', width: 66 },
      { header: 'Declared under it', kind: 'money', width: 66 },
      { header: 'Limit', kind: 'money', width: 66 },
      { header: 'Limit less declared', kind: 'money', width: 66 },
      { header: 'Deductible', kind: 'money', width: 56 },
      { header: 'From', kind: 'day', width: 60 },
      { header: 'To', kind: 'day', width: 52 },
      { header: 'Without value', kind: 'whole', width: 42 },
      { header: 'Nothing declared', kind: 'whole', width: 50 },
    ],
    rows: [
      ...totals.policies.map((each) => ({
        cells: [
          ...[policyLabel(each), each.sums.items, each.sums.estimated_value, each.sums.declared_under_policies],
          ...[recorded(each.limit), each.left, recorded(each.deductible), each.starts, each.ends],
          ...[each.sums.without_value_items, each.sums.without_amount_items],
        ],
      })),
      ...(uncovered === null
        ? []
        : [
            {
              cells: [
                ...['No policy', uncovered.items, uncovered.estimated_value],
                ...[null, null, null, null, null, null, uncovered.without_value_items, null],
              ],
            },
          ]),
    ],
    notes: [
      ...(policy === null
        ? ['An item under several policies counts in each, so policies do not add up to all items.']
        : []),
      'An amount that is not recorded adds nothing.',
      ...(repeated > 0
        ? [
            `Notice: ${repeated === 1 ? '1 item has' : `${repeated} items have`} several assignments under one policy on this day. Their amounts are added: check whether an old one should have ended.`,
          ]
        : []),
    ],
  }
}

/** The columns about policies. The purchase price is left out, so that the address has room. */
const located = <Element>(of: readonly Element[]) => of.slice(0, 7).filter((_, at) => at !== 1)

const locations = (totals: Totals, sums: readonly Column[]): Table => ({
  title: 'Totals by location',
  sheet: 'Locations',
  columns: [{ header: 'Location', kind: 'text' }, { header: 'Address', kind: 'text', width: 230 }, ...located(sums)],
  rows: [
    ...totals.locations.map((each) => ({
      cells: [each.location || 'No location', each.address, ...located(cellsOf(each))],
    })),
    ...(totals.locations.length > 0
      ? [{ cells: ['All items', null, ...located(cellsOf(totals.all))], sum: true }]
      : []),
  ],
  notes: ['A location includes the locations within it, so the lines do not add up to all items.'],
})

const missing = ({ missing: items, all }: Totals): Table => ({
  title: 'Under-Declared and Not Declared',
  sheet: 'Under-Declared',
  columns: [
    { header: 'Item', kind: 'text' },
    { header: 'Serial number', kind: 'text', width: 110 },
    { header: 'Location', kind: 'text', width: 120 },
    { header: 'Replacement cost', kind: 'money', width: 72 },
    { header: 'Value', kind: 'money', width: 72 },
    { header: 'Reported as insured', kind: 'money', width: 72 },
    { header: 'Gap', kind: 'money', width: 72 },
  ],
  rows: [
    ...items.map((each) => ({
      cells: [
        ...[each.name, each.serialNumber, each.location, each.replacementCost, each.value, each.reported, each.missing],
      ],
    })),
    ...(items.length > 0
      ? [
          { cells: ['Under-Declared', null, null, null, null, null, all.under_declared], sum: true },
          { cells: ['Not Declared: nothing is reported', null, null, null, null, null, all.not_declared], sum: true },
          { cells: ['Left to declare', null, null, null, null, null, all.left_to_declare], sum: true },
        ]
      : []),
  ],
  notes: [],
})

const bookHeaders: Readonly<Record<(typeof bookAmounts)[number], string>> = {
  opening_cost: 'Opening cost',
  additions: 'Additions',
  disposed_cost: 'Disposed cost',
  closing_cost: 'Closing cost',
  opening_accumulated: 'Opening accum. depreciation',
  charge: 'Charge of the year',
  disposed_accumulated: 'Disposed accum. depreciation',
  closing_accumulated: 'Closing accum. depreciation',
  opening_value: 'Opening carrying amount',
  closing_value: 'Closing carrying amount',
  proceeds: 'Proceeds',
  gain: 'Gain or loss',
}

const books = ({ today }: Heading, { books: years }: Totals): Table => ({
  title: 'Depreciation by financial year (IAS 16.73)',
  sheet: 'Depreciation',
  columns: [
    { header: 'Year to', kind: 'day', width: 48 },
    { header: 'Category', kind: 'text' },
    ...bookAmounts.map((amount): Column => ({ header: bookHeaders[amount], kind: 'money', width: 49.5 })),
  ],
  rows: years.map(({ yearEnd, category, amounts }: BookYear) => ({
    cells: [yearEnd, category ?? 'All categories', ...bookAmounts.map((amount) => amounts[amount])],
    sum: category === null,
  })),
  notes: [
    `Items that depreciate, by their method, even where another value counts. A year that had not ended on ${dayInWords(today)} is shown to its end, as it will be by what is recorded.`,
    'Closing is opening and additions less disposed, accumulated with the charge. Carrying amount is cost less accumulated depreciation. Gain is proceeds less the carrying amount of what was disposed of.',
  ],
})
