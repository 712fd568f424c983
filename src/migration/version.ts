/** The first minor version of each major with the security fixes that isolation relies on. */
const leastMinor = new Map([
  [15, 20],
  [16, 16],
  [17, 12],
  [18, 6],
])

const oldestMajor = 15

/** The server is too old for the rules. */
export class UnsupportedServer extends Error {
  override name = 'UnsupportedServer'
}

/** A warning about a `server_version_num` (180004 is 18.4); undefined when it is fine.
 * @throws UnsupportedServer below 15 */
export function checkServerVersion(versionNumber: number): string | undefined {
  const major = Math.floor(versionNumber / 10_000)
  const minor = versionNumber % 10_000
  if (major < oldestMajor) {
    throw new UnsupportedServer(`PostgreSQL ${major} is too old; use PostgreSQL ${oldestMajor} to 18`)
  }
  const least = leastMinor.get(major)
  if (least === undefined || minor >= least) return undefined
  return `PostgreSQL ${major}.${minor} lacks security fixes that isolate studios; use ${major}.${least} or newer (the embedded server is for evaluation)`
}
