import type { Sources } from '../static.ts'

const here = (path: string) => new URL(path, import.meta.url)

/** The files of the console's pages. */
export const sources: Sources = {
  'console.css': [
    here('../styles/colours.css'),
    here('../styles/base.css'),
    here('../styles/header.css'),
    here('styles/console.css'),
    here('styles/forms.css'),
    here('styles/tables.css'),
    here('styles/print.css'),
  ],
  'console.js': [here('browser/console.js')],
  'icon.svg': [here('../styles/icon.svg')],
}
