import { Counter, Gauge, type Registry } from 'prom-client'
import { inCell, prefix } from './names.ts'

type Source = { read: () => number | Promise<number>; cell: string | undefined }

/** Gauges and counters whose values are maintained elsewhere, registered when they have their first source. */
export function readingIn(registry: Registry) {
  const known = new Map<string, Source[]>()
  function sourcesOf(name: string, register: (sources: Source[]) => void): Source[] {
    const sources = known.get(name) ?? []
    if (!known.has(name)) register(sources)
    known.set(name, sources)
    return sources
  }
  const labelNames = ['cell'] as const
  const registers = [registry]
  return {
    gauge(name: string, help: string, read: Source['read'], cell?: string): void {
      const register = (sources: Source[]) =>
        new Gauge({
          ...{ name: prefix + name, help, labelNames, registers },
          async collect() {
            for (const source of sources) this.set(inCell(source.cell), await source.read())
          },
        })
      sourcesOf(name, register).push({ read, cell })
    },
    total(name: string, help: string, read: () => number, cell?: string): void {
      const register = (sources: Source[]) =>
        new Counter({
          ...{ name: prefix + name, help, labelNames, registers },
          async collect() {
            this.reset()
            for (const source of sources) this.inc(inCell(source.cell), await source.read())
          },
        })
      sourcesOf(name, register).push({ read, cell })
    },
  }
}
