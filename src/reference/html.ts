/** Markup that may be sent as it stands. Only `html` makes it. */
export type Html = { readonly markup: string }

/** What may stand between markup. Text and numbers are escaped; lists are joined. */
export type Content = Html | string | number | readonly Content[]

/**
 * Writes markup around content, which is escaped: safe between tags and in quoted attributes.
 *
 * @example html`<p title="${'"'}">${'<b>'}</p>`.markup // '<p title="&quot;">&lt;b&gt;</p>'
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return { markup: String.raw({ raw: strings }, ...values.map(markupOf)) }
}

function markupOf(content: Content): string {
  if (typeof content === 'string') return content.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  if (typeof content === 'number') return String(content)
  return 'markup' in content ? content.markup : content.map(markupOf).join('')
}
