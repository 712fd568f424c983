import type { Sources } from '../../../http/static.ts'

const here = (path: string) => new URL(path, import.meta.url)

/** The scripts of the page. */
export const scripts = ['run.js', 'schema.js', 'copy.js'] as const

/** Each file with its parts, which are joined. */
export const sources: Sources = {
  'graphql.css': [
    ...['colours', 'base', 'header', 'code', 'fields'].map((part) => here(`../../styles/${part}.css`)),
    ...['page', 'schema'].map((part) => here(`styles/${part}.css`)),
  ],
  'icon.svg': [here('../../styles/icon.svg')],
  'identity.js': [here('browser/identity.js')],
  'ask.js': [here('browser/ask.js')],
  'run.js': [here('browser/run.js')],
  'schema.js': [here('browser/schema.js')],
  'json.js': [here('../../docs/reference/browser/json.js')],
  'copy.js': [here('../../browser/copy.js')],
}
