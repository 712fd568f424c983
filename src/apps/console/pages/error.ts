import { html } from '../../html.ts'
import type { Page } from './layout.ts'

/** What went wrong, and what to quote to support. */
export function errorPage(title: string, message: string, base: string, requestId?: string): Page {
  return {
    title,
    content: html`<h1>${title}</h1>
<p>${message}</p>
${requestId !== undefined && html`<p class="soft">Quote this to support: <code>${requestId}</code></p>`}
<p class="on-screen"><a href="${base}">Back to the console</a></p>`,
  }
}
