/**
 * Small parts of Swagger UI, replaced so that each has an accessible name, fits a phone and can be used by keyboard.
 *
 * @param {object} React the one of Swagger UI
 */
export function makeControls(React) {
  const h = React.createElement

  /** A block of code. Long lines wrap, so it never scrolls sideways; long ones scroll and take the focus for it. */
  const Code = ({ children, label = 'Code' }) =>
    h('pre', { className: 'code', tabIndex: 0, role: 'group', 'aria-label': label }, children)

  /** The field of a parameter. `description` is the parameter's name; values that the schema knows are offered. */
  const Field = ({ value, schema, errors, required, description: name, disabled, onChange }) => {
    const allowed = schema?.get?.('enum')?.toArray()
    const known = schema?.get?.('examples')?.toArray() ?? []
    const messages = errors?.toJS?.() ?? []
    const list = React.useId()
    const common = {
      'aria-label': name,
      'aria-invalid': messages.length > 0,
      value: value ?? '',
      disabled,
      onChange: (event) => onChange(event.target.value),
    }
    const choice = (text) => h('option', { key: text, value: text }, text)
    const field = allowed
      ? h('select', common, required ? null : h('option', { value: '' }, 'any'), allowed.map(choice))
      : h('input', { ...common, list, type: 'text', autoComplete: 'off', spellCheck: false })
    return h(
      'div',
      { className: 'field' },
      field,
      known.length > 0 ? h('datalist', { id: list }, known.map(choice)) : null,
      messages.map((text) => h('p', { key: text, role: 'alert' }, String(text))),
    )
  }

  /** Sends the request when its parameters have the right form. */
  const Send = ({ operation, path, method, onExecute, specActions, specSelectors, disabled }) => {
    const send = () => {
      specActions.validateParams([path, method])
      if (!specSelectors.validateBeforeExecute([path, method])) return
      onExecute?.()
      specActions.execute({ operation, path, method })
    }
    return h('button', { type: 'button', className: 'send', onClick: send, disabled }, 'Send request')
  }

  /** The equivalent command. It has `$TOKEN` instead of the token, so that a copy or screenshot contains no secret. */
  const Curl = ({ request }) =>
    h(
      'div',
      { className: 'curl-command' },
      h('h5', null, 'The same with curl'),
      h(Code, { label: 'Command' }, `curl -H "Authorization: Bearer $TOKEN" '${request.get('url')}'`),
    )

  /** The choice of an example, or its name where there is no choice. */
  const ExamplesSelect = ({ examples, currentExampleKey, onSelect }) => {
    const options = examples.entrySeq().toArray()
    const nameOf = ([key, example]) => example.get('summary') || key
    if (options.length === 1) return h('span', null, nameOf(options[0]))
    return h(
      'select',
      {
        'aria-label': 'Example',
        value: currentExampleKey || options[0][0],
        onChange: (event) => onSelect(event.target.value, { isSyntheticChange: false }),
      },
      options.map((option) => h('option', { key: option[0], value: option[0] }, nameOf(option))),
    )
  }

  /** Opens and closes a schema. Not every schema has a title, so the button has a word of its own for those who cannot see it. */
  const Accordion = ({ expanded, children, onChange }) =>
    h(
      'button',
      {
        type: 'button',
        className: 'json-schema-2020-12-accordion',
        'aria-expanded': expanded,
        onClick: (event) => onChange(event, !expanded),
      },
      children,
      h('span', { className: 'spoken' }, ' details'),
    )

  return { Accordion, Code, Field, Send, Curl, ExamplesSelect }
}
