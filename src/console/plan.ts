import type { RateQuota } from '../config/config.ts'
import { type Content, type Html, html } from '../web/html.ts'
import type { Context } from './context.ts'
import { requireManager } from './guards.ts'
import { apiOff, moment, type Page, pathOf, whoTurnsItOn } from './pages/layout.ts'
import { show } from './respond.ts'
import type { Plan, Studio } from './store.ts'

/** GET /studios/:studio/plan: shows a studio's plan to its owners and admins. */
export function planHandler(context: Context) {
  const { store, base, config } = context
  return requireManager(async ({ response, session, studio }) => {
    const plan = await store.plan(session.digest, studio.id)
    const { rateLimits } = config
    show(context, response, 200, planPage({ base, studio, plan, rateLimits, plansUrl: config.console.plansUrl }))
  })
}

type PlanView = {
  base: string
  studio: Studio
  plan: Plan
  rateLimits: { pro: RateQuota; studio: RateQuota }
  /** The page where a studio chooses a plan; undefined if the service does not know it. */
  plansUrl: string | undefined
}

const planNames: Readonly<Record<string, string>> = { pro: 'Pro', pro_insure: 'Pro + Insure', studio: 'Studio' }

const statuses: Readonly<Record<string, string>> = {
  trialing: 'Trial',
  active: 'Active',
  past_due: 'Payment overdue',
  canceled: 'Cancelled',
}

/** Shows when a studio's plan ends, what it includes, and who can change it. */
function planPage(view: PlanView): Page {
  const { studio, plan } = view
  return {
    title: 'Plan',
    studio,
    tab: 'plan',
    content: html`<h1>Plan</h1>
<p class="soft">The plan of ${studio.name} and what it includes.</p>
<section aria-labelledby="plan">
<h2 id="plan">${plan.plan === null ? 'No plan' : `${planNames[plan.plan] ?? plan.plan} plan`}${badge(plan)}</h2>
${plan.plan === null ? html`<p>${studio.name} has no plan.</p>` : terms(plan)}
</section>
<section aria-labelledby="included">
<h2 id="included">What it includes</h2>
<dl>
${fact('API', api(view))}
${plan.includesApi && fact('Requests', requests(view))}
${plan.includesApi && fact('Locations', locations(plan))}
</dl>
</section>
${whoChangesIt(view)}`,
  }
}

const fact = (name: string, content: Content): Html => html`<div><dt>${name}</dt><dd>${content}</dd></div>\n`

function badge({ status, includesApi }: Plan): Html | false {
  return status !== null && html` <span class="badge${!includesApi && ' bad'}">${statuses[status] ?? status}</span>`
}

function terms({ status, trialEndsAt, periodStart, periodEnd, renews, includesApi }: Plan): Html {
  const period = [periodStart, periodEnd].map((end) => (end === null ? 'unknown' : moment(end)))
  return html`<dl>
${status === 'trialing' && trialEndsAt !== null && fact(includesApi ? 'Trial ends' : 'Trial ended', moment(trialEndsAt))}
${(periodStart ?? periodEnd) !== null && fact('Billing period', html`${period[0]} to ${period[1]}`)}
${status === 'active' && renews !== null && fact('Renews', `Every ${renews}, automatically`)}
</dl>`
}

/** When a plan ends by itself; null for a plan that renews. */
function endOf({ status, trialEndsAt, periodEnd }: Plan): string | null {
  if (status === 'trialing') return trialEndsAt
  return status === 'canceled' || status === 'past_due' ? periodEnd : null
}

function api({ base, studio, plan }: PlanView): Content {
  const end = endOf(plan)
  if (!plan.includesApi) {
    return html`Not included${end !== null && html` since ${moment(end)}`}: requests with tokens of the studio are refused, and no token can be created.`
  }
  if (!plan.publicApi) return `${apiOff} ${whoTurnsItOn}`
  const tokens = html`<a href="${pathOf(base, studio)}/tokens">API tokens</a>`
  return end === null
    ? html`Included: ${tokens} can be created and used.`
    : html`Included until ${moment(end)}: ${tokens} can be created and used until then.`
}

function requests({ plan, rateLimits }: PlanView): string {
  const { perSecond, perMinute } = plan.plan === 'studio' ? rateLimits.studio : rateLimits.pro
  return `Up to ${perSecond} a second and ${perMinute} a minute with each token.`
}

function locations({ plan }: Plan): string {
  return plan === 'studio'
    ? 'All are shown by the API.'
    : 'The API shows only the default location. The others are kept and appear with the Studio plan.'
}

function whoChangesIt({ studio, plansUrl }: PlanView): Html {
  return html`<section class="note" aria-labelledby="changing">
<h2 id="changing">Changing the plan</h2>
<p>${
    plansUrl === undefined
      ? `You cannot change the plan in this console. Ask the operator of this service to change it for ${studio.name}.`
      : 'You change the plan where it is billed, not in this console.'
  } A change takes effect immediately and does not affect tokens.</p>
${plansUrl !== undefined && html`<p><a class="button" href="${plansUrl}">Choose a plan</a></p>`}
</section>`
}
