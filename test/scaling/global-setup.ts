import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import setUpTests from '../support/global-setup.ts'
import { makePrimary, makeReplica, makeServerFolder, type Server, stopServer, urlOf } from './servers.ts'

declare module 'vitest' {
  interface ProvidedContext {
    servers: { primary: Server; replica: Server }
  }
}

/** A primary and a streaming replica of it; the tests' databases are made on the primary. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeServerFolder()
  const running: Server[] = []
  const stop = async () => {
    for (const server of running.toReversed()) await stopServer(server, 'immediate').catch(() => undefined)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const primary = await makePrimary(folder)
    running.push(primary)
    // In an environment of its own: other projects of the same run have servers of theirs.
    const finish = await setUpTests(project, { ...process.env, TEST_DATABASE_URL: urlOf(primary) })
    const replica = await makeReplica(primary)
    running.push(replica)
    project.provide('servers', { primary, replica })
    return async () => {
      await finish().catch(() => undefined)
      await stop()
    }
  } catch (error) {
    await stop()
    throw error
  }
}
