import type { Recorder } from '../../../src/auth/recorder.ts'

export * from '../../../src/auth/recorder.ts'

/** A recorder that keeps nothing. */
export function createRecorder(): Recorder {
  return { record: () => undefined, flush: async () => undefined, stats: () => ({ waiting: 0, dropped: 0 }) }
}
