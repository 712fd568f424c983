import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const run = promisify(execFile)

/** What else shows an OpenAPI description, as its own instructions say to use it. */
const others = {
  'Swagger UI': {
    packed: 'swagger-ui-dist@5.35.0',
    head: '<link rel="stylesheet" href="swagger-ui.css"><script src="swagger-ui-bundle.js" defer></script>',
    start: "SwaggerUIBundle({ url: 'openapi.json', dom_id: '#page' })",
    drawn: '.opblock',
  },
  Scalar: {
    packed: '@scalar/api-reference@1.72.1',
    head: '<script src="dist/browser/standalone.js" defer></script>',
    start: "Scalar.createApiReference('#page', { url: 'openapi.json' })",
    // What stands above the operations, which it draws when they are scrolled to.
    drawn: '.client-libraries',
  },
} as const

export type Reference = {
  name: string
  path: string
  /** What is there when a request can be tried. */
  drawn: string
}

/** The references of others on a server of their own, compressed with gzip, from packages that are unpacked outside of this repository. */
export async function serveReferences(description: string) {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-references-'))
  const files = new Map<string, { type: string; body: Buffer }>()
  const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' }
  const add = (path: string, content: string | Buffer) =>
    files.set(path, { type: types[extname(path)] ?? 'text/html', body: gzipSync(content) })

  const references: Reference[] = []
  for (const [name, { packed, head, start, drawn }] of Object.entries(others)) {
    const base = `/${encodeURIComponent(name)}/`
    const into = join(folder, encodeURIComponent(name))
    await mkdir(into)
    const { stdout } = await run('npm', ['pack', '--silent', packed], { cwd: into })
    await run('tar', ['xzf', stdout.trim()], { cwd: into })
    for (const [, file = ''] of head.matchAll(/(?:src|href)="([^"]+)"/g)) {
      add(base + file, await readFile(join(into, 'package', file)))
    }
    const begin = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title>`
    add(base, `${begin}${head}<script src="start.js" defer></script></head><body><div id="page"></div></body></html>`)
    add(`${base}start.js`, start)
    add(`${base}openapi.json`, description)
    references.push({ name, path: base, drawn })
  }

  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '')
    if (file === undefined) return response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': file.type, 'Content-Encoding': 'gzip' }).end(file.body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    references,
    async close() {
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
