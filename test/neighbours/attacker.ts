import { type Attack, attacks, type Target } from './attacks.ts'
import { type Credentials, keepAsking, neighbourWith } from './neighbour.ts'
import { sqlAttacks } from './sql.ts'

/** Somebody who attacks, in a process of their own, as if from another machine. */

/** What the attacker needs to know. It answers `ready`, and at the second message attacks for so many
 * milliseconds and sends what it got. */
export type Order = { what: string; target: Omit<Target, 'hostile'>; hostile: Credentials; ms: number }

export const allAttacks: Readonly<Record<string, Attack>> = { ...attacks, ...sqlAttacks }

const asking =
  ({ ask, parallel }: Attack) =>
  (target: Target, until: AbortSignal) =>
    keepAsking((count) => (ask as NonNullable<typeof ask>)(target, count), { parallel, until })

if (process.argv[1] === import.meta.filename) {
  process.once('message', ({ what, target, hostile, ms }: Order) => {
    const attack = allAttacks[what] as Attack
    const known: Target = { ...target, hostile: neighbourWith(hostile) }
    process.once('message', async () => {
      const outcomes = await (attack.run ?? asking(attack))(known, AbortSignal.timeout(ms))
      process.send?.({ outcomes, logins: known.logins }, () => process.disconnect())
    })
    process.send?.('ready')
  })
}
