import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Builds `dist/`, which the npm package ships: JavaScript with source maps, and the files that it reads. */
const project = join(import.meta.dirname, '..')
const [source, target] = [join(project, 'src'), join(project, 'dist')]

rmSync(target, { recursive: true, force: true })
execFileSync(join(project, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.build.json'], {
  cwd: project,
  stdio: 'inherit',
})
const isCode = (path: string) => path.endsWith('.ts') || path.endsWith('cli/launch.js')
cpSync(source, target, {
  recursive: true,
  filter(path, copy) {
    if (statSync(path).isDirectory()) return true
    if (isCode(path)) return false
    if (existsSync(copy)) throw new Error(`${path} would replace what was compiled from a module of the same name`)
    return true
  },
})
