import type { TestProject } from 'vitest/node'
import setUpServer from '../support/global-setup.ts'
import { startPooler } from '../support/pgbouncer.ts'
import type { TestServer } from '../support/server.ts'

/** The server of every run, and a PgBouncer in front of it, by which the service's pools go. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: TestServer | undefined
  const stopServer = await setUpServer({
    ...project,
    provide(name: 'testServer', value: TestServer) {
      server = value
      project.provide(name, value)
    },
  } as TestProject)
  const pooler = await startPooler(server?.adminUrl ?? '')
  project.provide('poolerPort', pooler.port)
  return async () => {
    await pooler.stop()
    await stopServer()
  }
}
