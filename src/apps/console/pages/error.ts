import { html } from '../../html.ts'
import type { Studio } from '../store.ts'
import type { Page } from './layout.ts'

export type ErrorView = {
  base: string
  title: string
  message: string
  /** Whose page it would have been: its other pages stay within reach. */
  studio: Studio | undefined
  requestId: string | undefined
}

/** What went wrong, and what to quote to support. */
export function errorPage({ base, title, message, studio, requestId }: ErrorView): Page {
  return {
    title,
    studio,
    content: html`<h1>${title}</h1>
<p>${message}</p>
${requestId !== undefined && html`<p class="soft">Quote this to support: <code>${requestId}</code></p>`}
<p class="on-screen"><a href="${base}">Back to the console</a></p>`,
  }
}
