import { z } from 'zod'
import { createSeal } from './seal.ts'

/** A token on its way from the form that created it to the one page that shows it. */
export type Revealed = { name: string; token: string }

/** Seconds for which that page can be asked for. */
export const revealSeconds = 60

/** The digest of a session, and the id of the token whose page it is. */
export type Place = { session: Buffer; tokenId: string }

const audienceOf = ({ session, tokenId }: Place) => `${session.toString('base64url')} ${tokenId}`

const content = z.object({ name: z.string(), token: z.string() })

/**
 * Seals a new token for the cookie that carries it to the next page, which takes the cookie away. So the form is answered
 * with a redirect (a reload sends nothing again), no URL contains the token, and the service keeps no copy of it.
 *
 * @param secretKey the service's secret; the key of the seal is derived from it
 */
export function createReveal(secretKey: string) {
  const seal = createSeal(secretKey, 'console:reveal', content)
  return {
    /** @param place the session that may open it, and the page */
    seal: ({ name, token }: Revealed, place: Place): Promise<string> =>
      seal.seal({ name, token }, audienceOf(place), revealSeconds),

    /** What was sealed for this place; null when it was not, or is too old. */
    open: (sealed: string | undefined, place: Place): Promise<Revealed | null> => seal.open(sealed, audienceOf(place)),
  }
}

export type Reveal = ReturnType<typeof createReveal>
