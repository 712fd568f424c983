import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { problem } from '../../src/apps/docs/openapi/problem.ts'
import { type RunningApp, startApp } from '../http/support.ts'
import { example } from './document.ts'

let app: RunningApp
let page: string

beforeAll(async () => {
  app = await startApp()
  page = (await app.get('/docs')).body
})
afterAll(() => app.close())

describe('the examples', () => {
  it('an answer and a problem are what the schemas say', () => {
    const schema = operations.find(({ path }) => path === '/items')?.schema
    expect(schema?.parse(JSON.parse(example(page, 'first-answer')))).toMatchObject({ meta: { next_page: 2 } })
    expect(problem.parse(JSON.parse(example(page, 'problem'))).code).toBe('invalid_parameter')
  })
})
