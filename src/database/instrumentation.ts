/** Sees a statement through, by its name: may look when it begins and how it ends, and gives back what it gives. */
export type Instrument = <Result>(statement: string, run: () => Promise<Result>) => Promise<Result>

export const uninstrumented: Instrument = (_statement, run) => run()
