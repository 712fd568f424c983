import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { occurrences } from '../../../http/message.ts'
import { jsonType, send } from '../../../http/response.ts'
import { longestLife, signAnalystToken } from '../analyst-token.ts'
import { sendRefusal } from '../responses.ts'

/** The person whose identity the page of the demo uses. */
export type DemoPerson = { studioId: string; userId: string; studio: string; name: string }

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Gives the page of the demo an identity: `POST /demo-identity`. Only a page of this listener gets one: its origin is the address that
 * was asked, and a name of this machine or the public one, so that neither another site nor a name that was pointed here can.
 */
export function giveDemoIdentity(person: DemoPerson, secretKey: string, publicUrl: string): RequestHandler {
  const known = [...loopback, new URL(publicUrl).hostname]
  return async (request, response) => {
    if (!isOfThisPage(request, known)) return sendRefusal(response, 'not_found')
    const { studioId, userId } = person
    const token = await signAnalystToken(secretKey, { studioId, userId })
    send(response, 200, jsonType, JSON.stringify({ token, life_seconds: longestLife }))
  }
}

function isOfThisPage(request: IncomingMessage, known: readonly string[]): boolean {
  const { origin, host } = request.headers
  if (origin === undefined || occurrences(request, 'origin') !== 1 || !URL.canParse(origin)) return false
  const address = new URL(origin)
  return known.includes(address.hostname) && address.host === host
}
