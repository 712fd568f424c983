import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readInventory } from '../src/apps/audit/inventory.ts'
import { digestOf, firstMajor, nameOf, pristineFile } from '../src/apps/audit/reference.ts'
import { inTransaction } from '../src/database/client.ts'
import { openEmbedded } from '../src/dev/embedded/server.ts'
import { makeLogger } from '../src/observability/log.ts'

// Writes what comes with a server of each major version, as digests (src/apps/audit/reference/pristine.txt), from new servers.
// Arguments: `bin` folders of PostgreSQL, all of them; a minor version that changed what initdb makes is one more. The
// embedded server's own is taken without being named.
//   node scripts/pristine.ts /usr/lib/postgresql/15/bin …

/** As servers before 15.7 and 16.3 made them, they show what their reader may not see (CVE-2024-4317). */
const leaking = ['view pg_catalog.pg_stats_ext', 'view pg_catalog.pg_stats_ext_exprs']

/** Came with a minor release of every major version; not all of these have been at hand. */
const backPatched = ['function binary_upgrade_set_next_attribute_versions(pg_lsn[])']
const everyMajor = 0b1111

const majors = new Map<string, number>()
for (const programs of [undefined, ...process.argv.slice(2)]) await read(programs)
const lines = [...majors].map(([digest, bits]) => `${digest} ${bits}\n`).toSorted()
await writeFile(pristineFile, lines.join(''))
console.log(`${lines.length} digests`)

async function read(programs: string | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-pristine-'))
  // As root the server runs as another user, who has to get in.
  await chmod(folder, 0o755)
  const options = programs === undefined ? {} : { programs }
  const server = await openEmbedded(folder, makeLogger({ level: 'warn', fileDescriptor: 2 }), options)
  try {
    const url = new URL(server.url)
    url.pathname = '/template1'
    const { major, system, version } = await inTransaction(url.href, async (transaction) => {
      const [server] = await transaction.query<{ version: number }>(
        `select current_setting('server_version_num')::integer as version`,
      )
      return { ...(await readInventory(transaction, {})), version: server?.version ?? 0 }
    })
    const bit = 1 << (major - firstMajor)
    const fixed = version >= (major === 15 ? 150_007 : 160_003)
    for (const thing of system) {
      if (!fixed && leaking.includes(nameOf(thing))) continue
      const bits = backPatched.includes(nameOf(thing)) ? everyMajor : bit
      majors.set(digestOf(thing), (majors.get(digestOf(thing)) ?? 0) | bits)
    }
    console.log(`${programs ?? 'embedded'}: PostgreSQL ${version}, ${system.length} objects`)
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
}
