import { beforeEach, describe, expect, test } from 'vitest'
import { useCells } from './cells.ts'

const cells = useCells()
const failure = (text: string) => ({ status: 1, stderr: expect.stringContaining(text) })

describe('when the source is lost after the switch', () => {
  beforeEach(async () => {
    await cells.copyTo('eu2')
  })

  test.each(['switching', 'moved'] as const)(
    '%s: --source-lost makes the studio writable in the target',
    async (state) => {
      await cells.know(['eu1', state], ['eu2', 'landed'])
      const down = { down: ['eu1'] as const }
      expect(await cells.move(['--to', 'eu2'], down)).toMatchObject(failure('--to eu2 --source-lost'))
      expect(await cells.isWritable('eu2')).toBe(false)
      expect(await cells.move(['--to', 'eu2', '--source-lost'], down)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('eu2 has the studio, and it can be written there'),
        stderr: expect.stringContaining('Given up: the use of tokens that eu1 recorded.'),
      })
      expect(await cells.isWritable('eu2')).toBe(true)
    },
  )

  test('it need not be in CELLS_FILE any more', async () => {
    await cells.know(['eu1', 'moved'], ['eu2', 'landed'])
    const listed = ['eu2', 'eu3'] as const
    expect(await cells.move(['--to', 'eu2'], { listed })).toMatchObject(
      failure('the studio comes from eu1, which CELLS_FILE does not have'),
    )
    expect(await cells.move(['--to', 'eu2', '--source-lost', '--json'], { listed: ['eu2'] })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('"activated": true'),
    })
    expect(await cells.isWritable('eu2')).toBe(true)
  })

  test.each(['switching', 'moved'] as const)('a source that is there and %s is not lost', async (state) => {
    await cells.know(['eu1', state], ['eu2', 'landed'])
    expect(await cells.move(['--to', 'eu2', '--source-lost'])).toMatchObject(failure('eu1 is not lost'))
    expect(await cells.states('eu2')).toEqual(['landed'])
  })

  test.each(['arriving', 'clearing'] as const)(
    'a copy that is %s is not complete, and is never taken for the studio',
    async (state) => {
      await cells.know(['eu1', 'switching'], ['eu2', state])
      expect(await cells.move(['--to', 'eu2', '--source-lost'], { down: ['eu1'] })).toMatchObject(
        failure('eu2 has no complete copy of the studio'),
      )
      expect(await cells.states('eu2')).toEqual([state])
    },
  )

  test('a moment is announced there that is later than all that the source may have announced', async () => {
    await cells.know(['eu1', 'moved'], ['eu2', 'landed'])
    const before = Date.now()
    await cells.move(['--to', 'eu2', '--source-lost'], { down: ['eu1'] })
    const [moment] = await cells.query<{ at: string }>('eu2', 'select last_value::text as at from app.announced_moment')
    expect(Number(moment?.at)).toBeGreaterThan(before + 5_000)
  })
})

test.each([null, 'copying'] as const)(
  'a source that was restored to before the switch (%s) is named, and so is the way out',
  async (state) => {
    await cells.copyTo('eu2')
    await cells.know(['eu1', state], ['eu2', 'landed'])
    for (const args of [[], ['--abort']]) {
      const { stderr } = await cells.move(['--to', 'eu2', ...args])
      expect(stderr).toContain('eu2 has the studio, and eu1 has an older copy from a backup')
      expect(stderr).toContain(
        `First make it writable in eu2: studio-inventory studio move ${cells.studio} --to eu2 --source-lost`,
      )
      expect(stderr).toContain('without --photo-keys: the photos belong to the studio in eu2')
    }
    expect(await cells.move(['--to', 'eu2', '--source-lost'])).toMatchObject({ status: 0 })
    expect(await cells.isWritable('eu2')).toBe(true)
  },
)

test('a studio that no source has any more is found where it has landed', async () => {
  await cells.copyTo('eu2')
  await cells.know(['eu1', null], ['eu2', 'landed'])
  await cells.query('eu1', 'delete from app.studios where id = $1', [cells.studio])
  expect(await cells.move(['--to', 'eu2'])).toMatchObject(failure('--to eu2 --source-lost'))
  expect(await cells.move(['--to', 'eu2', '--source-lost'])).toMatchObject({ status: 0 })
  expect(await cells.isWritable('eu2')).toBe(true)
})

