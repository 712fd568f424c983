import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { project } from './integrations/requests.ts'

// `npm run release:freeze` keeps this checkout as the last release, in test/upgrade/releases/: its source and its migrations. A test
// upgrades it to every later state. GNU tar makes the same bytes of the same files.
const folder = join(project, 'test/upgrade/releases')
const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
const run = (command: string, args: string[], input = '') =>
  execFileSync(command, args, { cwd: project, input, maxBuffer: 256 * 1024 * 1024 })
const ours = ['-z', '--cached', '--others', '--exclude-standard', 'package.json', 'migrations/committed', 'src']
const files = run('git', ['ls-files', ...ours])
const alike = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
const archive = run('tar', ['-c', ...alike, '--null', '--files-from=-'], files.toString())

mkdirSync(folder, { recursive: true })
for (const earlier of readdirSync(folder)) rmSync(join(folder, earlier))
writeFileSync(join(folder, `${version}.tgz`), gzipSync(archive, { level: 9 }))
console.log(`test/upgrade/releases/${version}.tgz: upgrades are tested from it`)
