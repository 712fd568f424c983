import type { Sources } from '../../../http/assets.ts'

const here = (path: string) => new URL(path, import.meta.url)

/** Each file with its parts, which are joined. Reading them takes a tenth of a second, so it waits for the first visitor. */
export const sources: Sources = {
  'docs.css': [
    '../../styles/base',
    ...['page', 'content', 'interactive', 'answers', 'schema'].map((part) => `styles/${part}`),
  ].map((part) => here(`${part}.css`)),
  'icon.svg': [here('../../styles/icon.svg')],
  'interactive.js': [here('browser/interactive.js')],
  'answers.js': [here('browser/answers.js')],
  'components.js': [here('browser/components.js')],
  'controls.js': [here('browser/controls.js')],
  'description.js': [here('browser/description.js')],
  'token.js': [here('browser/token.js')],
  'swagger-ui.js': [new URL(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))],
}
