/** `fetch` that waits as long as a 429 or 503 says, and asks again. */
export async function patiently(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(input instanceof Request ? input.clone() : input, init)
    if (response.status !== 429 && response.status !== 503) return response
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get('Retry-After'))))
  }
}

/** The cursor of the next page, from the Link header; undefined on the last page. */
export function nextCursor({ headers }: Response): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
  return next === undefined ? undefined : (new URL(next).searchParams.get('cursor') ?? undefined)
}
