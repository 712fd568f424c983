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
