import { asOwner, withStudioWriter } from '../../../src/database/session.ts'
import { timed } from './cpu.ts'
import { median } from './sample.ts'
import type { Place } from './server.ts'

/** Milliseconds to create a studio, and seconds to import its items. */
export type Newcomer = { createMs: number; importSeconds: number; importCpu: number }

let made = 0

/** A new studio and its first items, with every trigger: the median of some rounds. */
export async function measureNewcomer(place: Place, rounds: number, items: number): Promise<Newcomer> {
  const found: Newcomer[] = []
  for (let round = 0; round < rounds; round++) found.push(await newcomer(place, items))
  return {
    createMs: median(found.map(({ createMs }) => createMs)),
    importSeconds: median(found.map(({ importSeconds }) => importSeconds)),
    importCpu: median(found.map(({ importCpu }) => importCpu)),
  }
}

async function newcomer(place: Place, items: number): Promise<Newcomer> {
  const { adminUrl, writerUrl } = place
  made += 1
  const email = `newcomer.${made}@example.com`
  let createMs = Number.NaN
  const id = await asOwner(adminUrl, async (transaction) => {
    const began = performance.now()
    const [row] = await transaction.query<{ id: string }>(
      `select access.create_studio($1, $2, 'Olga Owner', 'studio') as id`,
      [`Newcomer ${made}`, email],
    )
    createMs = performance.now() - began
    return String(row?.id)
  })
  const { seconds: importSeconds, cpu: importCpu } = await timed(place, () =>
    withStudioWriter(writerUrl, id, (transaction) =>
      transaction.query(
        `insert into app.items (studio_id, external_key, name, category, barcode, serial_number, purchase_price, reported_insured_value)
       select $1, 'new-' || n, 'New item ' || n, (array['Microphones', 'Guitars & Basses'])[n % 2 + 1],
         lpad(n::text, 12, '0'), 'SN-' || n, n % 500, n % 300
       from generate_series(1, $2::integer) as n`,
        [id, items],
      ),
    ),
  )
  return { createMs, importSeconds, importCpu }
}
