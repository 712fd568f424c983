import { categories, depreciationMethods } from '../../domain/vocabulary.ts'
import { amount, day, digits, instant, key, list, months, oneOf, percent, text, yesNoOr } from '../cells.ts'
import {
  archived,
  externalKey,
  itemColumn,
  type Kind,
  noteArchived,
  type Rule,
  rowsOf,
  settleArchived,
} from './kind.ts'

const nouns = ['item', 'items'] as const

/** The columns of a dated change; an empty cell keeps the term. */
const estimates: Readonly<Record<string, string>> = {
  depreciation_method: 'The new method; empty: as before.',
  useful_life_months: 'The new useful life, since the acquisition; empty: as before.',
  residual_value: 'The new residual value; empty: as before.',
  depreciation_rate: 'The new rate, percent a year; empty: as before.',
  switches_to_straight_line: 'The new switch; empty: as before.',
}

export const items: Kind = {
  name: 'items',
  table: 'items',
  nouns,
  key: 'external_key',
  otherKeys: ['serial_number', 'barcode', 'name'],
  columns: [
    { ...externalKey, example: 'MIC-001' },
    { name: 'name', cell: text, required: true, description: 'Name.', example: 'Neumann U 87 Ai' },
    { name: 'manufacturer', cell: text, whenEmpty: '', description: 'Manufacturer.', example: 'Neumann' },
    { name: 'model', cell: text, whenEmpty: '', description: 'Model.', example: 'U 87 Ai' },
    { name: 'serial_number', cell: digits, whenEmpty: '', description: 'Serial number.', example: '104512' },
    { name: 'barcode', cell: digits, whenEmpty: '', description: 'Barcode or asset tag.', example: '4006381333931' },
    {
      name: 'category',
      cell: oneOf(categories, 'one of the 16 categories, in any case'),
      whenEmpty: 'Other / Uncategorised',
      description: 'Category; stored in its canonical spelling.',
      example: 'Microphones',
    },
    { name: 'tags', cell: list, whenEmpty: '{}', description: 'Your own labels.', example: 'large diaphragm|vocals' },
    {
      name: 'location',
      cell: key,
      target: 'location_id',
      refersTo: 'locations',
      description: 'Location: its external key, id or name.',
      example: 'ROOM-A',
    },
    { name: 'purchase_price', cell: amount, whenEmpty: '0', description: 'Purchase price.', example: '2650.00' },
    { name: 'acquisition_date', cell: day, isPast: true, description: 'Date of acquisition.', example: '2021-03-15' },
    {
      name: 'depreciation_method',
      cell: oneOf(depreciationMethods),
      whenEmpty: 'none',
      description: 'Depreciation method.',
      example: 'straight_line',
    },
    {
      name: 'useful_life_months',
      cell: months,
      description: "Useful life for depreciation; empty: the category's.",
      example: '180',
    },
    {
      name: 'residual_value',
      cell: amount,
      description: "The value at which depreciation stops; empty: the category's share of the price.",
      example: '800.00',
    },
    {
      name: 'depreciation_rate',
      cell: percent,
      description:
        "Rate of a declining method, percent a year; empty: its category's, else 150 or 200 % by the useful life.",
      example: '',
    },
    {
      name: 'switches_to_straight_line',
      cell: yesNoOr('floor'),
      description:
        'Whether a declining method changes to straight line once that charges more; floor: it never charges less; ' +
        'empty: as its category.',
      example: 'no',
    },
    {
      name: 'manual_value',
      cell: amount,
      description: 'Your own estimate, which takes precedence over depreciation.',
      example: '',
    },
    { name: 'replacement_cost', cell: amount, description: 'Cost of a new one.', example: '3190.00' },
    {
      name: 'reported_insured_value',
      cell: amount,
      whenEmpty: '0',
      description: 'Value reported as insured.',
      example: '2500.00',
    },
    {
      name: 'disposed_on',
      cell: day,
      description: 'Day of the sale, loss or scrapping, today or earlier. The import archives the item.',
      example: '',
    },
    { name: 'disposal_proceeds', cell: amount, description: 'Proceeds of the disposal.', example: '' },
    archived,
  ],
  archivable: true,
  rules: [
    refusing(
      ['depreciation_rate', 'depreciation_method'],
      'depreciation_rate',
      'is for a declining method, and the method is another',
      'write declining_balance, or empty the rate',
      (rate, method) =>
        `${rate} is not null and coalesce(${method}, 'none') not in ('declining_balance', 'double_declining_balance')`,
    ),
    refusing(
      ['disposed_on', 'acquisition_date'],
      'disposed_on',
      'is before acquisition_date',
      'correct one of the two',
      (gone, acquired) => `${gone} < ${acquired}`,
    ),
    refusing(
      ['disposed_on'],
      'disposed_on',
      'is after today',
      'write it when the item is gone',
      (gone) => `${gone} > (select access.current_studio_today())`,
    ),
    refusing(
      ['disposal_proceeds', 'disposed_on'],
      'disposal_proceeds',
      'is without disposed_on',
      'write the day of the disposal',
      (proceeds, gone) => `${proceeds} is not null and ${gone} is null`,
    ),
    {
      reads: ['archived', 'disposed_on'],
      errors: (layout) => `
        select r.line, 'archived', 'no', 'is for an item that is disposed of', 'empty disposed_on, or write yes'
        from ${rowsOf({ table: 'items', key: 'external_key' }, ['archived', 'disposed_on'])}
        where ${layout.has('archived') ? 'not r.archived' : 'false'} and ${layout.final('disposed_on')} is not null`,
    },
  ],
  settle: (layout) => settleArchived('items', layout),
  notes: (layout) => noteArchived('items', nouns, layout),
}

