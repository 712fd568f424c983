import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

it('the npm package brings the deployment files, the alerts, the dashboard and the migrations', async () => {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const [packed] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[]
  const paths = packed?.files.map(({ path }) => path)
  for (const folder of ['docs/deployment', 'docs/monitoring', 'migrations/committed']) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
    expect(files.length).toBeGreaterThan(1)
    expect(paths).toEqual(expect.arrayContaining(files.map((file) => file.slice(root.length + 1))))
  }
})
