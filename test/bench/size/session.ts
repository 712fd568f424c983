import type pg from 'pg'
import { withClient } from '../../../src/database/client.ts'

/** A connection that stays open until `close`. */
export function openClient(url: string): Promise<{ client: pg.Client; close(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    withClient(url, (client) => {
      const over = Promise.withResolvers<void>()
      resolve({
        client,
        close: async () => over.resolve(),
      })
      return over.promise
    }).catch(reject)
  })
}
