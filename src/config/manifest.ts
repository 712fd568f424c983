import { readFileSync } from 'node:fs'

/** Name and version of this release, from package.json. */
export const manifest: { name: string; version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)
