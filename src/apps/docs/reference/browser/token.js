const shape = /^svc_(?:pro|studio)_[0-9A-Za-z]{32}$/

/**
 * Shows the field for a token. A pasted token stays in that field: it is read from there for each request and stored nowhere else.
 *
 * @returns {() => string} the token, or an empty text
 */
export function showTokenField() {
  const input = document.getElementById('token')
  const status = document.getElementById('token-status')
  const token = () => input.value.trim()
  const say = () => {
    status.textContent = messageFor(token())
    status.dataset.wrong = String(token() !== '' && !shape.test(token()))
  }
  input.addEventListener('input', say)
  document.getElementById('token-forget').addEventListener('click', () => {
    input.value = ''
    say()
    input.focus()
  })
  // A page that comes back from the browser's memory must not bring the token back.
  addEventListener('pagehide', () => {
    input.value = ''
  })
  say()
  document.getElementById('token-field').hidden = false
  return token
}

function messageFor(token) {
  if (token === '') return 'Without a token every answer is 401.'
  if (shape.test(token)) return 'Requests are sent with this token.'
  return 'This is not a complete token: svc_pro_ or svc_studio_, followed by 32 letters and digits.'
}
