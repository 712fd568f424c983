import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

// Copies GraphQL's page out of `ruru`. As a dependency, it would install the 250 MB that its files are built from.
const [ruru, page] = [join(target, 'graphql/ruru'), join(target, 'graphql/page.js')]
for (const file of ['LICENSE.md', ...['server', 'static', 'bundleCode', 'version'].map((name) => `dist/${name}.js`)]) {
  cpSync(join(project, 'node_modules/ruru', file), join(ruru, file))
}
writeFileSync(join(ruru, 'package.json'), '{ "type": "commonjs" }\n')
const copied = readFileSync(page, 'utf8').replaceAll(/'ruru\/(server|static)'/g, "'./ruru/dist/$1.js'")
if (copied.match(/'\.\/ruru\/dist\//g)?.length !== 2) throw new Error('page.ts imports other files of ruru')
writeFileSync(page, copied)
