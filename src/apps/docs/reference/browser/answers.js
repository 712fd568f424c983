/**
 * The answers of an operation: the one that came, and those that the description knows. Each of the latter is drawn by Swagger UI.
 */
export function makeAnswers(React) {
  const h = React.createElement

  const Responses = (props) => {
    const { responses, tryItOutResponse: answer, path, method, specPath, oas3Selectors, getComponent } = props
    const LiveResponse = getComponent('liveResponse')
    const Response = getComponent('response')
    const row = ([code, response]) =>
      h(Response, {
        ...props,
        key: code,
        code,
        response,
        specPath: specPath.push(code),
        contentType: response.get('content')?.keySeq().first(),
        onContentTypeChange: () => {},
        activeExamplesKey: oas3Selectors.activeExamplesMember(path, method, 'responses', code),
      })
    return h(
      'div',
      { className: 'responses-wrapper' },
      h('p', { role: 'status', className: 'spoken' }, answer ? `Answered with ${answer.get('status')}` : ''),
      answer ? h(LiveResponse, { ...props, response: answer }) : null,
      h('h4', null, answer ? 'All possible answers' : 'Answers'),
      h(
        'table',
        { className: 'responses-table' },
        h(
          'thead',
          null,
          h('tr', null, h('th', { scope: 'col' }, 'Status'), h('th', { scope: 'col' }, 'What it means')),
        ),
        h('tbody', null, responses.entrySeq().map(row).toArray()),
      ),
    )
  }

  /** Answers other than success are folded: the page explains each error already. */
  const foldErrors = (Response) => (props) => {
    const [open, setOpen] = React.useState(false)
    const { code, response, getComponent } = props
    if (code.startsWith('2')) return h(Response, props)
    const Markdown = getComponent('Markdown', true)
    return h(
      'tr',
      { className: 'response' },
      h('td', { className: 'response-col_status' }, code),
      h(
        'td',
        { className: 'response-col_description' },
        h(Markdown, { source: response.get('description') }),
        h(
          'details',
          { onToggle: (event) => setOpen(event.currentTarget.open) },
          h('summary', null, `Body and headers of ${code}`),
          open ? h('table', { className: 'folded' }, h('tbody', null, h(Response, props))) : null,
        ),
      ),
    )
  }

  return { Responses, foldErrors }
}
