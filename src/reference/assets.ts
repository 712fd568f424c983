import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** A file of the page, in memory. */
export type Asset = { type: string; plain: Buffer; gzipped: Buffer }

/** All files of the page by name, and the digest of their content, which is part of their address. */
export type Assets = { version: string; files: ReadonlyMap<string, Asset> }

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

const here = (path: string) => new URL(path, import.meta.url)

/** Each file with its parts, which are joined. */
const sources: Readonly<Record<`${string}.${keyof typeof types}`, readonly URL[]>> = {
  'docs.css': ['page', 'content', 'interactive', 'answers', 'schema'].map((part) => here(`styles/${part}.css`)),
  'icon.svg': [here('icon.svg')],
  'interactive.js': [here('browser/interactive.js')],
  'answers.js': [here('browser/answers.js')],
  'components.js': [here('browser/components.js')],
  'controls.js': [here('browser/controls.js')],
  'description.js': [here('browser/description.js')],
  'token.js': [here('browser/token.js')],
  'swagger-ui.js': [new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))],
}

const compress = promisify(gzip)

/** Reads and compresses all files: 2 MB and a tenth of a second, so it waits for the first visitor. */
export async function loadAssets(): Promise<Assets> {
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
