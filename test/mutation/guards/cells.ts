import type { Mutation } from '../mutation.ts'

const directory = 'src/auth/directory.ts'
const readiness = 'src/process/cells-readiness.ts'
const store = 'src/apps/console/store-of-cells.ts'

export const cells: readonly Mutation[] = [
  {
    name: 'take the word of a cell that accepted a token before',
    tests: ['test/auth/directory.test.ts', 'test/rest/cells.test.ts'],
    patch: {
      file: directory,
      from: "if ('answer' in outcome ? isAccepted(outcome.answer) : !isDown(outcome.error)) return answerOf(outcome)",
      to: 'return answerOf(outcome)',
    },
  },
  {
    name: 'refuse a token while a cell cannot be asked',
    tests: ['test/auth/directory.test.ts', 'test/rest/cells.test.ts', 'test/graphql/cells.test.ts'],
    patch: { file: directory, from: 'if (worst !== undefined) {', to: 'if (worst === null) {' },
  },
  {
    name: 'count no guesses while a cell is down',
    tests: ['test/rest/cells.test.ts'],
    patch: {
      file: 'src/api/operation-handler.ts',
      from: 'failed = error instanceof PartlyRefused',
      to: 'failed = false',
    },
  },
  {
    name: 'ask every cell for whom a cell that is down cannot serve',
    tests: ['test/auth/directory.test.ts'],
    patch: { file: directory, from: "if ('error' in outcome && refused.has(key)) throw partly(outcome)", to: '' },
  },
  {
    name: 'answer a token that several cells accept',
    tests: ['test/auth/directory.test.ts', 'test/rest/cells.test.ts'],
    patch: { file: 'src/auth/accepted.ts', from: 'all.size === 1 ? first : undefined', to: 'first' },
  },
  {
    name: 'take a 403 for the answer of a cell that does not know the token',
    tests: ['test/rest/cells.test.ts'],
    patch: {
      file: 'src/api/operation-handler.ts',
      from: '=> answer.status !== 401',
      to: '=> answer.status === 200 || answer.status === 304',
    },
  },
  {
    name: 'take an overloaded cell for one that is away',
    tests: ['test/auth/directory.test.ts'],
    patch: { file: directory, from: ' && !(error instanceof Overloaded)', to: '' },
  },
  {
    name: 'send what is cached of another cell',
    tests: ['test/rest/cells.test.ts'],
    patch: {
      file: 'src/api/operation-handler.ts',
      from: `const validator = cached.answer?.version ?? known
      const asked = { digest: token.digest, question, cached, position, validator, address }
      return cell.read(operation, asked).then((answer) => ({ cell, cached, answer }))`,
      to: `const validator = cached.answer?.version ?? known
      const asked = { digest: token.digest, question, cached, position, validator, address }
      const first = directory.cells[0].cache.get(studioId, operation, question)
      return cell.read(operation, asked).then((answer) =>
        first.answer && answer.status === 200
          ? { cell, cached: first, answer: { ...answer, status: 304 } }
          : { cell, cached, answer })`,
    },
  },
  {
    name: 'record the activity of every token in the first cell',
    tests: ['test/rest/cells.test.ts'],
    patch: {
      file: 'src/api/operation-handler.ts',
      from: 'observeCell(response, cell)',
      to: 'observeCell(response, directory.cells[0])',
    },
  },
  {
    name: 'tell guesses by the tokens of the first cell alone',
    tests: ['test/rest/cells.test.ts'],
    patch: {
      file: 'src/api/cell.ts',
      from: 'if (cells.length === 1) return only.known',
      to: 'if (only) return only.known',
    },
  },
  {
    name: 'let one cell that is down take the service out of the balancer',
    tests: ['test/process/cells-readiness.test.ts'],
    patch: { file: readiness, from: '!state.ready && !state.isDown', to: '!state.ready' },
  },
  {
    name: 'let requests in before every cell is migrated',
    tests: ['test/process/cells-readiness.test.ts'],
    patch: { file: readiness, from: '(wasReady || !isWrong)', to: '(wasReady || isWrong || true)' },
  },
  {
    name: 'open a session where a sign-in was not seen before',
    tests: ['test/console/store-of-cells.test.ts'],
    patch: { file: store, from: 'throw replayed.error', to: '' },
  },
  {
    name: 'leave a session open in other cells at signing out',
    tests: ['test/console/cells.test.ts'],
    patch: {
      file: store,
      from: 'const outcomes = await inEach((store) => store.signOut(session))',
      to: 'const outcomes = (await inEach(async () => undefined)).slice(0, 1)\n    await cells[0].store.signOut(session)',
    },
  },
  {
    name: 'sign somebody out whose cell cannot be asked',
    tests: ['test/console/cells.test.ts'],
    patch: { file: store, from: 'if (first === undefined && failed !== undefined) throw failed.error', to: '' },
  },
]
