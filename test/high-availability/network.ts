import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ip = (...args: string[]) => run('ip', args)

/** A range that is reserved for tests of networks: no machine has an address in it. */
const range = '198.18.11'
/** The switch has its own namespace, so that this machine's packet filters do not affect it. */
const spaceOf = (name: string) => `studio-ha-${name}`
const hereLink = 'studio-ha'

/** To the network a machine of its own: an address, and a cable to the switch. */
export type Machine = {
  address: string
  /** What a command begins with that runs there. */
  enter: string[]
  /** The switch drops everything from and to it, and neither side is told. */
  cut(): Promise<void>
  join(): Promise<void>
}

export type Network = {
  /** The machines find here what runs on them. */
  here: string
  /** By name: db1 has the address that ends with 11 for 10.0.0.11 in the documentation. */
  machines: Map<string, Machine>
  /** The addresses of the documentation, as they are here. */
  translate(text: string): string
  remove(): Promise<void>
}

/** Connects network namespaces of Linux to a switch, and to this process; needs root. */
export async function makeNetwork(names: readonly string[]): Promise<Network> {
  const spaces = ['switch', ...names].map(spaceOf)
  const [bridge = ''] = spaces
  // A run that somebody killed may have left them.
  const remove = async () => {
    await ip('link', 'del', hereLink).catch(() => undefined)
    for (const space of spaces) await ip('netns', 'del', space).catch(() => undefined)
  }
  /** A cable from the switch to an interface that is in a namespace, or that of a process. */
  async function plug(port: string, device: string, where: string): Promise<void> {
    await ip('-n', bridge, 'link', 'add', port, 'type', 'veth', 'peer', 'name', device, 'netns', where)
    await ip('-n', bridge, 'link', 'set', port, 'master', 'lan', 'up')
  }

  await remove()
  const machines = new Map<string, Machine>()
  try {
    for (const space of spaces) await ip('netns', 'add', space)
    await ip('-n', bridge, 'link', 'add', 'lan', 'type', 'bridge')
    await ip('-n', bridge, 'link', 'set', 'lan', 'up')
    await plug('here', hereLink, String(process.pid))
    await ip('addr', 'add', `${range}.1/24`, 'dev', hereLink)
    await ip('link', 'set', hereLink, 'up')
    for (const [index, name] of names.entries()) {
      const [space, address] = [spaceOf(name), `${range}.${11 + index}`]
      await plug(name, 'eth0', space)
      await ip('-n', space, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
      for (const device of ['eth0', 'lo']) await ip('-n', space, 'link', 'set', device, 'up')
      machines.set(name, {
        address,
        enter: ['nsenter', `--net=/run/netns/${space}`],
        cut: async () => void (await ip('-n', bridge, 'link', 'set', name, 'nomaster')),
        join: async () => void (await ip('-n', bridge, 'link', 'set', name, 'master', 'lan')),
      })
    }
  } catch (error) {
    await remove()
    throw error
  }
  return { here: `${range}.1`, machines, translate: (text) => text.replaceAll('10.0.0.', `${range}.`), remove }
}
