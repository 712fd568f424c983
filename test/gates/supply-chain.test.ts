import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gateMessage } from '../support/gate-message.ts'

type Locked = {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  /** It comes in the archive of another package, whose digest covers it. */
  inBundle?: boolean
  hasInstallScript?: boolean
  dev?: boolean
}

const project = join(import.meta.dirname, '../..')
const read = (file: string) => JSON.parse(readFileSync(join(project, file), 'utf8'))
const manifest = read('package.json')
const packages = (folder: string) =>
  Object.entries(read(join(folder, 'package-lock.json')).packages as Record<string, Locked>).filter(([path]) => path)
const nameOf = (path: string) => path.split('node_modules/').at(-1) ?? ''
const script = (...args: string[]) =>
  execFileSync(process.execPath, ['scripts/supply-chain.ts', ...args], {
    cwd: project,
    encoding: 'utf8',
    stdio: 'pipe',
  })

const amiss = (wrong: string, edit: string, run = 'npx vitest run test/gates/supply-chain.test.ts') =>
  gateMessage({ wrong, edit, run })

it.each(['.', 'test/contract', 'test/integrations'])(
  'every package in the lockfile of %s comes from the registry, by its digest',
  (folder) => {
    const locked = packages(folder)
    expect(locked.length).toBeGreaterThan(100)
    const strays = locked.filter(
      ([, { integrity, resolved, link, inBundle }]) =>
        !inBundle &&
        (link || !integrity?.startsWith('sha512-') || !/^(https:\/\/registry\.npmjs\.org\/|$)/.test(resolved ?? '')),
    )
    const wrong = amiss(
      'packages come from elsewhere, or without a digest',
      `${folder}/package.json: depend on a version of the registry`,
      `npm install --prefix ${folder}`,
    )
    expect(strays, wrong).toEqual([])
  },
)

it('direct dependencies are pinned to one version', () => {
  const { dependencies, devDependencies, optionalDependencies } = manifest
  const ranges: string[] = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })
  const wrong = amiss('versions are ranges', 'package.json: one version each, without ^ or ~', 'npm install')
  const pinned = expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
  expect(ranges, wrong).toEqual(ranges.map(() => pinned))
})

const texts = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(project, 'src', file), 'utf8'))

it('each package that src/ imports is a dependency, and each dependency is imported and has its line', () => {
  const named =
    /(?:^import |^\} from |^(?:import|export) .* from |\bimport\(|\bresolve\()['`]((?:@[\w-]+\/)?[a-z][\w.-]*)[/'`]/gm
  const imported = texts.flatMap((text) => [...text.matchAll(named)].map(([, name = '']) => name))
  const { dependencies, optionalDependencies } = manifest
  const declared = Object.keys({ ...dependencies, ...optionalDependencies }).toSorted()
  const used = new Set(imported.filter((name) => !builtinModules.includes(name) && name !== 'node'))
  expect([...used].toSorted(), amiss('src/ imports other packages', 'package.json: dependencies')).toEqual(declared)
  const page = readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `([^`]+)`(?: \(optional\))? \| [\d.]+ \| .+ \|$/gm)].map(([, name]) => name)
  const wrong = amiss('the table of dependencies has other packages', 'CONTRIBUTING.md, "Dependencies"')
  expect(listed, wrong).toEqual(declared)
})

it('src/ imports no file of a package that the package does not export', () => {
  const inside = texts.flatMap((text) => [
    ...text.matchAll(/(?:from |import\()'((?:@[\w-]+\/)?[a-z][\w.-]*)(\/[^']+)'/g),
  ])
  // What a package with `exports` does not export, Node itself refuses.
  const internal = inside.filter(
    ([, name = '']) =>
      !builtinModules.includes(name) && read(`node_modules/${name}/package.json`).exports === undefined,
  )
  const edit = 'the imports named below: use what is exported'
  const strange = internal.map(([, name, path]) => `${name}${path}`)
  expect(strange, amiss('src/ imports what may be gone in the next version', edit)).toEqual([])
  expect(inside.length).toBeGreaterThan(5)
})

it('a list names each package with an install script, and whether it may run', () => {
  const scripted = packages('.').flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? nameOf(path) : []))
  const wrong = amiss(
    'allowScripts does not name the packages that have install scripts',
    'package.json: allowScripts, true only where the package does not work without',
  )
  expect(Object.keys(manifest.allowScripts).toSorted(), wrong).toEqual([...new Set(scripted)].toSorted())
})

it('no package of production has a licence that is not on the list', () => {
  expect(script('licenses')).toContain('MIT')
})

it('the bill of materials has every package of production, and nothing else', () => {
  const listed: { name: string; version: string }[] = JSON.parse(script('sbom')).components
  const isElsewhere =
    /fsevents|@emnapi|(darwin|win32|windows|freebsd|webcontainers|linuxmusl)-|-(wasm32|arm|ia32|ppc64|riscv64|s390x)$/
  const production = packages('.').filter(([path, { dev }]) => !dev && !isElsewhere.test(path))
  const expected = new Set(production.map(([path, { version }]) => `${nameOf(path)}@${version}`))
  const wrong = amiss('npm run sbom lists other packages than the lockfile', 'scripts/supply-chain.ts')
  expect(new Set(listed.map(({ name, version }) => `${name}@${version}`)), wrong).toEqual(expected)
})
