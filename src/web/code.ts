import { type Content, type Html, html } from './html.ts'

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
