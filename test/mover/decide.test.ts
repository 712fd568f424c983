import { describe, expect, test } from 'vitest'
import { abortable, nextStep } from '../../src/apps/mover/decide.ts'
import type { Arriving, Known, Leaving } from '../../src/apps/mover/state.ts'

const at = '2026-11-23T00:00:00.000Z'
const known = <State extends Leaving | Arriving>(direction: Known['direction'], state: State, id: string) =>
  ({ id, studio_id: 's', direction, peer: 'p', state, started_at: at, changed_at: at, slots: null }) as Known<State>

/** What both cells say; null when a cell knows of no move. */
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
    ['aborted', 'active'],
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

  test('two moves that differ are not one', () => {
    expect(nextStep(pair('copying', 'arriving', ['one', 'another']))).toEqual({ refused: 'two moves' })
  })
})

describe('an abort', () => {
  const states: (Leaving | null)[] = [null, 'copying', 'switching', 'moved', 'finished', 'aborted']

  test.each(states.filter((from) => from !== 'finished'))(
    'never touches a target that has switched, whatever the source says: %s',
    (from) => {
      expect(abortable(pair(from, 'landed'))).toBe('switched')
      expect(abortable(pair(from, 'active'))).toBe('switched')
    },
  )

  test('does nothing where the source lets nobody in any more', () => {
    for (const to of [null, 'arriving', 'clearing', 'aborted'] as const) {
      expect(abortable(pair('moved', to))).toBe('switched')
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
  })
})
