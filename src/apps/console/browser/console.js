// What makes the console more convenient. Every page works without it.

// A form is sent once, however often its button is pressed.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.dataset.sent) event.preventDefault()
  form.dataset.sent = 'true'
})

// The dialog asks what the page behind the link asks.
const dialog = document.getElementById('revoke')
if (dialog) {
  const form = dialog.querySelector('form')
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-revoke]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    form.action = link.href
    dialog.querySelector('[data-name]').textContent = link.dataset.revoke
    dialog.showModal()
  })
  dialog.querySelector('[data-close]').addEventListener('click', () => dialog.close())
}

for (const button of document.querySelectorAll('[data-copy]')) {
  const { copy: id } = button.dataset
  if (!navigator.clipboard) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    const said = document.querySelector(`[data-copied="${id}"]`)
    try {
      await navigator.clipboard.writeText(document.getElementById(id).textContent)
      said.textContent = 'Copied.'
    } catch {
      getSelection().selectAllChildren(document.getElementById(id))
      said.textContent = 'Could not be copied; it is selected now.'
    }
  })
}

// Whoever comes back to a page that the browser kept does not find the secret in it, nor a form that was sent.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.textContent = 'Shown once.'
})
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})
