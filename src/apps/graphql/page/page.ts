import { codeBlock } from '../../code.ts'
import { siteHeader } from '../../header.ts'
import { type Html, html } from '../../html.ts'
import type { Places } from '../../places.ts'
import { limits } from '../limits.ts'
import { scripts } from './assets.ts'
import type { DemoPerson } from './demo-identity.ts'
import { examples } from './examples.ts'

export type PageOptions = {
  places: Places
  /** Where GraphQL answers, for those who write it down. */
  url: string
  /** The shell command that starts the command line: `npx studio-inventory`, or more in the demo. */
  command: string
  demo: DemoPerson | undefined
}

/**
 * The page to write queries in: identity, query, variables, answer, schema and limits. Without scripts it shows how to ask with curl.
 *
 * @param assets where the files of the page are, relative to it
 */
export function renderPage({ places, url, command, demo }: PageOptions, assets: string): string {
  const icon = `${assets}/icon.svg`
  const [first] = examples
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Ask a studio’s equipment, policies and valuation in GraphQL: lists, sums and groups, read only.">
<title>GraphQL · Studio Inventory</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${assets}/graphql.css">
${scripts.map((name) => html`<script type="module" src="${assets}/${name}"></script>\n`)}
</head>
<body${demo !== undefined && html` data-demo="${demo.studio}"`}>
<a class="skip" href="#content">Skip to the content</a>
${siteHeader(places, 'graphql', icon, identityField(demo))}
<main id="content">
<h1>GraphQL</h1>
<p class="lead">Lists, relations, sums and groups over a studio’s data, read only, at <code>${url}</code>.</p>
<noscript><p>Queries are written and sent here with JavaScript, which is off. What is below works without it.</p></noscript>
${demo === undefined && identitySection(command, demo)}
<form class="ask" aria-label="Query">
<div class="asking">
<div class="bar">
<label for="example">Start from</label>
<select id="example">${examples.map(({ title, query, variables = '' }, index) => html`<option value="${index}" data-query="${query}" data-variables="${variables}">${title}</option>\n`)}</select>
<button id="run" class="primary">Run</button><kbd>Ctrl + Enter</kbd>
</div>
<label for="query">Query</label>
<textarea id="query" rows="17" spellcheck="false" autocapitalize="off" autocomplete="off">
${first.query}</textarea>
<label for="variables">Variables, as JSON</label>
<textarea id="variables" rows="3" spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="{ }"></textarea>
</div>
<div class="answering">
<p class="line" role="status">${demo === undefined ? 'Paste an identity above, then run the query.' : `Run the query: it is asked as ${demo.name}, of ${demo.studio}.`}</p>
<ul class="problems" hidden></ul>
${codeBlock('Answer', '', 'answer')}
</div>
</form>
${demo !== undefined && identitySection(command, demo)}
${curlSection(url, first.query)}
<section class="needs-script" aria-labelledby="schema">
<h2 id="schema">Schema</h2>
<p id="schema-state" role="status">Loaded when there is an identity.</p>
<p class="find"><label for="find">Find a type or a field</label> <input id="find" type="search" autocomplete="off" spellcheck="false" disabled></p>
<ul id="found" hidden></ul>
<div id="types"></div>
</section>
${limitsSection()}
</main>
</body>
</html>
`
  return String(document)
}

function identityField(demo: DemoPerson | undefined): Html {
  return html`<div class="token" role="group" aria-label="Your identity">
<label for="token">Identity</label>
<input id="token" type="password" placeholder="${demo === undefined ? 'eyJhbGciOi…' : 'none needed in the demo'}" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="token-status">
<button id="token-forget" type="button" disabled>Forget</button>
<p id="token-status" role="status"></p>
</div>`
}

function identitySection(command: string, demo: DemoPerson | undefined): Html {
  const studio = demo?.studio ?? 'Northlight Studios'
  return html`<section aria-labelledby="identity">
<h2 id="identity">An identity</h2>
<p>${
    demo === undefined
      ? html`Queries need an identity, which names a person or a login, and a studio: an ID token of your issuer, if the operator trusts it, or what this prints on the machine of the service. API tokens (<code>svc_…</code>) are refused.`
      : html`<span class="needs-script">The demo asks as ${demo.name}, the owner of ${demo.studio}, as long as the field above is empty.</span> Programs, and queries elsewhere, need an identity, which names a person or a login, and a studio. This prints one:`
  }</p>
${codeBlock('For 15 minutes, in a shell', `${command} analyst token \\\n  --studio '${studio}'`, 'identity')}
<p>For refreshes that run by themselves, one that is valid for as long as an analyst’s login, and ends with it:</p>
${codeBlock('For days, in a shell', `# prints the name of the login\n${command} analyst create \\\n  --studio '${studio}'\n${command} analyst token \\\n  --login analyst_… --days 30`, 'identity of a login')}
</section>`
}

function curlSection(url: string, query: string): Html {
  const body = JSON.stringify({ query: query.replace(/\s+/g, ' ') })
  const call = `curl '${url}' \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`
  return html`<section aria-labelledby="curl">
<h2 id="curl">From a program</h2>
${codeBlock('The first query, with curl', call, 'curl')}
</section>`
}

function limitsSection(): Html {
  const { rows, groups, cost, fields, tokens, depth, values, answerBytes, bodyBytes } = limits
  const number = (value: number) => value.toLocaleString('en-US')
  const limit = (what: string, most: string) => html`<tr><th scope="row">${what}</th><td>${most}</td></tr>\n`
  return html`<section aria-labelledby="limits">
<h2 id="limits">Limits</h2>
<p>Amounts are exact decimals, as strings. Dates are grouped by month or by year. Groups cannot be filtered by their
sums (there is no <code>having</code>): read the groups, and do the rest in the program.</p>
<div class="table" tabindex="0" role="group" aria-label="Limits of a query"><table>
<thead><tr><th scope="col">What</th><th scope="col">At most</th></tr></thead>
<tbody>
${limit('Records of a list, with first or last, which every list needs', number(rows))}${limit('Groups, or a page of them with first and offset', number(groups))}${limit('Cost: 1 for an object, 50 for an aggregate or a count, times the lists around it', number(cost))}${limit('Lists with one sum each, in one query', '125')}${limit('Sums of one list, in one query', '166')}${limit('Fields', number(fields))}${limit('Tokens of the query (names and punctuation)', number(tokens))}${limit('Depth', number(depth))}${limit('Time to plan a query, which 100 sums or more can take', '1 s')}${limit('Values in an answer', number(values))}${limit('An answer', `${answerBytes / 1e6} MB`)}${limit('A request', `${bodyBytes / 1024} KiB`)}</tbody>
</table></div>
</section>`
}
