import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'

/** The name of the hidden field that every form has. */
export const proofField = 'form_proof'

/** What shows that a form came from a page of this console. */
export type Forms = {
  /** The value of the hidden field, for whoever holds this cookie. */
  proofFor(cookie: string): string
  /** Whether the field of a form that was sent is the one for this cookie. */
  isGenuine(cookie: string, proof: unknown): boolean
}

/** @param secretKey the service's secret; the key of the proofs is derived from it */
export function createForms(secretKey: string): Forms {
  const key = createHmac('sha256', secretKey).update('console:forms').digest()
  const digest = (cookie: string) => createHmac('sha256', key).update(cookie).digest()
  return {
    proofFor: (cookie) => digest(cookie).toString('base64url'),
    isGenuine(cookie, proof) {
      const given = Buffer.from(typeof proof === 'string' ? proof : '', 'base64url')
      const expected = digest(cookie)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}

/**
 * Whether a form was sent by a page of this host, or of one of the origins named. Browsers send Origin with every form, and
 * no page can forge it.
 */
export function isFromHere(request: Request, publicUrl: string, others: readonly string[] = []): boolean {
  const { origin, host } = request.headers
  const given = URL.parse(origin ?? '')
  if (given === null) return false
  return given.host === host || [originOf(publicUrl), ...others].includes(given.origin)
}

export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? ''
}

/** A field of a form that was sent; empty when it is missing or was sent twice. */
export function field(request: Request, name: string): string {
  const value: unknown = Reflect.get(Object(request.body), name)
  return typeof value === 'string' ? value : ''
}
