import type { ServerResponse } from 'node:http'

export { questionOf } from '../../../src/api/list-headers.ts'

/** Sets none, and takes back the ETag. */
export function setListHeaders(response: ServerResponse): void {
  response.removeHeader('ETag')
}
