import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { type Body, createBody, sendCompressed, varyByEncoding } from './compression.ts'
import { sendNotModified } from './response.ts'

/** A page or a description: the same for everybody, and nothing of anybody's data in it. */
export type StaticText = { type: string; body: Body; tag: string }

/** Prepares a text to be sent many times, with its ETag: weak, because the body may be sent compressed. */
export function prepareText(type: string, text: string): StaticText {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 20)
  return { type, body: createBody(text), tag: `W/"${digest}"` }
}

/**
 * Sends it, or 304 to whoever has it already. Browsers keep it and ask each time whether it is still current: unlike answers of
 * the API it need not be read again each time, and after a release nobody sees the old one.
 */
export async function sendStaticText(
  request: Request,
  response: Response,
  { type, body, tag }: StaticText,
): Promise<void> {
  response.setHeader('Cache-Control', 'no-cache')
  response.setHeader('ETag', tag)
  varyByEncoding(response)
  if (request.fresh) return sendNotModified(response)
  await sendCompressed(request, response, 200, type, body)
}
