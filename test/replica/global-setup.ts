import type { TestProject } from 'vitest/node'
import setUpServers from '../scaling/global-setup.ts'
import type { Server } from '../scaling/servers.ts'

/** A primary and a streaming replica, from which the services of all tests read. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  return setUpServers({
    ...project,
    provide(name: 'servers', value: { primary: Server; replica: Server }) {
      project.provide(name, value)
      if (name === 'servers') project.provide('replicaPort', value.replica.port)
    },
  } as TestProject)
}
