import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import inputs from '../scripts/capacity/inputs.json' with { type: 'json' }
import { capacityOf, type Inputs, stepsOf } from '../scripts/capacity/model.ts'
import { capacityTable, stepsTable } from '../scripts/capacity/table.ts'

const changed = (change: (copy: Inputs) => void) => {
  const copy = structuredClone(inputs)
  change(copy)
  return copy
}

test('docs/capacity.md has what npm run capacity prints', () => {
  const page = readFileSync(new URL('../docs/capacity.md', import.meta.url), 'utf8')
  expect(page).toContain(capacityTable([1_000, 100_000, 1_000_000], inputs))
  expect(page).toContain(stepsTable(inputs))
})

test('docs/capacity.md explains every input', () => {
  const page = readFileSync(new URL('../docs/capacity.md', import.meta.url), 'utf8')
  for (const [group, values] of Object.entries(inputs)) {
    for (const name of Object.keys(values)) expect(page, `${group}.${name}`).toContain(`\`${name}\``)
  }
})

test('requests, storage and money follow from the inputs', () => {
  const own = changed((copy) => {
    copy.use = { ...copy.use, itemsPerStudio: 100, monthsClosed: 10, growthOfTables: 2, photosPerItem: 1, photoMb: 2 }
    copy.use = { ...copy.use, studiosWithApiClients: 1, requestsPerClientADay: 864, peakFactor: 10 }
    copy.measured = { ...copy.measured, bytesPerItem: 3_000, bytesPerClosedValue: 200 }
  })
  expect(capacityOf(1_000, own)).toMatchObject({
    requestsADay: 864_000,
    peakRequests: 100,
    databaseGb: 1,
    photosGb: 200,
    machines: 2,
    cells: 1,
  })
  const { monthly } = capacityOf(1_000, own)
  expect(monthly.total).toBeCloseTo(monthly.service + monthly.databases + monthly.storage)
})

test('more requests need machines, then a pooler, then replicas; more data need cells', () => {
  const busy = changed((copy) => {
    copy.use = {
      ...copy.use,
      requestsPerClientADay: 20_000,
      monthsClosed: 0,
      shares: { unchanged: 0, item: 0, list: 1 },
    }
    copy.limits = { ...copy.limits, coresPerDatabase: 8, studiosPerCell: 10_000_000 }
  })
  const { machines = 0, pooler = 0, replicas = 0, cells = 0 } = stepsOf(busy)
  expect([machines, pooler, replicas, cells]).toEqual([machines, pooler, replicas, cells].toSorted((a, b) => a - b))
  expect(machines).toBeGreaterThan(0)
  expect(capacityOf(replicas * 2, busy).replicas).toBeGreaterThan(0)
  const unchanged = changed((copy) => {
    copy.use = { ...busy.use, shares: { unchanged: 1, item: 0, list: 0 } }
    copy.limits = busy.limits
  })
  // The primary alone answers what is unchanged.
  expect(stepsOf(unchanged).replicas).toBeUndefined()
  const full = changed((copy) => {
    copy.limits = { ...copy.limits, diskGbPerDatabase: 100 }
  })
  expect(capacityOf(100_000, full).cells).toBe(Math.ceil(capacityOf(100_000, full).databaseGb / 100))
})
