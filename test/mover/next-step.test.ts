import { describe, expect, test } from 'vitest'
import { abortable, abortableAlone, activatableAlone, nextStep, otherMove } from '../../src/apps/mover/next-step.ts'
import type { Arriving, Leaving, MoveRecord } from '../../src/apps/mover/state.ts'

const at = '2026-11-23T00:00:00.000Z'
const known = <State extends Leaving | Arriving>(direction: MoveRecord['direction'], state: State, id: string) =>
  ({
    id,
    studio_id: 's',
    direction,
    peer: direction === 'leaving' ? 'eu2' : 'eu1',
    state,
    started_at: at,
    changed_at: at,
    slots: null,
  }) as MoveRecord<State>

/** What both cells, eu1 and eu2, say; null when a cell knows of no move. */
const pair = (from: Leaving | null, to: Arriving | null, ids = ['m', 'm']) => ({
  leaving: from === null ? undefined : known('leaving', from, ids[0] ?? ''),
  arriving: to === null ? undefined : known('arriving', to, ids[1] ?? ''),
})

describe('what a command does next', () => {
  test.each<[Leaving | null, Arriving | null, string]>([
    [null, null, 'start'],
    ['aborted', 'aborted', 'start'],
    ['finished', 'active', 'start'],
    ['finished', null, 'start'],
    ['finished', 'left', 'start'],
    ['aborted', 'left', 'start'],
    [null, 'left', 'start'],
    [null, 'arriving', 'clear'],
    ['aborted', 'arriving', 'clear'],
    ['aborted', 'clearing', 'clear'],
    ['copying', null, 'clear'],
    ['copying', 'clearing', 'clear'],
    ['copying', 'aborted', 'clear'],
    ['switching', 'clearing', 'clear'],
    ['switching', null, 'clear'],
    ['copying', 'arriving', 'copy'],
    ['switching', 'arriving', 'copy'],
    ['switching', 'landed', 'leave'],
    ['switching', 'active', 'leave'],
    ['moved', 'landed', 'activate'],
    ['moved', 'active', 'done'],
  ])('%s there, %s here: %s', (from, to, step) => {
    expect(nextStep(pair(from, to))).toBe(step)
  })

  test.each<[Leaving | null, Arriving]>([
    [null, 'landed'],
    [null, 'active'],
    ['copying', 'landed'],
    ['copying', 'active'],
  ])('%s in the source and %s in the target: the source was restored, and nothing is done', (from, to) => {
    expect(nextStep(pair(from, to))).toEqual({ refused: 'source restored' })
  })

  test.each<[Leaving, Arriving | null]>([
    ['moved', null],
    ['moved', 'arriving'],
    ['moved', 'clearing'],
    ['moved', 'aborted'],
    ['finished', 'arriving'],
  ])('%s in the source and %s in the target: the target was restored, and nothing is done', (from, to) => {
    expect(nextStep(pair(from, to))).toEqual({ refused: 'target restored' })
  })

  test.each<Leaving>(['copying', 'switching', 'moved'])(
    '%s in the source of a move whose target has moved the studio on: the source was restored, and nothing is done',
    (from) => {
      expect(nextStep(pair(from, 'left'))).toEqual({ refused: 'moved on' })
    },
  )

  test.each<Arriving>(['landed', 'active'])(
    'a source that took the studio back, and a target that is %s, both have it',
    (to) => {
      expect(nextStep(pair('aborted', to))).toEqual({ refused: 'both have it' })
    },
  )

  test('a target that was restored to the switch after the source had finished is not active', () => {
    expect(nextStep(pair('finished', 'landed'))).toEqual({ refused: 'not active' })
  })

  test('two moves that differ are not one', () => {
    expect(nextStep(pair('copying', 'arriving', ['one', 'another']))).toEqual({ refused: 'two moves' })
  })
})

describe('a move between other cells', () => {
  test.each<Leaving>(['copying', 'switching', 'moved'])('is one that the source is %s to another target', (from) => {
    expect(otherMove('eu1', 'eu3', pair(from, null))).toMatchObject({ direction: 'leaving', peer: 'eu2' })
    expect(otherMove('eu1', 'eu2', pair(from, null))).toBeUndefined()
  })

  test.each<Arriving>(['arriving', 'landed', 'clearing'])(
    'is one that is %s in the target from another source',
    (to) => {
      expect(otherMove('eu3', 'eu2', pair(null, to))).toMatchObject({ direction: 'arriving', peer: 'eu1' })
      expect(otherMove('eu1', 'eu2', pair(null, to))).toBeUndefined()
    },
  )

  test('is none that is over', () => {
    for (const from of ['finished', 'aborted'] as const) {
      expect(otherMove('eu1', 'eu3', pair(from, null))).toBeUndefined()
    }
    for (const to of ['active', 'left', 'aborted'] as const) {
      expect(otherMove('eu3', 'eu2', pair(null, to))).toBeUndefined()
    }
  })
})

describe('when a cell is lost', () => {
  const leaving = [null, 'copying', 'switching', 'moved', 'finished', 'aborted'] as const
  const arriving = [null, 'arriving', 'landed', 'active', 'left', 'clearing', 'aborted'] as const

  test('the source takes the studio back before the switch, and during it only if somebody says that the target is lost', () => {
    const may = (isLost: boolean) => leaving.filter((from) => abortableAlone(from ?? undefined, isLost))
    expect(may(false)).toEqual(['copying'])
    expect(may(true)).toEqual(['copying', 'switching'])
  })

  test('the target takes over what has landed, and nothing else', () => {
    const may = arriving.filter((to) => activatableAlone(undefined, to ?? undefined) !== 'refused')
    expect(may).toEqual(['landed'])
  })

  test('the target does not take over while the source can go on with the move', () => {
    const goesOn = leaving.filter((from) => activatableAlone(from ?? undefined, 'landed') === 'go on')
    expect(goesOn).toEqual(['switching', 'moved'])
  })
})

describe('an abort', () => {
  const states: (Leaving | null)[] = [null, 'copying', 'switching', 'moved', 'finished', 'aborted']

  test.each(states.filter((from) => from !== 'finished'))(
    'never touches a target that has switched, whatever the source says: %s',
    (from) => {
      expect(abortable(pair(from, 'landed'))).toBe('refused')
      expect(abortable(pair(from, 'active'))).toBe('refused')
    },
  )

  test('does nothing where the source lets nobody in any more', () => {
    for (const to of [null, 'arriving', 'clearing', 'aborted', 'left'] as const) {
      expect(abortable(pair('moved', to))).toBe('refused')
    }
  })

  test.each<[Leaving | null, Arriving | null]>([
    ['copying', 'arriving'],
    ['switching', 'arriving'],
    ['copying', 'clearing'],
    ['copying', null],
    [null, 'arriving'],
    ['aborted', 'arriving'],
  ])('goes back from %s in the source and %s in the target', (from, to) => {
    expect(abortable(pair(from, to))).toBe('abort')
  })

  test('has nothing to do without a move, or after one that is over', () => {
    expect(abortable(pair(null, null))).toBe('nothing')
    expect(abortable(pair('aborted', 'aborted'))).toBe('nothing')
    expect(abortable(pair('finished', 'active'))).toBe('nothing')
    expect(abortable(pair('finished', 'left'))).toBe('nothing')
    expect(abortable(pair('aborted', 'left'))).toBe('nothing')
  })

  test('is refused where the source was restored and the target has moved the studio on', () => {
    for (const from of ['copying', 'switching'] as const) expect(abortable(pair(from, 'left'))).toBe('refused')
  })
})
