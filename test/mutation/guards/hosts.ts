import type { Mutation } from '../mutation.ts'

const hosts = 'src/database/hosts.ts'
const tests = ['test/database/hosts.test.ts']

/** Which of several servers a connection goes to. */
export const hostGuards: readonly Mutation[] = [
  {
    name: 'connect to a server of any kind',
    tests,
    patch: { file: hosts, from: 'const reason = suits(server, url.kind, preferred)', to: 'const reason = url.kind' },
  },
  {
    name: 'go back to a primary that another has replaced',
    tests,
    patch: { file: hosts, from: '? replacedBy(state.newest, server)', to: '? undefined' },
  },
  {
    name: 'lend a connection whose server has become read-only',
    tests,
    patch: { file: hosts, from: ' || !suits(server, url.kind, false)) return false', to: ') return false' },
  },
  {
    name: 'keep the host on which a statement was refused as read-only',
    tests,
    patch: {
      file: 'src/database/statement.ts',
      from: 'isSilence(error) || sqlState(error) === readOnly',
      to: 'isSilence(error)',
    },
  },
  {
    name: 'try a refused login on every host',
    tests,
    patch: { file: hosts, from: '        if (isRefusedLogin(error)) throw error\n', to: '' },
  },
]
