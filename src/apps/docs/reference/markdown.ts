import { type Content, type Html, html } from '../../html.ts'

/**
 * The Markdown of our own texts as HTML: headings of the third level, paragraphs, lists of one level, bold and code. Nothing else
 * is understood; what is none of these is text.
 *
 * @param prefix the headings have anchors that begin with it
 */
export function markdown(text: string, prefix: string): Html {
  return html`${text.split(/\n{2,}/).map((part) => block(part, prefix))}`
}

function block(text: string, prefix: string): Html {
  if (text.startsWith('### ')) return subheading(text.slice(4), prefix)
  if (text.startsWith('- ')) return html`<ul>\n${elements(text, /^- /m)}</ul>\n`
  if (text.startsWith('1. ')) return html`<ol>\n${elements(text, /^\d\. /m)}</ol>\n`
  return html`<p>${inline(text)}</p>\n`
}

function subheading(text: string, prefix: string): Html {
  const id = `${prefix}-${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}`
  return html`<h3 id="${id}"><a class="anchor" href="#${id}">${inline(text)}</a></h3>\n`
}

function elements(text: string, mark: RegExp): Html[] {
  const [, ...parts] = text.split(mark)
  return parts.map((part) => html`<li>${inline(part.trim().replace(/\n +/g, '\n'))}</li>\n`)
}

/** Code and bold text within a line. */
export function inline(text: string): Content {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    if (part.startsWith('**')) return html`<strong>${inline(part.slice(2, -2))}</strong>`
    return part
  })
}
