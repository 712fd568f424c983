import { amount, instant, text } from '../cells.ts'
import { itemColumn, type Kind } from './kind.ts'

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
    { name: 'as_of', cell: instant, required: true, description: 'When it was found.', example: '2024-06-30' },
    {
      name: 'source',
      cell: text,
      whenEmpty: '',
      description: 'Who gave it; the API never shows it.',
      example: 'Gear index',
    },
  ],
  archivable: false,
  rules: [],
}
