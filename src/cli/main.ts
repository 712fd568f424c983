#!/usr/bin/env node
import { readConfig } from '../config/config.ts'
import { exitStatusOf, explainFailure } from './failure.ts'
import { complain } from './output.ts'
import { makeProgram } from './program.ts'

// The reader may close the pipe early (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

if (process.platform === 'win32') {
  complain(['studio-inventory: it does not run on Windows; run it in WSL 2 or in a container'])
  process.exit(1)
}

try {
  await makeProgram({ config: () => readConfig() }).parseAsync()
} catch (error) {
  complain(explainFailure(error))
  process.exitCode = exitStatusOf(error)
}
