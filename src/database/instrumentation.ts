/** Wraps a statement, by its name: may observe its start and its outcome, and returns its result. */
export type Instrument = <Result>(statement: string, run: () => Promise<Result>) => Promise<Result>

export const uninstrumented: Instrument = (_statement, run) => run()
