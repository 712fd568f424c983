import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runHere } from './here.ts'

const run = promisify(execFile)

test.each([
  [['stu'], ['studio']],
  [
    ['token', ''],
    ['create', 'list', 'revoke', 'activity', '--help'],
  ],
  [
    ['report', '--as', ''],
    ['csv', 'xlsx', 'pdf'],
  ],
  [['studio', 'create', 'Northlight', '--pl'], ['--plan']],
])('bash completes %j as %j', async (words, expected) => {
  const { stdout: script } = await runHere(['completion', 'bash'])
  const ask = `COMP_WORDS=(studio-inventory "$@") COMP_CWORD=$#; _studio_inventory; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['-c', `${script}\n${ask}`, 'bash', ...words])
  expect(stdout.trim().split('\n')).toEqual(expected)
})

test.each(['zsh', 'fish'])('the script for %s has the commands, their options and what they do', async (shell) => {
  const { status, stdout } = await runHere(['completion', shell])
  expect(status).toBe(0)
  for (const text of ['financial-year', 'scope-to', 'snipe-it', 'List the studios by name, with their plans']) {
    expect(stdout).toContain(text)
  }
})
