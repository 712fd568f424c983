import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { extname } from 'node:path'
import type { Request, Response } from 'express'
import { type Body, createBody, sendCompressed, varyByEncoding } from '../http/compression.ts'
import { send, sendNotModified } from '../http/response.ts'

/** A page, a description or a file. Everybody gets the same, and it has nobody's data. */
export type StaticText = { type: string; body: Body; tag: string }

/** Prepares a text for many responses. Its ETag is weak, because the body may be compressed. */
export function prepareText(type: string, text: string | Buffer): StaticText {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 20)
  return { type, body: createBody(Buffer.from(text)), tag: `W/"${digest}"` }
}

/** Sends the text, or 304. By default, browsers check each time whether their copy is current. */
export async function sendStaticText(
  request: Request,
  response: Response,
  { type, body, tag }: StaticText,
  cacheControl = 'no-cache',
): Promise<void> {
  response.setHeader('Cache-Control', cacheControl)
  response.setHeader('ETag', tag)
  varyByEncoding(response)
  if (request.fresh) return sendNotModified(response)
  await sendCompressed(request, response, 200, type, body)
}

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

/** The files of a page by name. Each is a concatenation of its parts. */
export type Sources = Readonly<Record<`${string}.${keyof typeof types}`, readonly URL[]>>

/** The files of a page by name, and the digest of their content, which is part of their address. */
export type Assets = { version: string; files: ReadonlyMap<string, StaticText> }

/** The parts of a stylesheet, from `src/web/styles`: those that every page has, then these. */
export const stylesheet = (...parts: readonly string[]): URL[] =>
  ['colours', 'base', 'header', 'parts', ...parts].map((part) => new URL(`styles/${part}.css`, import.meta.url))

export async function loadAssets(sources: Sources): Promise<Assets> {
  const files = new Map<string, StaticText>()
  for (const [name, urls] of Object.entries(sources)) {
    const content = Buffer.concat(await Promise.all(urls.map((url) => readFile(url))))
    files.set(name, prepareText(types[extname(name).slice(1) as keyof typeof types], content))
  }
  return { version: versionOf(files), files }
}

/** Loads the files of a page at the first call, and again after a failure. */
export function loadOnce(sources: Sources): () => Promise<Assets> {
  let loading: Promise<Assets> | undefined
  return () => {
    loading ??= loadAssets(sources).catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/** A digest of names and contents. Scripts load each other, so one change changes all. */
function versionOf(files: ReadonlyMap<string, Pick<StaticText, 'tag'>>): string {
  const names = [...files].map(([name, { tag }]) => `${name} ${tag}`)
  return createHash('sha256').update(names.join()).digest('hex').slice(0, 16)
}

/** Answers a request for `/:version/:file`. Without such a file, returns false instead. */
export function sendAsset({ files, version }: Assets, request: Request, response: Response): boolean {
  const file = files.get(String(request.params.file))
  if (file === undefined) return false
  // During a rollout, the page of another process may ask for this file. It gets ours, uncached.
  const isOurs = request.params.version === version
  void sendStaticText(request, response, file, isOurs ? 'public, max-age=31536000, immutable' : 'no-store')
  return true
}

/** Answers `/favicon.ico`, which browsers request for anything that is not a page. */
export function sendIcon({ files }: Assets, response: Response): void {
  const icon = files.get('icon.svg')
  response.setHeader('Cache-Control', 'public, max-age=86400')
  send(response, 200, icon?.type ?? '', icon?.body.plain ?? '')
}

/** The headers of a page that may call this service, and of its files. Without inline scripts,
 * other origins and frames, a pasted token can only go here. */
const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

export function setPageHeaders(response: ServerResponse): void {
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
}
