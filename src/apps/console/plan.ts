import type { RequestHandler, Response } from 'express'
import { type Context, type Locals, managedStudioOf, visitOf } from './context.ts'
import { planPage } from './pages/plan.ts'
import { show } from './respond.ts'

/** GET /studios/:studio/plan: the plan of a studio, for its owners and admins. Nothing is changed here. */
export function planHandler(context: Context): RequestHandler {
  const { store, base, config } = context
  return async (request, response: Response<unknown, Locals>) => {
    const visit = visitOf(response)
    const studio = managedStudioOf(request, visit)
    const plan = await store.plan(visit.session, studio.id)
    const { rateLimits } = config
    show(context, response, 200, planPage({ base, studio, plan, rateLimits, plansUrl: config.console.plansUrl }))
  }
}
