import type { Sources } from '../static.ts'

const here = (path: string) => new URL(path, import.meta.url)

/** The files of the page. */
export const sources: Sources = {
  'front.css': [
    ...['colours', 'base', 'header', 'code'].map((part) => here(`../styles/${part}.css`)),
    here('styles/front.css'),
  ],
  'icon.svg': [here('../styles/icon.svg')],
  'copy.js': [here('../browser/copy.js')],
}
