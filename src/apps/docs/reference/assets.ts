import type { Sources } from '../../static.ts'

const here = (path: string) => new URL(path, import.meta.url)

/** The scripts of the page: each brings one part of it to life. */
export const scripts = ['token.js', 'try.js', 'search.js', 'contents.js', 'languages.js', 'copy.js'] as const

/** Each file with its parts, which are joined. */
export const sources: Sources = {
  'docs.css': [
    ...['colours', 'base', 'header', 'code', 'fields'].map((part) => here(`../../styles/${part}.css`)),
    ...['page', 'contents', 'content', 'operation', 'try', 'print'].map((part) => here(`styles/${part}.css`)),
  ],
  'icon.svg': [here('../../styles/icon.svg')],
  'token.js': [here('browser/token.js')],
  'try.js': [here('browser/try.js')],
  'json.js': [here('browser/json.js')],
  'search.js': [here('browser/search.js')],
  'contents.js': [here('browser/contents.js')],
  'languages.js': [here('browser/languages.js')],
  'copy.js': [here('../../browser/copy.js')],
}
