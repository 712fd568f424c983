import { html as tag } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** Markup that may be sent without escaping. Only `html` makes it. */
export type Html = HtmlEscapedString

/** What may be interpolated into markup. Text and numbers are escaped; lists are joined; null, undefined and false are empty. */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

/**
 * Writes markup around content, which is escaped: safe between tags and in quoted attributes. It is hono's template tag,
 * limited to content that is there at once.
 *
 * @example String(html`<p title="${'"'}">${'<b>'}</p>`) // '<p title="&quot;">&lt;b&gt;</p>'
 */
export const html = tag as (strings: TemplateStringsArray, ...values: readonly Content[]) => Html

/**
 * A block of code with a button that copies it, which `browser/copy.js` brings to life. It can be scrolled with the keyboard.
 *
 * @param label what it is, in a few words; shown above it
 * @param text the code; parts that a script fills in are markup
 * @param name finds it in tests
 */
export function codeBlock(label: string, text: Content, name = ''): Html {
  return html`<div class="code"><p class="label">${label}</p>
<button type="button" class="copy" data-copy><span data-said>Copy</span><span class="spoken"> ${label}</span></button>
<span class="spoken" role="status"></span>
<pre tabindex="0" role="group" aria-label="${label}"><code data-example="${name}">${text}</code></pre></div>`
}
