import { makeAnswers } from './answers.js'
import { makeControls } from './controls.js'

/**
 * The plugin that puts our own parts into Swagger UI where its own have no name for a screen reader, a second landmark, a
 * scroll trap or more than this API needs. What requests and answers are, stays Swagger UI's.
 */
export function studioPlugin({ React }) {
  const h = React.createElement
  const { Accordion, Code, Field, Send, Curl, ExamplesSelect } = makeControls(React)
  const { Responses, foldErrors } = makeAnswers(React)

  const StudioLayout = ({ getComponent }) => h('div', { className: 'swagger-ui' }, h(getComponent('operations', true)))

  const OperationTag = ({ tag, tagObj, children, getComponent }) => {
    const description = tagObj.getIn(['tagDetails', 'description'])
    const Markdown = getComponent('Markdown', true)
    return h(
      'div',
      { className: 'tag' },
      h('h3', null, tag),
      description ? h(Markdown, { source: description }) : null,
      children,
    )
  }

  /** One button that opens and closes an operation, as its heading. */
  const OperationSummary = ({ isShown, toggleShown, operationProps }) => {
    const { method, path, op, summary } = operationProps.toObject()
    return h(
      'h4',
      { className: 'operation', id: `try${path.replace(/[{}]/g, '').replaceAll('/', '-')}` },
      h(
        'button',
        { type: 'button', 'aria-expanded': isShown, onClick: toggleShown },
        h('span', { className: 'method' }, method.toUpperCase()),
        h('code', null, path),
        h('span', { className: 'summary' }, op.get('summary') || summary),
      ),
    )
  }

  /** A choice only where there is one. */
  const chooseMediaType = (Select) => (props) =>
    props.contentTypes?.size === 1 ? h('code', null, props.contentTypes.first()) : h(Select, props)

  return {
    components: {
      StudioLayout,
      OperationTag,
      OperationSummary,
      HighlightCode: Code,
      JSONSchema202012Accordion: Accordion,
      JsonSchema_string: Field,
      execute: Send,
      curl: Curl,
      ExamplesSelect,
      responses: Responses,
      // Every field is ready to be filled in; there is no mode to enter first.
      TryItOutButton: () => null,
    },
    wrapComponents: { response: foldErrors, contentType: chooseMediaType },
  }
}