/** Refuses rows whose new values meet a condition. @param column named in the error */
function refusing(
  reads: readonly string[],
  column: string,
  problem: string,
  remedy: string,
  condition: (...finals: string[]) => string,
): Rule {
  return {
    reads,
    errors: ({ final }) => `
      select r.line, '${column}', ${final(column)}::text, '${problem}', '${remedy}'
      from ${rowsOf({ table: 'items', key: 'external_key' }, reads)} where ${condition(...reads.map(final))}`,
  }
}

export const depreciationChanges: Kind = {
  name: 'depreciation-changes',
  table: 'depreciation_changes',
  nouns: ['change of depreciation', 'changes of depreciation'],
  key: 'external_key',
  columns: [
    { ...externalKey, example: 'MIC-001/2023' },
    itemColumn,
    {
      name: 'effective_on',
      cell: day,
      required: true,
      description: 'The day from which the change applies.',
      example: '2023-07-01',
    },
    ...items.columns
      .filter(({ name }) => /^(?:depreciation_|useful_life|residual|switches)/.test(name))
      .map(({ whenEmpty: _, ...column }) => ({
        ...column,
        description: estimates[column.name] ?? '',
        example: column.name === 'useful_life_months' ? '96' : '',
      })),
  ],
  archivable: false,
  rules: [
    {
      reads: ['effective_on'],
      errors: ({ final }) => `
        select r.line, 'effective_on', ${final('effective_on')}::text, 'is after today', 'import the change when it takes effect'
        from ${rowsOf({ table: 'depreciation_changes', key: 'external_key' }, ['effective_on'])}
        where ${final('effective_on')} > (select access.current_studio_today())`,
    },
    {
      reads: ['effective_on'],
      errors: ({ final }) => `
        select r.line, 'effective_on', ${final('effective_on')}::text, 'changes nothing', 'write what changes, or leave the row out'
        from ${rowsOf({ table: 'depreciation_changes', key: 'external_key' }, Object.keys(estimates))}
        where num_nonnulls(${Object.keys(estimates).map(final).join(', ')}) = 0`,
    },
  ],
}

export const marketValues: Kind = {
  name: 'market-values',
  table: 'market_values',
  nouns: ['market value', 'market values'],
  key: 'item',
  columns: [
    {
      ...itemColumn,
      description: 'The item, by external key or id. It is the key of the row: an item has one market value.',
    },
    { name: 'value', cell: amount, required: true, description: 'The market value.', example: '2890.00' },
    { name: 'as_of', cell: instant, required: true, description: 'Date of the market value.', example: '2024-06-30' },
    {
      name: 'source',
      cell: text,
      whenEmpty: '',
      description: 'Source of the value; the API never shows it.',
      example: 'Gear index',
    },
  ],
  archivable: false,
  rules: [],
}
