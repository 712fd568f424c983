import { defaultPageSize, maximumPageSize } from '../../api/fields.ts'
import type { Config, RateQuota } from '../../config/config.ts'
import { disclaimers } from '../../http/response.ts'
import { syncSections } from '../polling-programs/programs.ts'

/** The addresses of a service and of its reference. */
export type Addresses = Pick<Config, 'publicUrl' | 'docsUrl'>

/** What differs in the descriptions of two services. */
export type DescriptionOptions = Addresses & Pick<Config, 'rateLimits'>

/** The addresses in the recorded examples. A copy of the description replaces them with its own. */
export const exampleAddresses: Addresses = {
  publicUrl: 'https://api.studio-inventory.example',
  docsUrl: 'https://api.studio-inventory.example/docs',
}

/** The `info` object: what the API is, and what applies to every operation. */
export function informationOf({ docsUrl, rateLimits }: DescriptionOptions) {
  const { pro, studio } = rateLimits
  return {
    title: 'Studio Inventory API',
    version: '1.0.0',
    summary: "A studio's equipment, maintenance, insurance policies and valuation, read only.",
    description: [
      introduction,
      disclaimer,
      authentication,
      lists,
      ...sync,
      `Programs in JavaScript, Python and with curl that keep a copy: ${docsUrl}#changes`,
      errors,
      `${limits}\n\n- Pro plans: ${rate(pro)}\n- Studio plan: ${rate(studio)}`,
      versioning,
    ].join('\n\n'),
    contact: { name: 'Support for the Studio Inventory API', url: docsUrl },
    license: { name: 'MIT', identifier: 'MIT' },
  }
}

const introduction = `A read-only API over a studio's equipment inventory, maintenance, insurance policies and valuation, for accounting tools, BI tools and
no-code automations. Every operation is a GET (HEAD works too; any other method gets a 405), returns JSON, and reads only the studio that the token
belongs to. Ids are UUIDs, dates are \`YYYY-MM-DD\`, timestamps are UTC with milliseconds, and money amounts are JSON numbers in
the currency of the account. An empty parameter is an empty value, not an absent one: leave out parameters that you do not need. Scripts of any web page may
send requests. The service compresses large bodies for clients that accept br or gzip (\`Accept-Encoding\`), as most do by default.`

const disclaimer = `## Adequacy disclaimer

${disclaimers.map((text) => `- ${text}`).join('\n')}

\`coverage_state\` and \`gap_amount\` say whether the value of an item is recorded and declared. They do not say whether insurance would pay out, and
do not model several policies, deductibles and perils. Both statements are part of every response, as \`_meta.disclaimers\`.`

const authentication = `## Authentication

Send \`Authorization: Bearer <token>\` with a personal access token, which owners and admins create in the app. The studio's plan must include API
access. A revoked token stops working immediately.`

const lists = `## Lists

A list returns \`data\`, the page of results, and \`meta\`: \`page\`, \`per_page\` (default ${defaultPageSize}; more than ${maximumPageSize} is capped to ${maximumPageSize}), \`total\` and
\`next_page\`. \`Accept: text/csv\` gives the same page as CSV, with the total in \`X-Total-Count\`: the same columns and order, numbers
to the digit, and an apostrophe before a text that a spreadsheet would take for a formula. A list without results is 200 with an empty list, never 404. Newest updates come first; of policies, the most recently begun.`

const sync = Object.values(syncSections()).map(({ title, text }) => `## ${title}\n\n${text}`)

const errors = `## Errors

Every error is an \`application/problem+json\` body (RFC 9457) with a stable \`code\`, a \`request_id\` to quote to support, and a \`type\` that links to its
explanation. After 429 and 503 wait for \`Retry-After\` seconds and repeat the request; after 500 repeat it; after 400, 401, 403 and 404 fix it; after 410
read everything again.`

const limits = `## Rate limits

Each token has its own limits, which depend on the studio's plan. \`RateLimit-Policy\` and \`RateLimit\` give the limits and the remaining quota, \`RateLimit-Remaining\` and \`RateLimit-Reset\` the same as plain numbers; a 429 says
in \`Retry-After\` how many seconds to wait. No data is read for a request beyond the limit.`

const versioning = `## Versioning

The version is the segment \`/v1\` of every address. \`agreed_value_from_policy\` and the value \`agreed\` of \`value_source\` are reserved: the first is always
null and the second does not occur in v1. Tolerate both. We may add operations, parameters and fields: ignore what you do not know. We remove nothing
from v1; if we ever retire it, \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) headers announce it at least 12 months before.`

function rate({ perSecond, perMinute }: RateQuota): string {
  return `${perSecond} requests in a second and ${perMinute} in a minute`
}
