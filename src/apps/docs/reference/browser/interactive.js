import { studioPlugin } from './components.js'
import { fetchDescription } from './description.js'
import { showTokenField } from './token.js'

const place = document.getElementById('interactive')
const status = document.getElementById('reference-status')

const say = (text) => {
  status.textContent = text
  status.hidden = text === ''
}

/** Adds the token to requests to this service, and to no other. */
const authorize = (token) => (request) => {
  const { origin } = new URL(request.url, location.href)
  if (origin !== location.origin) throw new Error('requests go to this service only')
  if (token() !== '') request.headers.Authorization = `Bearer ${token()}`
  request.credentials = 'omit'
  return request
}

say('The interactive reference is being loaded …')
try {
  const spec = await fetchDescription(place.dataset.description)
  // A classic script of its own, which has run by now: modules wait for the scripts before them.
  globalThis.SwaggerUIBundle({
    domNode: place,
    spec,
    plugins: [studioPlugin],
    layout: 'StudioLayout',
    requestInterceptor: authorize(showTokenField()),
    // The command and the address that are shown are the ones before the token was added.
    showMutatedRequest: false,
    deepLinking: false,
    defaultModelExpandDepth: 8,
    docExpansion: 'list',
    persistAuthorization: false,
    queryConfigEnabled: false,
    syntaxHighlight: { activated: false },
    tryItOutEnabled: true,
    validatorUrl: 'none',
  })
  say('')
} catch (error) {
  say('The interactive reference could not be loaded. The description is at openapi.json.')
  throw error
}
