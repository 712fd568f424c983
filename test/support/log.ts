import { makeLogger } from '../../src/log.ts'

/** A log, and the lines that were written to it so far, parsed. */
export function keepLog(level: Parameters<typeof makeLogger>[0]['level'] = 'debug') {
  const lines: Record<string, unknown>[] = []
  return { log: makeLogger({ level, stream: { write: (line) => void lines.push(JSON.parse(line)) } }), lines }
}
