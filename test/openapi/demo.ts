import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/config/config.ts'
import { asOwner, enterStudio } from '../../src/database/session.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import { demoStudios } from '../../src/demo/studios.ts'
import { exampleAddresses } from '../../src/docs/openapi/information.ts'
import { createLocalPhotos } from '../../src/photos/local.ts'
import { issueToken } from '../../src/tokens/issue-token.ts'
import { createTestDatabase, type TestDatabase, testSecretKey } from '../support/server.ts'
import { startService, type TestService } from '../support/service.ts'

/** The moment at which the demo of the examples is stopped. */
const now = new Date('2026-03-02T09:30:00.000Z')

/** The demo studios and the service on them, at a moment that never passes: every answer is the
 * same in every run. */
export type Demo = { service: TestService; database: TestDatabase; token: string; close(): Promise<void> }

/** @param limits rate limits; without them, such as no test reaches */
export async function startDemo(limits?: Config['rateLimits']): Promise<Demo> {
  const database = await createTestDatabase()
  const photosDir = await mkdtemp(join(tmpdir(), 'studio-inventory-photos-'))
  const close = async () => {
    await rm(photosDir, { recursive: true, force: true })
    await database.drop()
  }
  try {
    await asOwner(database.adminUrl, ({ query }) => query(stillness).then(() => undefined))
    await seedDemo({ adminUrl: database.adminUrl, writerUrl: database.urlFor('studio_writer'), photosDir, now })
    const token = await settle(database.adminUrl)
    const service = await startService(database, {
      ...(limits && { limits }),
      docsUrl: exampleAddresses.docsUrl,
      signer: () =>
        createLocalPhotos({
          secretKeys: testSecretKey,
          publicUrl: exampleAddresses.publicUrl,
          photosDir,
          now: () => now.getTime(),
        }),
    })
    return { service, database, token, close: () => service.stop().then(close) }
  } catch (error) {
    await close()
    throw error
  }
}

/** The clock stops, and the ids that the database makes itself follow from their number. */
const stillness = `
  create or replace function access.clock() returns timestamptz language sql stable as $$
    select timestamptz '${now.toISOString()}'
  $$;
  create sequence app.made_ids;
  create function app.next_id() returns uuid language sql as $$
    select overlay(overlay(md5(nextval('app.made_ids')::text) placing '4' from 13) placing '8' from 17)::uuid
  $$;
  alter table app.studios alter column id set default app.next_id();
  alter table app.locations alter column id set default app.next_id();`

/** Gives every record times that do not depend on the speed of writing, and the studio a token. */
function settle(adminUrl: string): Promise<string> {
  return asOwner(adminUrl, async (transaction) => {
    const [studio] = await transaction.query<{ id: string; owner: string }>(
      'select id, access.owner_of(id) as owner from app.studios where name = $1',
      [demoStudios[0].name],
    )
    if (!studio) throw new Error('there is no demo studio')
    await enterStudio(transaction, studio.id)
    for (const table of ['items', 'locations', 'maintenance_records', 'policies']) {
      await transaction.query(`alter table app.${table} disable trigger c_touch`)
      await transaction.query(
        `update app.${table} t set created_at = $1::timestamptz - place * interval '5 hours 11.347 minutes',
           updated_at = $1::timestamptz - place * interval '47.521 minutes'
         from (select id, row_number() over (order by md5(id::text)) as place from app.${table}) as placed
         where t.id = placed.id`,
        [now.toISOString()],
      )
      await transaction.query(`alter table app.${table} enable trigger c_touch`)
    }
    await transaction.query('alter table app.item_valuations disable trigger c_touch')
    await transaction.query(
      'update app.item_valuations v set updated_at = i.updated_at from app.items i where i.id = v.item_id',
    )
    await transaction.query('alter table app.item_valuations enable trigger c_touch')
    const issued = { studioId: studio.id, issuedBy: studio.owner, name: 'Examples', scopeUserId: null }
    return (await issueToken(transaction, issued)).token
  })
}
