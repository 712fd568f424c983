import type { Arriving, Leaving, MoveRecord } from './state.ts'

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

/**
 * Why a command may do nothing. No state of a move leads here: one of the databases was restored, or its loss was declared.
 *   source restored  the target has switched, and the source does not know of it
 *   target restored  the source has left or finished, and the target has not switched
 *   not active       the source has finished, and the target was restored to the moment of the switch
 *   both have it     the source took the studio back, and the target has switched
 *   moved on         the studio has left the target again, and the source does not know of it
 *   two moves        the cells know different moves
 */
export type Refusal = {
  refused: 'source restored' | 'target restored' | 'not active' | 'both have it' | 'moved on' | 'two moves'
}

/** What both cells know of a move. */
export type Pair = { leaving: MoveRecord<Leaving> | undefined; arriving: MoveRecord<Arriving> | undefined }

const open: readonly (Leaving | Arriving)[] = ['copying', 'switching', 'moved', 'arriving', 'landed', 'clearing']

/**
 * The open move that a command would disturb, because it is between other cells than those that the command names; undefined when
 * there is none. What one cell says of such a move must never be compared with what a third cell says.
 */
export function otherMove(source: string, target: string, { leaving, arriving }: Pair): MoveRecord | undefined {
  if (leaving && open.includes(leaving.state) && leaving.peer !== target) return leaving
  if (arriving && open.includes(arriving.state) && arriving.peer !== source) return arriving
  return undefined
}

/** What `studio move` does next. */
export function nextStep({ leaving, arriving }: Pair): Step | Refusal {
  if (leaving && arriving && leaving.id !== arriving.id) return { refused: 'two moves' }
  const [from, to] = [leaving?.state, arriving?.state]
  if (to === 'landed' || to === 'active') return afterLanding(from, to)
  if (to === 'left') return isUnderWay(from) ? { refused: 'moved on' } : 'start'
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
  if (from === 'finished') return to === 'active' ? 'start' : { refused: 'not active' }
  if (from === 'aborted') return { refused: 'both have it' }
  return { refused: 'source restored' }
}

const isUnderWay = (from: Leaving | undefined) => from === 'copying' || from === 'switching' || from === 'moved'

/**
 * What `studio move --abort` does: `abort` unless the target has switched or the source lets nobody in any more. Where it is `refused`,
 * `nextStep` says why, or how to go on.
 */
export function abortable({ leaving, arriving }: Pair): 'abort' | 'nothing' | 'refused' {
  const [from, to] = [leaving?.state, arriving?.state]
  if (from === 'finished' && (to === 'active' || to === undefined)) return 'nothing'
  if (to === 'left') return isUnderWay(from) ? 'refused' : 'nothing'
  if (to === 'landed' || to === 'active' || from === 'moved' || from === 'finished') return 'refused'
  const isOver = (state: string | undefined) => state === undefined || state === 'aborted'
  return isOver(from) && isOver(to) ? 'nothing' : 'abort'
}

/** Whether the source may take its studio back although the target cannot be asked. Only somebody may say that it is lost for good. */
export function abortableAlone(from: Leaving | undefined, targetIsLost: boolean): boolean {
  return from === 'copying' || (targetIsLost && from === 'switching')
}

/** Whether the target of a move may take the studio over without its source: only what has landed is complete. */
export function activatableAlone(
  from: Leaving | undefined,
  to: Arriving | undefined,
): 'activate' | 'go on' | 'refused' {
  if (to !== 'landed') return 'refused'
  return from === 'switching' || from === 'moved' ? 'go on' : 'activate'
}
