import express, { type Express, type RequestHandler } from 'express'
import type { Logger } from '../log.ts'
import { withoutPorts } from './address.ts'
import { faultOf } from './message.ts'
import type { Problems } from './problems.ts'
import { logRequests, type Telemetry } from './request-log.ts'
import { setCommonHeaders } from './response.ts'

type ExpressOptions = Telemetry & {
  /** Express's `trust proxy`. */
  trustProxy: boolean | number | string
  problems: Problems
  log: Logger
}

/** An Express app that sets common headers, observes the request and checks the message. */
export function createExpress({ trustProxy, problems, log, ...observers }: ExpressOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('query parser', false)
  app.set('trust proxy', trustProxy)

  const observed = logRequests(log, observers)
  // One function: Express takes longer between two handlers than most of these steps take.
  app.use((request, response, done) => {
    setCommonHeaders(response)
    const forwarded = request.headers['x-forwarded-for']
    if (forwarded !== undefined) request.headers['x-forwarded-for'] = withoutPorts(String(forwarded))
    observed(request, response, () => {
      const fault = faultOf(request)
      if (fault === null) return done()
      response.setHeader('Connection', 'close')
      problems.send(response, fault)
    })
  })
  return app
}

const exposed = [
  ...['X-Request-Id', 'ETag', 'Link', 'Next-Updated-Since', 'Next-Updated-Since-Age', 'X-Total-Count'],
  ...['X-Disclaimers', 'Retry-After', 'X-Ignored-Parameters'],
  ...['RateLimit-Policy', 'RateLimit', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
]
const readable = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed.join(',') }
const askable = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET,HEAD',
  'Access-Control-Allow-Headers': 'Authorization,Accept,If-None-Match',
  // Chromium's maximum, in seconds.
  'Access-Control-Max-Age': '7200',
}

/** Lets scripts of any origin read what follows, without cookies, and answers preflights. */
export function allowAnyOrigin(): RequestHandler {
  return (request, response, next) => {
    const isPreflight = request.headers['access-control-request-method'] !== undefined
    if (request.method === 'OPTIONS' && isPreflight) return void response.status(204).set(askable).end()
    if (request.method !== 'OPTIONS') response.set(readable)
    next()
  }
}
