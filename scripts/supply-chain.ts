import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * `sbom` prints the packages that production installs on Linux (x64 and ARM, glibc), as CycloneDX; `licenses` lists their licences and fails on one that
 * is not allowed. Both ask `npm sbom`, on a lockfile without what is for development: with `--omit dev` it leaves out
 * every package that something of development needs as well, `pg` among them.
 */

/** Licences that only require their text. OFL-1.1 is a font's, and requires nothing of
 * documents. */
const allowed = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT', 'PSF-2.0'],
  'MIT AND OFL-1.1',
  // libvips is a file of its own, which its user may replace.
  'LGPL-3.0-or-later',
]

/** Packages whose manifest names no licence, with that of the LICENSE file in them. */
const inTheirFile: Readonly<Record<string, string>> = { 'png-js@2.0.0': 'MIT' }

type Component = {
  name: string
  version: string
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[]
}
type Locked = Record<
  string,
  { dev?: boolean; os?: string[]; cpu?: string[]; libc?: string[]; devDependencies?: unknown }
>

const project = join(import.meta.dirname, '..')
const readJson = (file: string) => JSON.parse(readFileSync(join(project, file), 'utf8'))

function sbom(): { text: string; components: Component[] } {
  const manifest = readJson('package.json')
  const lock: { packages: Locked } = readJson('package-lock.json')
  for (const root of [manifest, lock.packages[''] ?? {}]) {
    delete root.devDependencies
  }
  for (const [folder, { dev, os = ['linux'], cpu = ['x64'], libc = ['glibc'] }] of Object.entries(lock.packages)) {
    const isHere = os.includes('linux') && libc.includes('glibc') && (cpu.includes('x64') || cpu.includes('arm64'))
    if (dev || !isHere) delete lock.packages[folder]
  }
  const folder = mkdtempSync(join(tmpdir(), 'studio-inventory-sbom-'))
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
    const options = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
    const text = execFileSync('npm', options, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return { text, components: JSON.parse(text).components }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const licenceOf = ({ name, version, licenses = [] }: Component): string =>
  licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression).join(' and ') ||
  (inTheirFile[`${name}@${version}`] ?? 'none')

const { text, components } = sbom()
if (process.argv[2] === 'sbom') process.stdout.write(text)
else {
  const byLicence = Map.groupBy(components, licenceOf)
  for (const [licence, packages] of [...byLicence].toSorted(([a], [b]) => a.localeCompare(b))) {
    const names = packages.map(({ name, version }) => `${name}@${version}`)
    process.stdout.write(`${licence} (${names.length})\n  ${names.join('\n  ')}\n`)
    if (allowed.includes(licence)) continue
    process.stderr.write(`not allowed: ${licence}, of ${names.join(', ')}\n`)
    process.exitCode = 1
  }
}
