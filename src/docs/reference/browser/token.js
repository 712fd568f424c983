const shape = /^svc_(?:pro|studio)_[0-9A-Za-z]{32}$/

const input = document.getElementById('token')
const status = document.getElementById('token-status')
const forget = document.getElementById('token-forget')
const samples = [...document.querySelectorAll('[data-token]')].map((place) => ({ place, blank: place.textContent }))

/** The content of the token field. Each request reads it from there; nothing else stores it.
 * @returns {string} the token, or an empty text */
export const token = () => input.value.trim()

/** Shows the beginning of a well-formed token in the samples, which are copied with all of it
 * (`copy.js`); otherwise restores them. */
function fillIn(text) {
  const filled = shape.test(text)
  for (const { place, blank } of samples) {
    place.textContent = filled ? text.replace(/^(svc_[a-z]+_.{4}).*/, '$1…') : blank
    if (filled) place.dataset.copied = text
    else delete place.dataset.copied
  }
}

function update() {
  const text = token()
  fillIn(text)
  status.textContent = messageFor(text)
  status.dataset.wrong = String(text !== '' && !shape.test(text))
  forget.disabled = text === ''
  document.body.toggleAttribute('data-has-token', text !== '')
}

function messageFor(text) {
  if (text === '') return 'Without a token every response is 401.'
  if (text === input.dataset.demo) return 'This is the demo’s token: send a request below any endpoint.'
  if (shape.test(text)) return 'Requests are sent with this token, and samples are copied with it.'
  return 'This is not a complete token: svc_pro_ or svc_studio_, followed by 32 letters and digits.'
}

function clear() {
  input.value = ''
  update()
}

/** Takes the token that the console's page of a new token left for this one, or the demo's. */
function takeOver() {
  const key = 'studio-inventory-token'
  const left = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  input.value = left ?? input.dataset.demo ?? ''
}

input.addEventListener('input', update)
forget.addEventListener('click', () => {
  clear()
  input.focus()
})
// The browser may restore a page from memory: it must not restore the token.
addEventListener('pagehide', clear)
// Do not print the token.
addEventListener('beforeprint', () => fillIn(''))
addEventListener('afterprint', update)
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  takeOver()
  update()
})
takeOver()
update()
