import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPort } from '../../src/http/listener.ts'

export const image = 'studio-inventory'
export const project = join(import.meta.dirname, '../..')

/** What a program wrote, and how it ended. */
export type Ran = { code: number; output: string; stdout: string }

/** Runs a program in the project's folder to its end; failing is no error. */
export function run(program: string, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: project, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout, output: `${stdout}${stderr}` })
    })
  })
}

/** Asks the engine. @throws with what it said when it fails */
export async function docker(...args: string[]): Promise<string> {
  const { code, output, stdout } = await run('docker', ...args)
  if (code !== 0) throw new Error(`docker ${args[0]} failed: ${output}`)
  return stdout.trim()
}

/** One value of what the engine knows of a container or image, as JSON. */
export async function inspect<Value>(name: string, format: string): Promise<Value> {
  return JSON.parse(await docker('inspect', '--format', `{{json ${format}}}`, name))
}

/** The services of compose.yaml under a name of their own, with secrets and a port of their own. */
export type Composition = {
  url: string
  secrets: { POSTGRES_PASSWORD: string; SECRET_KEY: string }
  /** Compose with the given arguments. @throws with what it said when it fails */
  compose(...args: string[]): Promise<string>
  /** The name of a service's container, running or not. */
  container(service: string): Promise<string>
  remove(): Promise<void>
}

export async function makeComposition(): Promise<Composition> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-compose-'))
  const port = await findPort('127.0.0.1', 0)
  const url = `http://localhost:${port}`
  const secrets = { POSTGRES_PASSWORD: randomBytes(24).toString('hex'), SECRET_KEY: randomBytes(32).toString('base64') }
  const graphqlPort = await findPort('127.0.0.1', 0)
  const administrator = `postgresql://postgres:${secrets.POSTGRES_PASSWORD}@postgres:5432/studio_inventory`
  const { POSTGRES_PASSWORD: postgres_password, SECRET_KEY: secret_key } = secrets
  const inFiles = { postgres_password, database_url: administrator, secret_key }
  for (const [name, secret] of Object.entries(inFiles)) await writeFile(join(folder, name), `${secret}\n`)
  const published = { PUBLIC_URL: url, PUBLISHED_PORT: port, PUBLISHED_GRAPHQL_PORT: graphqlPort }
  const settings = Object.entries({ ...secrets, SECRETS: folder, ...published })
  const file = join(folder, 'env')
  await writeFile(file, settings.map(([name, value]) => `${name}=${value}\n`).join(''))
  const plugin = (await run('docker', 'compose', 'version')).code === 0
  const [program, ...first] = plugin ? ['docker', 'compose'] : ['docker-compose']
  const name = `inventory-test-${port}`
  const files = ['compose.yaml', 'test/container/compose.test.yaml'].flatMap((path) => ['-f', path])
  const given = ['--env-file', file, '-p', name, ...files]

  async function compose(...args: string[]): Promise<string> {
    const { code, output } = await run(program ?? '', ...first, ...given, ...args)
    if (code !== 0) throw new Error(`compose ${args.join(' ')} failed: ${output}`)
    return output
  }

  return {
    url,
    secrets,
    compose,
    container: async (service) => {
      const labels = [`com.docker.compose.project=${name}`, `com.docker.compose.service=${service}`]
      const ids = await docker('ps', '--all', '--quiet', ...labels.flatMap((label) => ['--filter', `label=${label}`]))
      return ids.split('\n')[0] ?? ''
    },
    remove: async () => {
      await compose('down', '--volumes', '--timeout', '5')
      await rm(folder, { recursive: true })
    },
  }
}
