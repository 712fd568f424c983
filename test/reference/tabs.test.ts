import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { tabs } from '../../src/apps/docs/reference/parts.ts'
import { html } from '../../src/apps/html.ts'

const panels = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `${index}`, content: html`x` }))

it('the style hides the other panels of a group of as many as there may be; of more there is no group', async () => {
  const style = await readFile('src/apps/docs/reference/styles/operation.css', 'utf8')
  const rules = [...style.matchAll(/has\(\[value="(\d+)"\]:checked\) > \[data-panel\]:not\(\[data-panel="\1"\]\)/g)]
  const values = rules.map(([, value]) => Number(value))
  expect(values).toEqual([...values.keys()])
  expect(String(tabs('Example', 'some', panels(values.length)))).toContain(`data-panel="${values.at(-1)}"`)
  expect(() => tabs('Example', 'many', panels(values.length + 1))).toThrow('many has more panels')
})
