import { type Html, html } from '../../../html.ts'

/** A request of an operation, for the samples of it. */
export type SampleRequest = { address: string; envelope: 'list' | 'single' | 'array' }

/**
 * The same request in each language. What the page's script replaces is marked: `data-token` with the reader's token,
 * `data-address` with what was filled in below, and `data-header` with a header when there is one (`{}` is its value).
 */
export const sampleLanguages = [
  { name: 'curl', sample: curl },
  { name: 'JavaScript', sample: javascript },
  { name: 'Python', sample: python },
] as const

const addressOf = ({ address }: SampleRequest) => html`<span data-address>${address}</span>`

function curl(request: SampleRequest): Html {
  return html`curl -H "Authorization: Bearer <span data-token>$TOKEN</span>" \\
<span data-header="  -H 'If-None-Match: {}' \\&#10;"></span>  '${addressOf(request)}'`
}

function javascript(request: SampleRequest): Html {
  const parts = request.envelope === 'list' ? '{ data, meta }' : '{ data }'
  return html`const response = await fetch('${addressOf(request)}', {
  headers: {
    Authorization: 'Bearer <span data-token>YOUR_TOKEN</span>',
<span data-header="    'If-None-Match': '{}',&#10;"></span>  },
})
if (!response.ok) throw new Error(await response.text())
const ${parts} = await response.json()`
}

function python(request: SampleRequest): Html {
  return html`import json
from decimal import Decimal
from urllib.request import Request, urlopen

request = Request('${addressOf(request)}', headers={
    'Authorization': 'Bearer <span data-token>YOUR_TOKEN</span>',
<span data-header="    'If-None-Match': '{}',&#10;"></span>})
with urlopen(request) as response:
    answer = json.load(response, parse_float=Decimal)
data = answer['data']`
}
