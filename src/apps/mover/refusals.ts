import { type Cell, MoveFailed } from './cell.ts'
import type { Pair, Refusal } from './next-step.ts'
import type { MoveRecord } from './state.ts'

/** The command by which an administrator goes on with a move. */
const command = (studioId: string, to: string, rest = '') =>
  `studio-inventory studio move ${studioId} --to ${to}${rest === '' ? '' : ` ${rest}`}`

/** How an old copy of a studio is removed whose photos belong to another cell as well. */
export const howToRemove = (studioId: string, copy: string, keeper: string): string =>
  `studio-inventory studio remove ${studioId} --cell ${copy}, without --photo-keys: the photos belong to the studio in ${keeper}`

/** What a command says that may do nothing, by what both cells know. */
export function refusal(
  { refused }: Refusal,
  studioId: string,
  both: Pair & { source: Cell; target: Cell },
): MoveFailed {
  const { source, target, leaving, arriving } = both
  const [from, to] = [source.name, target.name]
  const states = `${from}: ${leaving?.state ?? 'no move'}; ${to}: ${arriving?.state ?? 'no move'}`
  const failed = (what: string, hint: string) => new MoveFailed(`${what} (${states}); nothing was changed`, hint)
  const alone = command(studioId, to, '--source-lost')
  const first = arriving?.state === 'landed' ? `First make it writable in ${to}: ${alone}. Then remove` : 'Remove'
  switch (refused) {
    case 'source restored':
      return failed(
        `${to} has the studio, and ${from} has an older copy from a backup, or none`,
        `${first} the older copy: ${howToRemove(studioId, from, to)}.`,
      )
    case 'target restored':
      return failed(
        `${to} was restored from a backup of before the switch`,
        `Restore ${to} to a later moment, or ${from} to one before the switch: docs/scaling.md`,
      )
    case 'not active':
      return failed(
        `${to} was restored from a backup of the switch, and ${from} has finished the move`,
        `To make the studio writable in ${to}: ${alone}`,
      )
    case 'both have it':
      return failed(
        `both cells have the studio: ${from} took it back, and ${to} has switched`,
        `${first} the copy that you do not need: ${howToRemove(studioId, `${from} (or ${to})`, 'the other cell')}.`,
      )
    case 'moved on':
      return failed(
        `${to} has had the studio from this move and moved it on, and ${from} was restored from a backup of before that`,
        leaving?.state === 'moved'
          ? `If another cell has the studio, delete this copy: ${command(studioId, to, `--from ${from} --finish`)}. If none has it, restore ${from} to another moment: docs/scaling.md`
          : `If no other cell has the studio, keep this copy: ${command(studioId, to, `--from ${from} --abort --target-lost`)}. Otherwise do the same, then remove it: ${howToRemove(studioId, from, 'the other cell')}.`,
      )
    case 'two moves':
      return failed('the cells know different moves', 'One of them was restored: docs/scaling.md')
  }
}

/** A command names other cells than those between which the studio is moving. */
export function otherMoveFailure(studioId: string, { direction, peer, state }: MoveRecord, cell: string): MoveFailed {
  const [from, to] = direction === 'leaving' ? [cell, peer] : [peer, cell]
  const go = command(studioId, to, `--from ${from}`)
  if (state === 'moved') {
    return new MoveFailed(
      `${from} keeps the copy of the studio's move to ${to}; nothing was changed`,
      `Once the studio is in ${to}, delete it: ${go} --finish`,
    )
  }
  return new MoveFailed(
    `the studio is moving from ${from} to ${to} (${cell}: ${state}); nothing was changed`,
    `Finish or abort that move first: ${go}, or the same with --abort`,
  )
}
