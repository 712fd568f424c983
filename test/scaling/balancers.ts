import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { accepts } from '../support/embedded.ts'
import { closeAtEnd, end } from './processes.ts'

const documented = join(import.meta.dirname, '../../docs/deployment')
const name = 'api.example.com'

/** A balancer with TLS for api.example.com on a port of this machine. */
export type Balancer = { port: number; plainPort: number; ca: string }

/** The ports of two instances, and those of their GraphQL. */
export type Upstreams = Record<'instances' | 'graphql', [one: number, other: number]>

/** Runs nginx, alone, with docs/deployment/nginx.conf in its `http` block. */
export async function startNginx(upstreams: Upstreams): Promise<Balancer> {
  const { folder, certificate, key, ports } = await prepare()
  const site = await replaced('nginx.conf', {
    ...addresses(upstreams),
    'listen 80;': `listen 127.0.0.1:${ports.plain};`,
    'listen 443 ssl http2;': `listen 127.0.0.1:${ports.tls} ssl http2;`,
    '  listen [::]:80;\n': '',
    '  listen [::]:443 ssl http2;\n': '',
    '/etc/ssl/certs/api.example.com.pem': certificate,
    '/etc/ssl/private/api.example.com.key': key,
  })
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`)
  const main = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 1024; }
    http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }`
  await writeFile(join(folder, 'site.conf'), site)
  await writeFile(join(folder, 'main.conf'), main)
  await run('nginx', ['-e', `${folder}/error.log`, '-c', `${folder}/main.conf`], ports.tls)
  return { port: ports.tls, plainPort: ports.plain, ca: await readFile(certificate, 'utf8') }
}

/** Runs HAProxy with docs/deployment/haproxy.cfg. */
export async function startHaproxy(upstreams: Upstreams): Promise<Balancer> {
  const { folder, certificate, key, ports } = await prepare()
  await writeFile(join(folder, 'both.pem'), `${await readFile(certificate, 'utf8')}${await readFile(key, 'utf8')}`)
  const config = await replaced('haproxy.cfg', {
    ...addresses(upstreams),
    'bind :80\n': `bind 127.0.0.1:${ports.plain}\n`,
    'bind :443 ': `bind 127.0.0.1:${ports.tls} `,
    '/etc/haproxy/certs/api.example.com.pem': join(folder, 'both.pem'),
    '  log /dev/log local0\n': '',
    '  log global\n': '',
  })
  await writeFile(join(folder, 'haproxy.cfg'), config)
  await run('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], ports.tls)
  return { port: ports.tls, plainPort: ports.plain, ca: await readFile(certificate, 'utf8') }
}

const addresses = ({ instances, graphql }: Upstreams) => ({
  '10.0.0.11:3000': `127.0.0.1:${instances[0]}`,
  '10.0.0.12:3000': `127.0.0.1:${instances[1]}`,
  '10.0.0.11:3001': `127.0.0.1:${graphql[0]}`,
  '10.0.0.12:3001': `127.0.0.1:${graphql[1]}`,
})

/** The documented file with what its first lines say to replace. */
async function replaced(file: string, values: Readonly<Record<string, string>>): Promise<string> {
  let text = await readFile(join(documented, file), 'utf8')
  for (const [from, to] of Object.entries(values)) {
    if (!text.includes(from)) throw new Error(`docs/deployment/${file} has no ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** A folder with a certificate of its own, and free ports. */
async function prepare() {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-balancer-'))
  closeAtEnd(() => rm(folder, { recursive: true, force: true }))
  await mkdir(folder, { recursive: true })
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject]
  await promisify(execFile)('openssl', [...request, '-out', certificate, '-keyout', key])
  return {
    ...{ folder, certificate, key },
    ports: { tls: await findPort('127.0.0.1', 0), plain: await findPort('127.0.0.1', 0) },
  }
}

async function run(program: string, args: string[], port: number): Promise<void> {
  const child = spawn(`/usr/sbin/${program}`, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  closeAtEnd(() => end(child, 'SIGTERM'))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${program} ended: ${said}`)
  })
  ended.catch(() => undefined)
  const listening = vi.waitUntil(() => accepts(port), { timeout: 30_000, interval: 50 })
  await Promise.race([listening, ended])
}
