import { linters } from './linters.ts'
import { descriptionFile } from './tools.ts'

/** Checks the description in the repository with the linters; exits with status 1 when one of them finds anything. */
for (const [name, lint] of Object.entries(linters)) {
  const { status, output } = await lint(descriptionFile)
  console.log(`${name}: ${status === 0 ? 'clean' : 'NOT CLEAN'}\n${output.trim()}\n`)
  if (status !== 0) process.exitCode = 1
}
