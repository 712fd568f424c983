/** What the REST API answered. `body` is the parsed JSON; undefined when it is none. */
export type Reply = { status: number; body: unknown; header(name: string): string | null }

/**
 * Sends a GET request to the REST API with the caller's own token.
 *
 * @param path below `/v1`, with the query
 * @throws ToolFailure when there is no answer
 */
export type Get = (path: string, signal?: AbortSignal) => Promise<Reply>
