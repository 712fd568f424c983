// Prints what failed in a run of vitest, from its JSON report: files, tests, and the beginning of each message.
import { readFileSync } from 'node:fs'

try {
  const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
  for (const { name, message, assertionResults } of testResults) {
    if (message) console.log(`${name}: ${message.slice(0, 2000)}`)
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status !== 'passed')
        console.log(`${name}: ${status}: ${fullName}\n${(failureMessages ?? []).join('\n').slice(0, 2000)}`)
    }
  }
} catch (error) {
  console.log(`no report: ${error.message}`)
}
