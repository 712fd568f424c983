import { randomBytes } from 'node:crypto'
import { withClient } from './client.ts'
import { scramVerifier, urlFor } from './roles.ts'

const prefix = 'studio_passing_'

/**
 * Lends a login of a group for as long as `work` takes. It is mapped to no studio, has limits like any analyst's and ends
 * by itself in ten minutes, should the process be killed before it drops it; the next one drops what such a process left.
 *
 * @param adminUrl an administrator's connection string: one who may create roles and give that group
 */
export async function withPassingLogin<Result>(
  adminUrl: string,
  group: 'studio_analyst' | 'studio_auditor',
  work: (url: string, login: string) => Promise<Result>,
): Promise<Result> {
  const login = prefix + randomBytes(6).toString('hex')
  const password = randomBytes(18).toString('base64url')
  await withClient(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ name: string }>(
      `select rolname as name from pg_catalog.pg_roles where starts_with(rolname, $1) and rolvaliduntil < now()`,
      [prefix],
    )
    for (const { name } of rows) await admin.query(`drop role if exists ${name}`)
    const end = new Date(Date.now() + 600_000).toISOString()
    const { rows: self } = await admin.query<{ super: boolean }>(
      'select rolsuper as super from pg_catalog.pg_roles where rolname = current_user',
    )
    // One text is one transaction: the login is never there without its limits. temp_file_limit is a superuser's to set.
    await admin.query(
      `create role ${login} login password '${scramVerifier(password)}' connection limit 2 valid until '${end}'
         in role ${group};
       alter role ${login} set statement_timeout = '5min';
       ${self[0]?.super ? `alter role ${login} set temp_file_limit = '1GB'` : ''}`,
    )
  })
  try {
    return await work(urlFor(adminUrl, login, password), login)
  } finally {
    await withClient(adminUrl, (admin) => admin.query(`drop role if exists ${login}`))
  }
}
