import { spawnSync } from 'node:child_process'
import { withClient } from '../src/database/client.ts'
import { makeDatabase, startCluster } from '../test/support/cluster.ts'
import { databaseUrl } from '../test/support/server.ts'

/**
 * Makes migrations/current.sql a committed migration, on a server of its own: `npm run commit-migration -- 'show the key of a
 * location'`. graphile-migrate runs it after all committed ones before it writes the file.
 */
async function main(message: string | undefined): Promise<void> {
  if (!message) throw new Error(`say what changes: npm run commit-migration -- 'show the key of a location'`)
  const { adminUrl, stop } = await startCluster(process.env)
  const [database, shadow] = ['dev', 'shadow'].map((name) => `studio_${name}_${process.pid}`) as [string, string]
  try {
    // It makes the roles, too, without which the shadow database has no owner.
    await makeDatabase(adminUrl, database)
    const [DATABASE_URL, SHADOW_DATABASE_URL] = [databaseUrl(adminUrl, database), databaseUrl(adminUrl, shadow)]
    const { status } = spawnSync('npx', ['graphile-migrate', 'commit', '-m', message], {
      env: { ...process.env, ROOT_DATABASE_URL: adminUrl, DATABASE_URL, SHADOW_DATABASE_URL },
      stdio: 'inherit',
    })
    process.exitCode = status ?? 1
  } finally {
    await withClient(adminUrl, async (admin) => {
      for (const name of [database, shadow]) await admin.query(`drop database if exists ${name}`)
    })
    await stop()
  }
}

await main(process.argv[2])
