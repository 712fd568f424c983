import { type Run, runTool } from './tools.ts'

/** The linters, strict: a hint fails as an error does. What is off, and why, is in spectral.yaml and redocly.yaml. */
export const linters: Readonly<Record<string, (file: string) => Promise<Run>>> = {
  Spectral: (file) => runTool('spectral', ['lint', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint', file]),
  Redocly: (file) => runTool('redocly', ['lint', '--config', 'redocly.yaml', file]),
}
