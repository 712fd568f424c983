import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, Response } from 'express'
import { send } from './response.ts'

/** A file of a page, in memory. */
export type Asset = { type: string; plain: Buffer; gzipped: Buffer }

/** All files of a page by name, and the digest of their content, which is part of their address. */
export type Assets = { version: string; files: ReadonlyMap<string, Asset> }

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

/** The files of a page by name; each is joined from its parts. */
export type Sources = Readonly<Record<`${string}.${keyof typeof types}`, readonly URL[]>>

const compress = promisify(gzip)

/** Reads and compresses all files of a page. */
export async function loadAssets(sources: Sources): Promise<Assets> {
  const contents = new Map<string, Buffer>()
  for (const [name, urls] of Object.entries(sources)) {
    contents.set(name, Buffer.concat(await Promise.all(urls.map((url) => readFile(fileURLToPath(url))))))
  }
  const files = new Map<string, Asset>()
  for (const [name, plain] of contents) {
    const extension = name.slice(name.lastIndexOf('.') + 1) as keyof typeof types
    files.set(name, { type: types[extension], plain, gzipped: await compress(plain) })
  }
  return { version: versionOf(contents), files }
}

/** A short digest of names and contents: scripts load each other, so one that changes gives all of them a new address. */
export function versionOf(contents: ReadonlyMap<string, Buffer>): string {
  const digest = createHash('sha256')
  for (const [name, content] of contents) digest.update(`${name}\0${content.length}\0`).update(content)
  return digest.digest('hex').slice(0, 16)
}

const cacheForever = 'public, max-age=31536000, immutable'

/** Answers a request for `/:version/:file`. False, and no answer yet, when the page has no such file. */
export function sendAsset(assets: Assets, request: Request, response: Response): boolean {
  const file = assets.files.get(String(request.params.file))
  if (file === undefined) return false
  const { type, plain, gzipped } = file
  const zipped = gzipped.length < plain.length && request.acceptsEncodings('gzip') === 'gzip'
  const body = zipped ? gzipped : plain
  // During a rollout the page of one process may request its files from another: it gets that one's files, uncached.
  if (request.params.version === assets.version) response.setHeader('Cache-Control', cacheForever)
  if (zipped) response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Vary', 'Accept-Encoding')
  response.setHeader('Content-Type', type)
  response.setHeader('Content-Length', body.length)
  response.end(body)
  return true
}

/** Answers a request for `/favicon.ico`, which browsers ask for beside what is no page. */
export function sendIcon({ files }: Assets, response: Response): void {
  const icon = files.get('icon.svg')
  response.setHeader('Cache-Control', 'public, max-age=86400')
  send(response, 200, icon?.type ?? '', icon?.plain ?? '')
}
