import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Demo, openDemo } from './demo.ts'

/** The picture of README.md, of the demo at `npm start`'s addresses. Take it: `--project
 * screenshots readme`. */
const folder = join(import.meta.dirname, '../../docs/images')
const maxBytes = 150_000

let demo: Demo
beforeAll(async () => {
  demo = await openDemo(3000)
  await mkdir(folder, { recursive: true })
})
afterAll(() => demo?.close())

it('the overview of the studio', async () => {
  const { page } = await demo.as('owner', { colorScheme: 'light', viewport: { width: 1280, height: 720 } })
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
  const path = join(folder, 'overview.png')
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
  expect((await stat(path)).size, `${path} is too large for a page that is read on the road`).toBeLessThan(maxBytes)
})
