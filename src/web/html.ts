import { html as tag } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup that needs no escaping. Only `html` makes it. */
export type Html = HtmlEscapedString

/** Values that markup may hold: escapes text and numbers, joins lists, drops null and false. */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

/** Writes markup around content and escapes the content, between tags and in quoted attributes.
 * It is hono's template tag, limited to synchronous content.
 * @example String(html`<p title="${'"'}">${'<b>'}</p>`) // '<p title="&quot;">&lt;b&gt;</p>' */
export const html = tag as (strings: TemplateStringsArray, ...values: readonly Content[]) => Html

/** A block of code that scrolls with the keyboard, and a button that copies it
 * (`browser/copy.js`).
 * @param label a few words, shown above the code
 * @param text the code; markup for parts that a script fills in
 * @param name lets tests find it */
export function codeBlock(label: string, text: Content, name = ''): Html {
  return html`<div class="code"><p class="label">${label}</p>
<button type="button" class="copy" data-copy><span data-said>Copy</span><span class="spoken"> ${label}</span></button>
<span class="spoken" role="status"></span>
<pre tabindex="0" role="group" aria-label="${label}"><code data-example="${name}">${text}</code></pre></div>`
}
