import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { LRUCache } from 'lru-cache'
import { escapeFormula, messageOf } from '../../domain/text.ts'
import { fileName } from '../../report/words.ts'
import type { Context } from '../context.ts'
import { parametersOf } from '../forms.ts'
import { idIn, notFound, requireMember, type StudioRequest } from '../guards.ts'
import { show } from '../respond.ts'
import { itemPage } from './item-page.ts'
import { readItem } from './item-reading.ts'
import { itemsPage } from './items-page.ts'
import { all, describeItems, findItems, type ListedItem, readChoices, readLocations } from './items-reading.ts'
import { maintenancePage } from './maintenance-page.ts'
import { type MaintenanceList, maintenanceLists, readMaintenance } from './maintenance-reading.ts'
import { asMember } from './member-session.ts'
import { overviewPage } from './overview-page.ts'
import { type Overview, readMonths, readOverview } from './overview-reading.ts'
import { pageIn } from './paging.ts'
import { policiesPage, policyPage } from './policies-page.ts'
import { type PolicyList, policyLists, readPolicies, readPolicy } from './policies-reading.ts'
import { coverageLabel } from './words.ts'

/** The sums of this many studios stay in memory. A change of a studio's data makes the service read
 * them again. */
const remembered = 1_000

/** The pages on which members look at their studio. Each reads in one transaction. */
export function studioHandlers(context: Context) {
  const { reader, base, log } = context
  const known = new LRUCache<string, { version: string; overview: Overview }>({ max: remembered })

  /** GET /studios/:studio/overview */
  const overview = requireMember(async ({ response, session, studio }) => {
    const read = await asMember(reader, session.digest, studio.id, async (reading) => {
      const kept = known.get(studio.id)
      const overview = kept?.version === reading.version ? kept.overview : await readOverview(reading)
      known.set(studio.id, { version: reading.version, overview })
      return { overview, months: await readMonths(reading) }
    })
    show(context, response, 200, overviewPage({ base, studio, ...read }))
  })

  /** GET /studios/:studio/items?q=…&category=…&coverage=…&location=…&without=…&order=…&page=… */
  const items = requireMember(async ({ request, response, session, studio }) => {
    const given = parametersOf(request)
    const choices = readChoices(given)
    const found = await asMember(reader, session.digest, studio.id, async (reading) => {
      const paged = pageIn(given)
      const { total, ids } = await findItems(reading, choices, paged)
      return { locations: await readLocations(reading), total, items: await describeItems(reading, ids), paged }
    })
    show(context, response, 200, itemsPage({ base, studio, choices, ...found }))
  })

  /** GET /studios/:studio/items.csv: all items of the list, as chosen and ordered. */
  const itemsCsv = requireMember(async (at) => {
    const { request, response, session, studio } = at
    const choices = readChoices(parametersOf(request))
    const { ids, today } = await asMember(reader, session.digest, studio.id, async (reading) => {
      const { ids } = await findItems(reading, choices, all)
      return { ids, today: reading.today }
    })
    response.writeHead(200, {
      'Content-Type': 'text/csv; charset=utf-8; header=present',
      'Content-Disposition': `attachment; filename="${fileName(studio.name, today, 'csv')}"`,
    })
    const lines = stringify({ bom: true, header: true, columns: Object.keys(columns), record_delimiter: 'windows' })
    await pipeline(Readable.from(records(at, ids)), lines, response).catch((failure: unknown) => {
      log.warn({ reason: messageOf(failure) }, 'a list of items was not finished')
    })
  })

  /** Each batch has a transaction of its own, because a slow reader would keep a single one open. */
  async function* records({ session, studio }: StudioRequest, ids: readonly string[]) {
    for (let start = 0; start < ids.length; start += batchSize) {
      const batch = ids.slice(start, start + batchSize)
      const items = await asMember(reader, session.digest, studio.id, (reading) => describeItems(reading, batch))
      for (const item of items) yield Object.values(columns).map((cell) => cell(item, studio.currency))
    }
  }

  /** GET /studios/:studio/items/:item */
  const item = requireMember(async ({ request, response, session, studio }) => {
    const id = idIn(request, 'item')
    const read = await asMember(reader, session.digest, studio.id, (reading) => readItem(reading, id))
    if (read === undefined) throw notFound()
    show(context, response, 200, itemPage({ base, studio, ...read }))
  })

  /** GET /studios/:studio/policies?show=…&page=… */
  const policies = requireMember(async ({ request, response, session, studio }) => {
    const given = parametersOf(request)
    const list = (Object.keys(policyLists) as PolicyList[]).find((name) => name === given.get('show')) ?? 'active'
    const paged = pageIn(given)
    const read = await asMember(reader, session.digest, studio.id, async (reading) => ({
      ...(await readPolicies(reading, list, paged)),
      today: reading.today,
    }))
    show(context, response, 200, policiesPage({ base, studio, list, paged, ...read }))
  })

  /** GET /studios/:studio/policies/:policy?page=… */
  const policy = requireMember(async ({ request, response, session, studio }) => {
    const id = idIn(request, 'policy')
    const paged = pageIn(parametersOf(request))
    const { read, today } = await asMember(reader, session.digest, studio.id, async (reading) => ({
      read: await readPolicy(reading, id, paged),
      today: reading.today,
    }))
    if (read === undefined) throw notFound()
    show(context, response, 200, policyPage({ base, studio, paged, today, ...read }))
  })

  /** GET /studios/:studio/maintenance?show=…&page=… */
  const maintenance = requireMember(async ({ request, response, session, studio }) => {
    const given = parametersOf(request)
    const names = Object.keys(maintenanceLists) as MaintenanceList[]
    const list = names.find((name) => name === given.get('show')) ?? 'planned'
    const paged = pageIn(given)
    const read = await asMember(reader, session.digest, studio.id, async (reading) => ({
      ...(await readMaintenance(reading, list, paged)),
      today: reading.today,
    }))
    show(context, response, 200, maintenancePage({ base, studio, list, paged, ...read }))
  })

  return { overview, items, itemsCsv, item, policies, policy, maintenance }
}

const batchSize = 1_000

/** The columns of the CSV. Amounts stay as PostgreSQL writes them. */
const columns: Readonly<Record<string, (item: ListedItem, currency: string) => string>> = {
  Id: ({ id }) => id,
  Key: ({ key }) => escapeFormula(key ?? ''),
  Name: ({ name }) => escapeFormula(name),
  Manufacturer: ({ manufacturer }) => escapeFormula(manufacturer),
  Model: ({ model }) => escapeFormula(model),
  'Serial number': ({ serialNumber }) => escapeFormula(serialNumber),
  Category: ({ category }) => category,
  Location: ({ location }) => escapeFormula(location ?? ''),
  Value: ({ value }) => value ?? '',
  Declared: ({ declared }) => declared,
  Coverage: ({ coverage }) => (coverage === null ? '' : coverageLabel(coverage)),
  Currency: (_item, currency) => currency,
}
