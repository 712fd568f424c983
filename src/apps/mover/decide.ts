import type { Arriving, Known, Leaving } from './state.ts'

/**
 * What a command has to do next, by what both cells know of the move:
 *   start     nothing is there yet
 *   clear     what an interrupted move left is removed, then it starts
 *   copy      the target has its copy, or is getting it
 *   leave     the target answers: the source has to stop letting anybody in
 *   activate  the source lets nobody in: the target may be written
 *   done      the move is over; the source has its copy still
 */
export type Step = 'start' | 'clear' | 'copy' | 'leave' | 'activate' | 'done'

/** Why a command may do nothing: no state of a move leads here, so one of the databases was restored. */
export type Refusal = { refused: 'source restored' | 'target restored' | 'two moves' }

type Pair = { leaving: Known<Leaving> | undefined; arriving: Known<Arriving> | undefined }

/** What `studio move` does next. */
export function nextStep({ leaving, arriving }: Pair): Step | Refusal {
  if (leaving && arriving && leaving.id !== arriving.id) return { refused: 'two moves' }
  const [from, to] = [leaving?.state, arriving?.state]
  if (to === 'landed' || to === 'active') return afterLanding(from, to)
  // Only a target that has answered lets the source get as far as this.
  if (from === 'moved' || from === 'finished') {
    return from === 'finished' && to === undefined ? 'start' : { refused: 'target restored' }
  }
  if ((from === 'copying' || from === 'switching') && to === 'arriving') return 'copy'
  if (from === 'copying' || from === 'switching' || to === 'arriving' || to === 'clearing') return 'clear'
  return 'start'
}

/** The target has switched: its copy is the studio, and only what was never written since may be given up for it. */
function afterLanding(from: Leaving | undefined, to: 'landed' | 'active'): Step | Refusal {
  if (from === 'switching') return 'leave'
  if (from === 'moved') return to === 'landed' ? 'activate' : 'done'
  if (from === 'finished' && to === 'active') return 'start'
  return { refused: 'source restored' }
}

/** What `studio move --abort` does: `abort` unless the target has switched or the source lets nobody in any more. */
export function abortable({ leaving, arriving }: Pair): 'abort' | 'nothing' | 'switched' {
  const [from, to] = [leaving?.state, arriving?.state]
  if (from === 'finished' && (to === 'active' || to === undefined)) return 'nothing'
  if (to === 'landed' || to === 'active' || from === 'moved' || from === 'finished') return 'switched'
  const isOver = (state: string | undefined) => state === undefined || state === 'aborted'
  return isOver(from) && isOver(to) ? 'nothing' : 'abort'
}
