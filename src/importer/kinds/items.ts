import { categories, depreciationMethods } from '../../domain/vocabulary.ts'
import { amount, day, digits, instant, key, list, months, oneOf, text, title } from '../cells.ts'
import { archived, externalKey, itemColumn, type Kind, noteArchived, settleArchived } from './kind.ts'

const nouns = ['item', 'items'] as const

export const items: Kind = {
  name: 'items',
  table: 'items',
  nouns,
  key: 'external_key',
  otherKeys: ['serial_number', 'barcode', 'name'],
  columns: [
    { ...externalKey, example: 'MIC-001' },
    { name: 'name', cell: title, required: true, description: 'What it is called.', example: 'Neumann U 87 Ai' },
    { name: 'manufacturer', cell: text, whenEmpty: '', description: 'Who made it.', example: 'Neumann' },
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
      description: 'Where it is: external key, id or name of a location.',
      example: 'ROOM-A',
    },
    { name: 'purchase_price', cell: amount, whenEmpty: '0', description: 'What was paid.', example: '2650.00' },
    { name: 'acquisition_date', cell: day, description: 'When it was acquired.', example: '2021-03-15' },
    {
      name: 'depreciation_method',
      cell: oneOf(depreciationMethods),
      whenEmpty: 'none',
      description: 'How its value is calculated.',
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
      description: "What it never falls below; empty: the category's share of the price.",
      example: '800.00',
    },
    {
      name: 'manual_value',
      cell: amount,
      description: 'Your own estimate, which goes before depreciation.',
      example: '',
    },
    { name: 'replacement_cost', cell: amount, description: 'What a new one would cost.', example: '3190.00' },
    {
      name: 'reported_insured_value',
      cell: amount,
      whenEmpty: '0',
      description: 'Value reported as insured.',
      example: '2500.00',
    },
    archived,
  ],
  archivable: true,
  rules: [],
  settle: (layout) => settleArchived('items', layout),
  notes: (layout) => noteArchived('items', nouns, layout),
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
