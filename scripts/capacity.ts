import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import standard from './capacity/inputs.json' with { type: 'json' }
import type { Inputs } from './capacity/model.ts'
import { capacityTable, stepsTable } from './capacity/table.ts'

/** `npm run capacity [-- --inputs FILE] [STUDIOS…]`: what so many studios need. The file replaces any part of inputs.json. */
const { values, positionals } = parseArgs({ options: { inputs: { type: 'string' } }, allowPositionals: true })
const studios = positionals.length > 0 ? positionals.map(Number) : [1_000, 100_000, 1_000_000]
if (studios.some((count) => !Number.isInteger(count) || count < 1)) {
  console.error('Give numbers of studios, for example: npm run capacity -- 1000 20000')
  process.exit(1)
}
const given = values.inputs === undefined ? {} : JSON.parse(readFileSync(values.inputs, 'utf8'))
const inputs = merged(standard, given) as Inputs
console.log(`${capacityTable(studios, inputs)}\n\n${stepsTable(inputs)}`)

/** The parts of one object replaced by those that another has. */
function merged(one: unknown, other: unknown): unknown {
  if (other === undefined) return one
  if (typeof one !== 'object' || one === null) {
    if (typeof other !== typeof one) throw new Error(`${JSON.stringify(other)} is not a ${typeof one}`)
    return other
  }
  const replaced = Object.entries(other as object)
  const unknown = replaced.find(([name]) => !(name in one))
  if (unknown) throw new Error(`${unknown[0]} is not an input: see scripts/capacity/inputs.json`)
  return Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, merged(value, Reflect.get(other as object, name))]),
  )
}
