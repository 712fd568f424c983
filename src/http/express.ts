import express, { type Express, type RequestHandler } from 'express'
import type { Logger } from '../observability/log.ts'
import { faultOf } from './message.ts'
import { type Measured, observe, type TraceRequest } from './observation.ts'
import type { Problems } from './problems.ts'
import { assignRequestId } from './request-id.ts'
import { setCommonHeaders } from './response.ts'

export type ExpressOptions = {
  /** Express's `trust proxy`. */
  trustProxy: boolean | number | string
  problems: Problems
  log: Logger
  /** Counts every request in the metrics; must not throw. */
  measure?: ((request: Measured) => void) | undefined
  /** Starts the trace of every request; must not throw. */
  trace?: TraceRequest | undefined
  /** What every request passes after that, before the routes. */
  before?: RequestHandler | undefined
}

/**
 * Makes the Express app of a listener, with what every request passes first: its id and the common headers, the observation,
 * and the check that it is a well-formed message.
 */
export function createExpress({ trustProxy, problems, log, measure, trace, before }: ExpressOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', trustProxy)

  const observed = observe(log, measure, trace)
  // In one function: to go from one to the next takes Express longer than most of them take.
  app.use((request, response, done) => {
    assignRequestId(response)
    setCommonHeaders(response)
    observed(request, response, () => {
      const fault = faultOf(request)
      if (fault === null) return before === undefined ? done() : before(request, response, done)
      response.setHeader('Connection', 'close')
      problems.send(response, fault)
    })
  })
  return app
}
