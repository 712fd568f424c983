import { Counter, Gauge, type Registry } from 'prom-client'

/** The names of our metrics begin with it. */
export const prefix = 'studio_inventory_'

/** Gauges and counters whose values are maintained elsewhere. */
export function readingIn(registry: Registry) {
  const registers = [registry]
  return {
    gauge(name: string, help: string, read: () => number | Promise<number>): void {
      new Gauge({
        ...{ name: prefix + name, help, registers },
        async collect() {
          this.set(await read())
        },
      })
    },
    total(name: string, help: string, read: () => number): void {
      new Counter({
        ...{ name: prefix + name, help, registers },
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    },
  }
}
