import type { RateQuota } from '../../../config/config.ts'
import { disclaimers } from '../../../http/envelope.ts'
import { defaultPageSize, maximumPageSize } from '../../../http/parameters.ts'
import type { DescriptionOptions } from './options.ts'

/** The `info` object: what the API is, and what holds for every operation. */
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
      polling,
      errors,
      `${limits}\n\n- Pro plans: ${rate(pro)}\n- Studio plan: ${rate(studio)}`,
      versioning,
    ].join('\n\n'),
    contact: { name: 'Support for the Studio Inventory API', url: docsUrl },
    license: { name: 'MIT', identifier: 'MIT' },
  }
}

const introduction = `A read-only API over a studio's equipment inventory, maintenance, insurance policies and valuation, for accounting tools, BI tools and
no-code automations. Every operation is a GET (HEAD works as well; any other method is answered with 405), returns JSON, and shows the data of the one
studio that its token belongs to. Ids are UUIDs, dates are \`YYYY-MM-DD\`, timestamps are UTC with milliseconds, and money amounts are JSON numbers in
the currency of the account.`

const disclaimer = `## Adequacy disclaimer

${disclaimers.map((text) => `- ${text}`).join('\n')}

\`coverage_state\` and \`gap_amount\` say whether the value of an item is recorded and declared. They do not say whether insurance would pay out: several
policies, deductibles and perils are not modelled. Both statements are part of every response, as \`_meta.disclaimers\`.`

const authentication = `## Authentication

Send \`Authorization: Bearer <token>\` with a personal access token, which owners and admins create in the app. The studio's plan has to include API
access. A revoked token is refused from the next request on.`

const lists = `## Lists

A list answers \`data\`, the page of results, and \`meta\`: \`page\`, \`per_page\` (${defaultPageSize} unless given; more than ${maximumPageSize} is capped to ${maximumPageSize}), \`total\` and
\`next_page\`. Read on until \`next_page\` is null. Nothing found is 200 with an empty list, never 404.`

const polling = `## Polling for changes

There are no webhooks. To follow the changes of a list, ask for \`?updated_since=<timestamp>&per_page=50\` and read to the last page. Newest updates come
first, so the first record of the first page has the timestamp to ask with next time. \`updated_since\` means "at or after": a record may come twice, so
tell changes apart by (\`id\`, \`updated_at\`). A record that changes while you page moves to the front and is found by the next poll. A large import shows
its records all at once, a little after their timestamps: ask from five minutes earlier. Policies are not
ordered by update and do not show when it was; ask for the time of your last poll instead.`

const errors = `## Errors

Every error is an \`application/problem+json\` body (RFC 9457) with a stable \`code\`, a \`request_id\` to quote to support, and a \`type\` that leads to its
explanation. Repeat a request after 429 and 503, when \`Retry-After\` says so, and after 500; fix it after 400, 401, 403 and 404.`

const limits = `## Rate limits

Requests are counted per token, by the plan of its studio. \`RateLimit-Policy\` and \`RateLimit\` say what holds and what is left; a 429 says in
\`Retry-After\` how many seconds to wait. No data is read for a request beyond the limit.`

const versioning = `## Versioning

The version is the segment \`/v1\` of every address. \`agreed_value_from_policy\` and the value \`agreed\` of \`value_source\` are reserved: the first is always
null and the second does not occur in v1. Tolerate both. Operations, parameters and fields may be added: ignore what you do not know. Nothing is taken
out of v1; should it ever end, \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) headers say so at least 12 months before.`

function rate({ perSecond, perMinute }: RateQuota): string {
  return `${perSecond} requests in a second and ${perMinute} in a minute`
}
