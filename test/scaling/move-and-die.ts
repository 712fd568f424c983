import { moveStudio } from '../../src/apps/mover/move.ts'

/** Moves a studio, and is killed right after a step, as by SIGKILL from outside. Arguments: JSON of from, to, id and the step. */
const { from, to, id, step } = JSON.parse(process.argv[2] ?? '{}')
await moveStudio(from, to, id, {
  address: '',
  stopAtMost: 30,
  report: () => undefined,
  done: (done) => {
    if (done === step) process.kill(process.pid, 'SIGKILL')
  },
})
