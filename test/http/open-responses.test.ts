import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OpenResponses } from '../../src/http/open-responses.ts'

const responses = Array.from({ length: 12 }, () => new ServerResponse(new IncomingMessage(new Socket())))

it('responses that begin and end in any order are there from their beginning to their end', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(responses.length - 1), { maxLength: 100 }), (order) => {
      const open = new OpenResponses()
      const expected = new Set<ServerResponse>()
      for (const index of order) {
        const response = responses[index]
        if (response === undefined) continue
        if (expected.delete(response)) open.delete(response)
        else {
          expected.add(response)
          open.add(response)
        }
        expect(open.size).toBe(expected.size)
        expect(new Set([...open, ...expected]).size).toBe(expected.size)
        expect(new Set(open).size).toBe(expected.size)
      }
    }),
  )
})
