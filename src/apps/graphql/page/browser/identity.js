const input = document.getElementById('token')
const status = document.getElementById('token-status')
const forget = document.getElementById('token-forget')
const { demo } = document.body.dataset

/** The identity of the demo, and until when it is used, in milliseconds. It is here alone: nothing stores it. */
let given = { token: '', until: 0 }

/** Three parts of base64url. */
const shape = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * The identity to ask with: what is in the field, or in the demo one that the service gives.
 *
 * @returns {Promise<string>} empty when there is none
 */
export async function identity() {
  const typed = input.value.trim()
  if (typed !== '' || demo === undefined) return typed
  if (Date.now() > given.until) {
    const response = await fetch('demo-identity', { method: 'POST', credentials: 'omit' })
    if (!response.ok) return ''
    const { token, life_seconds } = await response.json()
    given = { token, until: Date.now() + (life_seconds - 30) * 1_000 }
  }
  return given.token
}

/** Calls back when there is an identity that could be one. */
export function whenIdentified(callback) {
  const check = () => {
    if (shape.test(input.value.trim())) callback()
  }
  input.addEventListener('input', check)
  if (demo !== undefined) callback()
  else check()
}

function update() {
  const text = input.value.trim()
  const [said, wrong] = describe(text)
  status.textContent = said
  status.dataset.wrong = String(wrong)
  forget.disabled = text === ''
}

function describe(text) {
  if (text === '')
    return [demo === undefined ? 'Without an identity every answer is 401.' : `The demo asks for ${demo}.`, false]
  if (text.startsWith('svc_')) return ['This is an API token. GraphQL takes an identity: see below.', true]
  if (!shape.test(text)) return ['This is not a complete identity: three parts with a dot between them.', true]
  const end = endOf(text)
  if (end === undefined) return ['Queries are sent with this identity.', false]
  if (end < new Date()) return [`This identity expired at ${end.toLocaleString()}: get another.`, true]
  return [`Queries are sent with this identity, which is valid until ${end.toLocaleString()}.`, false]
}

function endOf(token) {
  try {
    const { exp } = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')))
    return typeof exp === 'number' ? new Date(exp * 1_000) : undefined
  } catch {
    return undefined
  }
}

function clear() {
  input.value = ''
  update()
}

input.addEventListener('input', update)
forget.addEventListener('click', () => {
  clear()
  input.focus()
})
// A page that comes back from the browser's memory must not bring the identity back.
addEventListener('pagehide', clear)
update()
