import { identity } from './identity.js'

/**
 * Sends a query.
 *
 * @returns {Promise<{ response: Response, text: string }>} the answer, whatever its status
 * @throws {Error} when nobody answers
 */
export async function ask(query, variables) {
  const headers = { 'Content-Type': 'application/json' }
  const token = await identity()
  if (token !== '') headers.Authorization = `Bearer ${token}`
  const body = JSON.stringify({ query, ...(variables && { variables }) })
  const response = await fetch('graphql', { method: 'POST', headers, body, credentials: 'omit', cache: 'no-store' })
  return { response, text: await response.text() }
}
