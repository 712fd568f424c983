import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeTarget, splitTarget } from '../../src/http/target.ts'

const cases: [target: string, normalized: string][] = [
  ['/v1/items?page=1&q=%ZZ', '/v1/items?page=1&q=%ZZ'],
  ['/v1/items/%41', '/v1/items/%41'],
  ['/v1/items/%ZZ', '/v1/items/%25ZZ'],
  ['/v1/items/%E0%A4%A?page=%ZZ', '/v1/items/%25E0%25A4%25A?page=%ZZ'],
  ['/v1/items#part?page=1', '/v1/items'],
  ['http://host:1/v1/items?page=1', '/v1/items?page=1'],
  ['http://host?page=1', '/?page=1'],
  ['//host/v1/items', '//host/v1/items'],
  ['*', '/*'],
]

describe('normalizeTarget', () => {
  test.each(cases)('%s becomes %s', (target, normalized) => {
    expect(normalizeTarget(target)).toBe(normalized)
  })

  test('always gives a path that begins with a slash and decodes', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{0,60}$/), (target) => {
        const normalized = normalizeTarget(target)
        expect(normalized).toMatch(/^\//)
        expect(() => decodeURIComponent(splitTarget(normalized).path)).not.toThrow()
        expect(normalizeTarget(normalized)).toBe(normalized)
      }),
    )
  })
})
