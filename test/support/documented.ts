import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The shell lines under a heading of docs/operating.md: the first block, or the first one with a word in it. */
export async function documented(heading: string, word = ''): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const section = page.split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = '']) => lines)
  const found = blocks.find((lines) => lines.includes(word))
  if (found === undefined) throw new Error(`docs/operating.md has no commands under ${heading}`)
  return found
}

/** Runs lines of a shell in a folder. @throws with what they wrote when one fails */
export function runLines(lines: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env, maxBuffer: 2 ** 25 }
    execFile('bash', ['--norc', '-euo', 'pipefail', '-c', lines], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr)
      else reject(new Error(`${error.message}\n${stdout}${stderr}`))
    })
  })
}