describe('when the target is lost during the switch', () => {
  const down = { down: ['eu2'] as const }

  test('--abort alone frees nothing, and names the flag that does', async () => {
    await cells.know(['eu1', 'switching'], ['eu2', 'arriving'])
    expect(await cells.move(['--to', 'eu2', '--abort'], down)).toMatchObject(failure('--abort --target-lost'))
    expect(await cells.isWritable('eu1')).toBe(false)
  })

  test.each(['copying', 'switching'] as const)(
    '--abort --target-lost gives the studio back to a source that is %s',
    async (state) => {
      await cells.know(['eu1', state], ['eu2', 'landed'])
      expect(await cells.move(['--to', 'eu2', '--abort', '--target-lost'], down)).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('What eu2 had of the studio is given up.'),
      })
      expect(await cells.states('eu1')).toEqual(['aborted'])
      expect(await cells.isWritable('eu1')).toBe(true)
    },
  )

  test.each(['landed', 'active'] as const)('a target that is there and %s is not lost', async (state) => {
    await cells.know(['eu1', 'switching'], ['eu2', state])
    expect(await cells.move(['--to', 'eu2', '--abort', '--target-lost'])).toMatchObject(failure('eu2 is not lost'))
    expect(await cells.states('eu1')).toEqual(['switching'])
  })

  test('a source that has left cannot take the studio back', async () => {
    await cells.know(['eu1', 'moved'], ['eu2', 'landed'])
    expect(await cells.move(['--to', 'eu2', '--abort', '--target-lost'], down)).toMatchObject(
      failure("eu1 has already deleted the studio's members and tokens"),
    )
  })

  test('a target that comes back with the studio is not taken for the newer one', async () => {
    await cells.copyTo('eu2')
    await cells.know(['eu1', 'aborted'], ['eu2', 'landed'])
    for (const args of [[], ['--abort']]) {
      expect(await cells.move(['--to', 'eu2', ...args])).toMatchObject(failure('both cells have the studio'))
    }
  })
})

describe('when the target was restored to the switch after the source had finished', () => {
  beforeEach(async () => {
    await cells.copyTo('eu2')
    await cells.know(['eu1', 'finished'], ['eu2', 'landed'])
    await cells.query('eu1', 'delete from app.studios where id = $1', [cells.studio])
  })

  test('--source-lost makes the studio writable, and no second move begins', async () => {
    for (const args of [[], ['--abort']]) {
      expect(await cells.move(['--to', 'eu2', ...args])).toMatchObject(
        failure(
          `To make the studio writable in eu2: studio-inventory studio move ${cells.studio} --to eu2 --source-lost`,
        ),
      )
    }
    expect(await cells.move(['--to', 'eu2', '--source-lost'])).toMatchObject({ status: 0 })
    expect([await cells.states('eu1'), await cells.states('eu2')]).toEqual([['finished'], ['active']])
    expect(await cells.isWritable('eu2')).toBe(true)
  })
})

test('a copy from a backup of the switch is never made writable while the source has the studio again', async () => {
  await cells.copyTo('eu2')
  await cells.know(['eu1', 'finished'], ['eu2', 'landed'])
  expect(await cells.move(['--to', 'eu2', '--source-lost'])).toMatchObject(failure('eu1 has the studio again'))
  expect(await cells.states('eu2')).toEqual(['landed'])
})

test('an abort after the source has left says that the target was restored', async () => {
  await cells.know(['eu1', 'moved'], ['eu2', 'arriving'])
  expect(await cells.move(['--to', 'eu2', '--abort'])).toMatchObject(
    failure('eu2 was restored from a backup of before the switch'),
  )
})

test('the flags for lost cells are refused where they have no meaning', async () => {
  expect(await cells.move(['--to', 'eu2', '--target-lost'])).toMatchObject(failure('--target-lost goes with --abort'))
  expect(await cells.move(['--to', 'eu2', '--abort', '--source-lost'])).toMatchObject(
    failure('--source-lost excludes --abort and --finish'),
  )
})
