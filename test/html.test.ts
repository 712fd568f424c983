import { expect, it } from 'vitest'
import { html } from '../src/web/html.ts'

it('escapes text between tags and in attributes', () => {
  const text = `<script>alert('1')</script> & "x"`
  expect(String(html`<p title="${text}">${text}</p>`)).toBe(
    '<p title="&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot;">' +
      '&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;x&quot;</p>',
  )
})

it('does not escape its own markup, single or in lists', () => {
  const items = ['a & b', 'c'].map((text) => html`<li>${text}</li>`)
  expect(String(html`<ul>${items}</ul>${[1, '<', [html`<br>`]]}`)).toBe(
    '<ul><li>a &amp; b</li><li>c</li></ul>1&lt;<br>',
  )
})
