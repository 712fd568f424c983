/**
 * Fetches the OpenAPI description and prepares it for trying it out: requests go to the origin of this page, and optional
 * parameters begin empty.
 *
 * @param {string} url
 * @returns {Promise<object>} an OpenAPI document
 */
export async function fetchDescription(url) {
  const response = await fetch(url, { credentials: 'omit' })
  if (!response.ok) throw new Error(`the description was answered with ${response.status}`)
  const document = await response.json()
  for (const server of document.servers ?? []) server.url = onThisOrigin(server.url)
  for (const parameter of parametersOf(document)) {
    if (!parameter.required) offerExamples(parameter)
  }
  return document
}

/** The service may have another name than the one in the address bar; the page can only reach the latter. */
function onThisOrigin(url) {
  const { pathname } = new URL(url, location.href)
  return `${location.origin}${pathname}`
}

function parametersOf({ components, paths }) {
  const operations = Object.values(paths ?? {}).flatMap((path) => [path, ...Object.values(path)])
  return [
    ...Object.values(components?.parameters ?? {}),
    ...operations.flatMap((operation) => operation?.parameters ?? []),
  ].filter((parameter) => parameter.in !== undefined)
}

/** Swagger UI fills examples in, and a filter that nobody chose would hide what is there. They are offered instead. */
function offerExamples(parameter) {
  const { example, examples = {} } = parameter
  const values = [example, ...Object.values(examples).map(({ value }) => value)].filter((value) => value !== undefined)
  delete parameter.example
  delete parameter.examples
  if (values.length === 0) return
  parameter.schema = { ...parameter.schema, examples: values.map(String) }
  const some = values.slice(0, 3).map((value) => `\`${value}\``)
  parameter.description = [parameter.description, `For example ${some.join(', ')}.`].filter(Boolean).join(' ')
}
