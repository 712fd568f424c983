import type { z } from 'zod'
import type { itemListed } from '../../../api/items.ts'
import { listEnvelope, metaText } from '../../../http/envelope.ts'
import { createProblems } from '../../../http/problems.ts'

const item: z.infer<typeof itemListed> = {
  id: '3d451b8b-33c6-4827-89e5-976427d10924',
  name: 'Neumann U 87 Ai',
  manufacturer: 'Neumann',
  model: 'U 87 Ai',
  serial_number: '158224',
  barcode: '',
  category: 'Microphones',
  tags: ['vocal'],
  purchase_price: 2650,
  acquisition_date: '2021-06-14',
  depreciation_method: 'straight_line',
  market_value_as_of: '2026-02-01T06:00:00.000Z',
  reported_insured_value: 2400,
  location_id: '8d0f1c5a-2f7b-4b52-9a1e-6f3c3d1b7e90',
  created_at: '2025-09-30T14:02:11.000Z',
  updated_at: '2026-03-02T09:30:00.000Z',
}

/** The answer to the first call: a list of one item out of many. */
export function firstAnswer(docsUrl: string): string {
  return pretty(String(listEnvelope(JSON.stringify(item), 1, 1, 214, metaText(docsUrl))))
}

/** A problem, as the service writes it. */
export function exampleProblem(docsUrl: string): string {
  const body = createProblems(docsUrl).body('invalid_parameter', '6f1c2f0e-9a54-4d7e-8b0c-3f5f0d3b7a11', [
    {
      parameter: 'coverage_state',
      code: 'not_allowed',
      detail: 'coverage_state must be one of fully_covered, under_covered, uninsured, value_unknown.',
      allowed: ['fully_covered', 'under_covered', 'uninsured', 'value_unknown'],
    },
  ])
  return pretty(body)
}

function pretty(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}
