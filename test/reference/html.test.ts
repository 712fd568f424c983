import { expect, it } from 'vitest'
import { html } from '../../src/reference/html.ts'

it('escapes text between tags and in attributes', () => {
  const text = `<script>alert('1')</script> & "x"`
  expect(html`<p title="${text}">${text}</p>`.markup).toBe(
    '<p title="&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62; &#38; &#34;x&#34;">' +
      '&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62; &#38; &#34;x&#34;</p>',
  )
})

it('takes markup that it made as it stands, alone and in lists', () => {
  const items = ['a & b', 'c'].map((text) => html`<li>${text}</li>`)
  expect(html`<ul>${items}</ul>${[1, '<', [html`<br>`]]}`.markup).toBe(
    '<ul><li>a &#38; b</li><li>c</li></ul>1&#60;<br>',
  )
})

it('leaves the text of the template alone, backslashes included', () => {
  expect(html`<p>a\tb</p>`.markup).toBe('<p>a\tb</p>')
})
