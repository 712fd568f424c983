import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Demo, openDemo } from './demo.ts'

let demo: Demo
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo?.close())

/** Runs what somebody pastes into a terminal. */
async function inShell(command: string): Promise<{ status: number; body: string }> {
  const env = { PATH: process.env.PATH }
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -sS -w '\\n%{http_code}'`], { env })
  const end = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) }
}

it('somebody who has the address of / alone makes a first call, by links and buttons', async () => {
  const { page } = await demo.open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(demo.origin)
  await page.getByRole('main').getByRole('link', { name: 'Console', exact: true }).click()
  await page.getByRole('button', { name: 'Imogen Hart' }).click()
  await page.getByLabel('Name').fill('My first token')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('button', { name: 'Copy First call' }).click()
  await page.getByText('Copied.').waitFor()

  const { status, body } = await inShell(await page.evaluate<string>('navigator.clipboard.readText()'))
  expect(status, body).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ data: [{ id: expect.any(String) }], meta: { per_page: 1 } })

  await page.getByRole('link', { name: 'the first call' }).click()
  await page.waitForURL(/\/docs#first-call$/)
  expect(await page.getByRole('heading', { name: 'First call' }).isVisible()).toBe(true)
})

it('the command of /docs that creates a token works as it is copied', async () => {
  const { page } = await demo.open()
  await page.goto(`${demo.origin}/docs`)
  const command = (await page.locator('[data-example="create-token"]').textContent()) ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { PATH: process.env.PATH } })
  expect(stdout).toMatch(/^svc_studio_\w+$/m)
})
